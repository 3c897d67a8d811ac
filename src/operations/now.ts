import { commandButton, formButton } from '../blocks/buttons.ts';
import { count, countOf, duration, share as shareOf } from '../blocks/format.ts';
import { actions, message, note, type Part, section } from '../blocks/message.ts';
import { bold, join, link, moment, mrkdwn, user, type Words } from '../blocks/mrkdwn.ts';
import type { PullZone } from '../platform/resources/pull-zones.ts';
import type { Names } from '../policy/names.ts';
import type { Seen } from '../reports/report.ts';
import { MINUTE } from '../time.ts';
import { wordsFor } from './arguments/resources/look-up.ts';
import type { Context } from './context.ts';
import { isLinked } from './linked-scripts.ts';
import { defineOperation } from './operation.ts';
import type { ShownTrouble } from './reports-view.ts';

type Services = Pick<Context, 'reports' | 'catalogue'>;
type Doubt = Awaited<ReturnType<Context['reports']['doubts']>>[number];
type May = (operation: string, names: Names) => boolean;

/** Missing visitors count as if all requests failed. */
const worstOf = ({ troubles }: ShownTrouble) =>
  Math.max(...troubles.map(({ share, measure }) => share ?? Number(measure === 'traffic')));

/** Incidents in zones whose errors this person may see, the worst first; each zone once, however many channels hear of it. */
export async function troubleNow(
  { reports, catalogue }: Services,
  may: May,
  only?: ReadonlySet<string>,
): Promise<ShownTrouble[]> {
  const incidents = await reports.incidents();
  if (incidents.length === 0) return [];
  const { items } = await catalogue.zones();
  const nameOf = (id: string) => items.find(({ Id }) => String(Id) === id)?.Name;
  // First those that somebody is on.
  const inTurn = incidents.toSorted((a, b) => Number(b.by !== undefined) - Number(a.by !== undefined));
  const firstOf = (id: string) => inTurn.find(({ troubles }) => troubles.some(({ zone }) => zone === id));
  // Where it is reported says who has subscribed.
  const where = may('report list', {}) ? {} : { channelName: undefined, address: undefined };
  return inTurn
    .map((told) => ({
      ...told,
      ...where,
      troubles: told.troubles
        .filter(({ zone }) => firstOf(zone) === told)
        .map((one) => ({ ...one, name: nameOf(one.zone) }))
        .filter(({ zone }) => only?.has(zone) !== false)
        .filter(({ zone, name }) => may('errors show', { zone: [wordsFor({ Id: Number(zone), Name: name })] })),
    }))
    .filter(({ troubles }) => troubles.length > 0)
    .sort((a, b) => worstOf(b) - worstOf(a));
}

const isTold = (told: readonly ShownTrouble[], id: string): boolean =>
  told.some(({ troubles }) => troubles.some(({ zone }) => zone === id));

type Reading = Services & { policy: { may: May } };

/** What fails, but is not told yet, in zones whose errors this person may see, and in the whole account. */
export async function doubtsNow(
  { reports, catalogue }: Services,
  may: May,
  told: readonly ShownTrouble[],
): Promise<Doubt[]> {
  const found = await reports.doubts();
  if (found.length === 0) return [];
  const { items } = await catalogue.zones();
  const nameOf = (id: string) => items.find(({ Id }) => String(Id) === id)?.Name;
  const maySee = (id: string) => may('errors show', { zone: [wordsFor({ Id: Number(id), Name: nameOf(id) })] });
  const theirs = found.filter(({ zone }) => !isTold(told, zone) && maySee(zone));
  return theirs.toSorted((a, b) => (b.since ?? 0) - (a.since ?? 0));
}

export function doubtLine({ words, since, isAbout, isDismissed, asOf }: Doubt): Part {
  const until = untilWords(asOf);
  if (since === undefined) return note(mrkdwn`⚪ ${words}${isDismissed ? ', dismissed as no problem' : ''}${until}.`);
  const begun = mrkdwn`since ${isAbout ? 'about ' : ''}${moment(new Date(since))}${until}`;
  return section(mrkdwn`🟡 ${bold(words)} ${begun}. Not reported yet: it may be a blip. I’m watching it.`);
}

const clockOf = (date: Date) => moment(date, '{date_short_pretty} at {time}');
const untilWords = (asOf: Date | undefined) => (asOf === undefined ? '' : mrkdwn`, as of ${clockOf(asOf)}`);

/** Those that are named, and those that a named script answers. */
export async function zonesOf(
  { zone = [], script = [] }: Names,
  catalogue: Reading['catalogue'],
): Promise<Set<string>> {
  const ids = script.flat();
  if (ids.length === 0) return new Set(zone.flat());
  const scripts = (await catalogue.scripts()).items.filter(({ Id }) => ids.includes(String(Id)));
  const linked = (await catalogue.zones()).items.filter((one) => scripts.some((script) => isLinked(script, one)));
  return new Set([...zone.flat(), ...linked.map(({ Id }) => String(Id))]);
}

/** Only of these zones. `lines`: without buttons. */
export async function troublesOf(names: Names, context: Reading) {
  const ids = await zonesOf(names, context.catalogue);
  if (ids.size === 0) return { told: [], doubts: [], lines: [] };
  const told = await troubleNow(context, context.policy.may, ids);
  const doubts = (await doubtsNow(context, context.policy.may, told)).filter((one) => ids.has(one.zone));
  return { told, doubts, lines: [...troubleParts(told).filter(({ text }) => text !== ''), ...doubts.map(doubtLine)] };
}

/** With what has recovered. `since`: the earliest incident that goes on. */
export async function troubleOf(names: Names, context: Reading): Promise<{ parts: Part[]; since?: Date | undefined }> {
  const { told, lines } = await troublesOf(names, context);
  const ids = await zonesOf(names, context.catalogue);
  const ended = (await recoveredNow(context, context.policy.may, told)).filter(({ zone }) => ids.has(String(zone)));
  const begun = told.flatMap(({ troubles }) => troubles.map(({ since }) => since));
  const [since] = begun.toSorted((a, b) => a.getTime() - b.getTime());
  return { parts: [...lines, ...ended.map(recoveredLine)], since };
}

const failedWords = ({ failed, of }: Seen) => `${count(failed)}${of === undefined ? '' : ` of about ${count(of)}`}`;

/** What the last look saw of a zone of which no trouble is known. Nothing for those who may not see its errors. */
export async function lookedAt(zone: PullZone, { reports, policy }: Reading): Promise<Part[]> {
  if (!policy.may('errors show', { zone: [wordsFor(zone)] })) return [];
  if (zone.EnableLogging === false) return [note('No access log: only statistics show failures.')];
  const { zones, logs = 0 } = await reports.seen();
  const seen = zones[zone.Id];
  if (seen === undefined) return [note('Not checked in the last 5 minutes.')];
  const until = mrkdwn`in the 5 minutes up to ${moment(new Date(logs), '{time}')}`;
  if (seen.failed === 0) return [section(mrkdwn`✅ Nothing failed ${until}.`)];
  return [section(mrkdwn`⚪ ${failedWords(seen)} requests failed ${until}, too few to tell.`)];
}

/** The zones without trouble, by what a look of the last minutes saw of them. */
async function othersNow(
  { reports, catalogue }: Services,
  may: May,
  { told, doubts }: { told: readonly ShownTrouble[]; doubts: readonly Doubt[] },
) {
  const { items, missing } = await catalogue.zones();
  const { zones, ...until } = await reports.seen();
  const mine = items.filter(
    (one) =>
      one.Suspended !== true &&
      one.Enabled !== false &&
      !isTold(told, String(one.Id)) &&
      !doubts.some(({ zone }) => zone === String(one.Id)) &&
      may('errors show', { zone: [wordsFor(one)] }),
  );
  const looked = mine.filter(({ Id }) => Id in zones);
  const few = looked.flatMap(({ Id, Name }) => (zones[Id]!.failed > 0 ? { ...zones[Id]!, name: Name ?? `${Id}` } : []));
  const unlogged = mine.filter((one) => one.EnableLogging === false && !looked.includes(one)).length;
  const unseen = mine.length - looked.length - unlogged;
  return { ...until, missing, few, fine: looked.length - few.length, unseen, unlogged };
}

/** What has recovered, unless it fails again. */
async function recoveredNow({ reports, catalogue }: Services, may: May, told: readonly ShownTrouble[]) {
  const ended = (await reports.recovered()).filter(({ zone }) => !isTold(told, String(zone)));
  const { items } = ended.length === 0 ? { items: [] } : await catalogue.zones();
  return ended
    .map((one) => ({ ...one, name: items.find(({ Id }) => Id === one.zone)?.Name ?? one.name }))
    .filter(({ zone, name }) => may('errors show', { zone: [wordsFor({ Id: zone, Name: name })] }));
}

/** `✅ shop recovered at 12:41 AM, after 25 min.` */
function recoveredLine({ name, from, since = from, to, isAbout }: Awaited<ReturnType<typeof recoveredNow>>[number]) {
  const about = isAbout ? 'about ' : '';
  const [begun, end] = [since, to].map((at) => at - (at % MINUTE)) as [number, number];
  const length = duration(Math.max(MINUTE, end - begun));
  return note(
    mrkdwn`✅ ${bold(name ?? 'A zone')} recovered at ${about}${moment(new Date(to), '{time}')}, after ${about}${length}.`,
  );
}

type OneTrouble = ShownTrouble['troubles'][number];

/** `🔴 shop: origin refuses connections (502), 43% of requests fail, since 8:10 AM`: all troubles of one zone. */
function lineOf(name: string, mine: readonly OneTrouble[]): Words {
  const [first, ...others] = mine.toSorted((a, b) => (b.lately ?? 1) - (a.lately ?? 1));
  const { words, share, last, asOf, lately, measure, since: begun, isUsual = false } = first!;
  const what = bold([words, ...others.map((one) => one.words.replace(`${name}: `, ''))].join('; '));
  const isQuiet = lately === 0 && measure === undefined;
  const seen = last && mrkdwn`, last failure seen ${clockOf(last)}`;
  const until = seen ?? (isQuiet ? '' : untilWords(asOf));
  const since = mrkdwn`since ${mine.some(({ isAbout }) => isAbout) ? 'about ' : ''}${moment(begun)}${until}`;
  if (isQuiet) {
    const much = isUsual ? 'no more than usual' : 'nothing';
    const now =
      asOf === undefined ? `${much} is failing right now` : mrkdwn`${much} was failing as of ${clockOf(asOf)}`;
    return mrkdwn`🟡 ${what}, ${since}: ${now}; I’m watching it`;
  }
  if (lately === 0) return mrkdwn`🟡 ${what}, ${since}: getting better; I’m watching it`;
  const much = share === undefined ? '' : `, ${shareOf(share, 1)} of requests fail`;
  const failed = share === undefined ? '' : `, ${shareOf(share, 1)} of requests failed in the last 5 min`;
  const mark = mine.every(({ isMinor }) => isMinor) ? '🟠' : '🔴';
  return mrkdwn`${mark} ${what}${lately === undefined ? much : mrkdwn`${failed}, getting better`}, ${since}`;
}

const namesOf = (troubles: readonly OneTrouble[]) => [
  ...new Map(troubles.map((one) => [one.zone, one.name ?? one.zone])),
];

export const troubleLines = (troubles: readonly OneTrouble[]): Words[] =>
  namesOf(troubles).map(([zone, name]) =>
    lineOf(
      name,
      troubles.filter((one) => one.zone === zone),
    ),
  );

/** Each zone with its share, its beginning, who is on it and where it is reported. */
export const troubleParts = (told: readonly ShownTrouble[]): Part[] =>
  told.slice(0, 5).flatMap(({ troubles, channelName, address, by }) => {
    const leadOf = (zone: string) => troubles.find((one) => one.zone === zone)?.look;
    const leads = namesOf(troubles)
      .slice(0, 3)
      .map(([zone, name]) => leadOf(zone) ?? commandButton(`Errors of ${name}`, `errors show ${zone}`));
    const owner = by === undefined ? 'Nobody is on it yet' : mrkdwn`${user(by)} is on it`;
    const where = address === undefined || channelName === undefined ? channelName : link(address, channelName);
    const reported = where === undefined ? owner : mrkdwn`${owner} · reported in ${where}`;
    return [section(join([...troubleLines(troubles), reported], '\n')), actions(...leads)];
  });

export const now = defineOperation({
  name: 'now',
  summary: 'Show what is broken now',
  synonyms: {
    verbs: 'on fire, burning',
    nouns:
      'broken, broke, down, wrong, failing, trouble, outage, outages, incident, incidents, problem, problems, issue, issues, errors, zones, zones ok, everything, all fine, all ok, all good, is on it, who is on it, is anybody on it, going on, happening, what is up, site down, im on it, ack, is it over, is it over yet, it fixed, when did it start, bad, better, worse, change make, change break, resolved, recovered',
  },
  effect: 'read',
  args: {},
  examples: ['now'],
  toTry: 'What’s broken?',

  target: () => 'all zones',

  async run(_, context) {
    const may: May = (operation, names) => context.policy.may(operation, names);
    const told = await troubleNow(context, may);
    const doubts = await doubtsNow(context, may, told);
    const others = await othersNow(context, may, { told, doubts });
    const recovered = await recoveredNow(context, may, told);
    const isWatched = (await context.reports.subscriptions()).some(
      ({ report, state, muted, targets, include, exclude }) =>
        report === 'error-summary' &&
        state === 'active' &&
        !(muted?.until !== undefined && muted.until > context.reader.now) &&
        targets.length + include.length + exclude.length === 0,
    );
    return { told, doubts, recovered, others, isWatched };
  },

  render({ told, doubts, recovered, others, isWatched }) {
    const { logs = 0, statistics, missing, few, fine, unseen, unlogged } = others;
    const clock = (at: number) => moment(new Date(at), '{time}');
    // Failures stand in the logs at once, but only statistics show missing visitors.
    const counted = statistics === undefined ? '' : mrkdwn` and statistics up to ${clock(statistics)}`;
    const look = (zones: string) =>
      mrkdwn`${zones} ${fine === 1 ? 'looks' : 'look'} fine, by logs up to ${clock(logs)}${counted}.`;
    const isTrouble = told.length + doubts.length > 0;
    const isClear = !isTrouble && few.length + unseen === 0 && fine > 0;
    const many = countOf(fine, 'zone');
    const failed = few.map((one) => `${one.name} ${failedWords(one)}`);
    const isAlone = !isTrouble && few.length === 0;
    return message(
      !isTrouble &&
        (isClear
          ? mrkdwn`✅ No trouble reported: ${look(many)}`
          : isWatched || unseen + unlogged === 0
            ? 'No trouble reported.'
            : 'I see nothing broken, but no subscription watches all zones.'),
      ...troubleParts(told),
      ...doubts.slice(0, 10).map(doubtLine),
      doubts.length > 10 && note(`And ${doubts.length - 10} more that I can’t call fine.`),
      ...recovered.slice(0, 5).map(recoveredLine),
      few.length > 0 &&
        note(
          mrkdwn`⚪ Failed in 5 minutes, too few to tell: ${failed.slice(0, 10).join(', ')}${few.length > 10 ? ` and ${few.length - 10} more` : ''}.`,
        ),
      !isClear && fine > 0 && note(look(isAlone ? many : `The other ${many.replace(/^1 /, '')}`)),
      unseen > 0 && note(`${countOf(unseen, 'zone')} not checked in the last 5 minutes.`),
      unlogged > 0 && note(`${countOf(unlogged, 'zone')} without an access log: only statistics show failures.`),
      missing !== undefined && note(`I can’t tell how many zones look fine: ${missing}.`),
      !isWatched && unseen + unlogged > 0 && actions(formButton('Watch them …', 'report subscribe error-summary')),
    );
  },
});
