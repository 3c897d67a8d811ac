import { type DrivenWeek, driveWeek } from './bot.ts';
import { isAboutReading, isOver, partAbout, zonesNamed } from './judge/words.ts';
import type { Label } from './model.ts';
import { createModel } from './model.ts';
import { SCENARIOS, type Scenario } from './scenarios.ts';
import { weeksOf } from './seeds.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Told later than so many minutes after it began, it has to say why. */
const PROMPT = 30;

/** The known incidents of tuning weeks that faults are tried on. */
const CASES = {
  outage: { seed: 780904, id: '780904-17' },
  flood: { seed: 514474, id: '514474-15' },
  silence: { seed: 859035, id: '859035-15' },
  morning: { seed: 859035, id: '859035-15' },
} as const;

/** What the bot made of a fault. */
export interface Tried {
  scenario: string;
  truth: string;
  verdict: string;
  isGood: boolean;
  /** The first lines of everything that was said, with its minute after the incident began. */
  said: string[];
}

/** Drives the bot through each scenario, a few hours each, one after the other. `chosen`: a part of their names. */
export async function* tryFaults(chosen = ''): AsyncGenerator<Tried> {
  for (const scenario of SCENARIOS) if (scenario.name.includes(chosen)) yield await tryFault(scenario);
}

async function tryFault(scenario: Scenario): Promise<Tried> {
  const on = scenario.on ?? 'outage';
  const { seed, id } = CASES[on];
  const week = weeksOf('tuning', 'incidents').find((one) => one.seed === seed)!;
  const model = createModel(week);
  const label = model.labels().find((one) => one.id === id)!;
  const zone = model.zones.find(({ name }) => name === label.zones[0])!;
  const at = label.start;
  // The morning after the day of the incident's beginning is the first with that day in it.
  const morning = Math.floor(at / DAY) * DAY + DAY;
  const isMorning = on === 'morning';
  const stretch = isMorning
    ? { from: morning + 6 * HOUR, to: morning + 11 * HOUR }
    : { from: at - (on === 'silence' ? 3 : 1) * HOUR, to: on === 'silence' ? label.end + HOUR : at + 100 * MINUTE };
  const driven = await driveWeek(week, {
    service: scenario.options ?? {},
    stretch,
    only: [isMorning ? 'daily-statistics' : 'error-summary'],
    prepare: ({ faults }) => faults.push(...scenario.faults({ at: isMorning ? at + DAY : at, zone: zone.id })),
    isFaulty: () => true,
  });
  const names = model.zones.map((one) => one.name);
  return isMorning ? judgeMorning(scenario, driven, morning) : judgeFault(scenario, driven, label, names);
}

const minutesAfter = (at: number, begin: number) => Math.round((at - begin) / MINUTE);
const firstLine = (text: string) => text.split('\n', 1)[0]!.slice(0, 230);

/** Everything that was said, edits too, in its order. */
function saidIn({ posts }: DrivenWeek) {
  return posts
    .flatMap(({ at, channel, text, edits = [] }) => [
      { at, channel, text },
      ...edits.map((edit) => ({ ...edit, channel: 'edit' })),
    ])
    .sort((a, b) => a.at - b.at);
}

/** The incident is told in time, or it is said that something is not known; it is not called over while it goes on. */
function judgeFault(scenario: Scenario, driven: DrivenWeek, label: Label, zones: readonly string[]): Tried {
  const said = saidIn(driven);
  const during = said.filter(({ at }) => at < label.end);
  const isNamed = (text: string) => zonesNamed(text, zones).some((zone) => label.zones.includes(zone));
  const told = said.find(({ at, text }) => at >= label.start && isNamed(text) && !isOver(text) && hasNews(text));
  const unknown = said.find(({ text }) => saysUnknown(text));
  const falseOver = during.find(({ at, text }) => at >= label.start && isNamed(text) && isOver(text));
  const delay = told && minutesAfter(told.at, label.start);
  const begun = label.shares[label.zones[0]!]!;
  const shares = begun.slice(0, told && Math.max(5, minutesAfter(told.at, label.start)));
  const share = shares.reduce((sum, one) => sum + one, 0) / shares.length;
  const length = minutesAfter(label.end, label.start);
  const all = begun.reduce((sum, one) => sum + one, 0) / begun.length;
  const truth = `${label.zones.join(', ')}: ${label.kind} of ${length} min, ${(100 * all).toFixed(0)} %`;
  const shareSaid = told && shareIn(partAbout(told.text, label.zones[0]!, zones));
  const isShareRight =
    shareSaid === undefined || (shareSaid > share / 2 && shareSaid < 2 * share) || label.kind === 'silence';
  const falsePosts = driven.result.posts.filter(
    ({ post, verdict }) =>
      post.channel.startsWith('C') && (verdict === 'false' || (verdict === 'neutral' && !saysUnknown(post.text))),
  );
  const bad = [
    delay === undefined && unknown === undefined && 'lost without a word',
    delay !== undefined && delay > PROMPT && unknown === undefined && `told after ${delay} min without a word`,
    delay !== undefined &&
      !isShareRight &&
      unknown === undefined &&
      `a share of ${(100 * shareSaid!).toFixed(1)} % said without a word`,
    falseOver !== undefined && `called over ${minutesAfter(label.end, falseOver.at)} min before its end`,
    falsePosts.length > 0 &&
      `${falsePosts.length} false posts (${firstLine(falsePosts[0]!.post.text).slice(0, 60)}: ${falsePosts[0]!.reason})`,
  ].filter((one) => one !== false);
  const good = [
    delay !== undefined && `told after ${delay} min`,
    unknown !== undefined && `said not known after ${minutesAfter(unknown.at, label.start)} min`,
  ].filter((one) => one !== false);
  return {
    scenario: scenario.name,
    truth,
    isGood: bad.length === 0,
    verdict: [...bad, ...good].join('; '),
    said: said.map(({ at, channel, text }) => `${minutesAfter(at, label.start)} min, ${channel}: ${firstLine(text)}`),
  };
}

/** A text about failing or missing requests, not about reading alone. */
const hasNews = (text: string) =>
  /% of (the )?requests|failed request|requests failed|no requests|requests fell/.test(text);

/** A line about logs or statistics that are not all there. */
const saysUnknown = (text: string) =>
  /does not work/.test(text) ||
  text
    .split('\n')
    .some(
      (line) =>
        /\blogs?\b|\bstatistics\b|origin errors/i.test(line) &&
        (isAboutReading(line) || /log shows|could not/.test(line)),
    );

const shareIn = (text: string): number | undefined => {
  const found = /([\d.]+)% of the requests fail/.exec(text);
  return found === null ? undefined : Number(found[1]) / 100;
};

/** A day that is not counted yet is no fall of everything. */
function judgeMorning(scenario: Scenario, driven: DrivenWeek, morning: number): Tried {
  const said = saidIn(driven);
  const isSaid = said.some(({ text }) => isAboutReading(text));
  const claimed = said
    .flatMap(({ text }) => text.split('\n'))
    .find((line) => /(−|-|down |fell).{0,12}(8|9)\d(\.\d+)?\s?%/.test(line));
  return {
    scenario: scenario.name,
    truth: 'nine tenths of the last day are not counted yet',
    isGood: isSaid && claimed === undefined,
    verdict: [
      claimed !== undefined && `claims a fall: ${claimed.slice(0, 120)}`,
      isSaid ? 'said that the day is not complete' : 'nothing said of what is missing',
    ]
      .filter((one) => one !== false)
      .join('; '),
    said: said.map(({ at, channel, text }) => `${minutesAfter(at, morning)} min, ${channel}: ${firstLine(text)}`),
  };
}
