import type { ActionsBlock, AnyBlock, Button, SectionBlock } from '@slack/types';
import { BUTTONS, button, commandButton } from '../blocks/buttons.ts';
import { isChart } from '../blocks/chart.ts';
import { countOf, duration, type Reading, share } from '../blocks/format.ts';
import { actions, type Message, message, note, type Part, section } from '../blocks/message.ts';
import { bold, clockOf, code, join, link, moment, mrkdwn, user, type Words } from '../blocks/mrkdwn.ts';
import { slash } from '../own-name.ts';
import type { Subscription } from '../store/subscriptions.ts';
import { MINUTE } from '../time.ts';
import type { Dismissal, Dismissals, Taken } from './dismissals.ts';
import { beginOf, type Incident, lastOf, measureOf } from './incident.ts';
import type { ChangesAround, ReportServices } from './services.ts';

export interface Beside {
  subscription: number;
  /** A zone of the incident. */
  zone: string | undefined;
  taken: Taken | undefined;
  changes: ChangesAround | undefined;
  /** Other incidents that go on, the newest first, with the addresses of their messages. */
  others: readonly { incident: Incident; address: string | undefined }[];
  reading: Reading;
}

/** The address of a message. Undefined: the workspace’s address is unknown. */
export const addressOf = ({ identity }: Pick<ReportServices, 'identity'>, channel: string, ts: string) =>
  identity?.address && `${identity.address}archives/${channel}/p${ts.replace('.', '')}`;

export function openMessage(news: Message, { subscription, zone, taken, changes, others, reading }: Beside): Message {
  // The whole account is not a zone.
  const of = zone === undefined || zone === '0' ? '' : ` --only ${zone}`;
  const last = news.blocks.at(-1);
  const row = last !== undefined && isRow(last) ? (last.elements as Button[]) : [];
  const blocks = row.length > 0 ? news.blocks.slice(0, -1) : news.blocks;
  const chart = blocks.findIndex(isChart);
  const words = chart < 0 ? blocks.length : chart;
  return message(
    { ...news, blocks: blocks.slice(0, words) },
    changes && changesNote(changes),
    ...others.flatMap(({ incident, address }) => {
      const failing = failingIn(incident);
      const words = failing.map(([said]) => said).join('; ');
      // Statistics show it up to then, so its figures are that old.
      const until = new Date(Math.max(0, ...failing.map(([, last]) => last)));
      const asOf = until.getTime() === 0 ? '' : mrkdwn`, as of ${clockOf(until, reading, until)}`;
      return words === '' ? [] : note(mrkdwn`${bold('Also now:')} ${linked(address, words)}${asOf}`);
    }),
    taken !== undefined && takenNote(taken, reading),
    actions(
      button(taken === undefined ? BUTTONS.onIt : BUTTONS.takeOver, String(subscription)),
      changes?.back,
      ...row,
      of !== '' && changes && commandButton('Recent changes', `changes list ${zone}`),
      commandButton('Not a problem …', `report dismiss ${subscription}${of}`),
    ),
    // After the buttons, which a phone shows first.
    { text: '', blocks: blocks.slice(words) },
  );
}

const changesNote = ({ began = [], before, after }: ChangesAround): Part =>
  note(
    join(
      [
        ...began.map((line) => mrkdwn`${line}.`),
        ...(began.length === 0 || before.length > 0
          ? [
              mrkdwn`${bold('Changed in the two hours before:')} ${before.length === 0 ? 'nothing' : join(before, '; ')}.`,
            ]
          : []),
        ...(after.length === 0 ? [] : [mrkdwn`${bold('Done since:')} ${join(after, '; ')}.`]),
      ],
      '\n',
    ),
  );

const linked = (address: string | undefined, words: string): Words =>
  address === undefined ? words : link(address, words);

/**
 * What still fails and is not getting better, by the first cause of each zone. The number is up to when statistics show
 * it, or 0.
 */
const failingIn = ({ said, zones }: Incident) =>
  Object.entries(zones).flatMap(([zone, { name = 'another zone', isOver }]): [string, number][] => {
    const mine = Object.entries(said).filter(([key]) => key.startsWith(`${zone}:`));
    const [key = '', { words = name, last = 0 } = {}] = mine.find(([, { lately }]) => lately === undefined) ?? [];
    return isOver || (key === '' && mine.length > 0) ? [] : [[words, measureOf(key) === undefined ? 0 : last]];
  });

const isRow = (block: AnyBlock): block is ActionsBlock => block.type === 'actions';

const isSection = (block: AnyBlock): block is SectionBlock => block.type === 'section';

export function takenNote({ by, at, after }: Taken, reading: Reading): Message {
  const since = clockOf(new Date(at), reading, new Date(at));
  if (after === undefined) return note(mrkdwn`${user(by)} is on it, since ${since}.`);
  return note(mrkdwn`${user(by)} took over from ${user(after)} at ${since} and is on it.`);
}

export function takenMessage(
  { text, blocks }: Pick<Message, 'text' | 'blocks'>,
  taken: Taken,
  subscription: Subscription,
): Message {
  const said = takenNote(taken, subscription);
  const over = button(BUTTONS.takeOver, String(subscription.id));
  const before = `<@${taken.after}> `;
  const kept = blocks
    .filter((block) => block.type !== 'context' || !JSON.stringify(block).includes(`"${before}`))
    .map((block) => {
      if (!isRow(block)) return block;
      return { ...block, elements: block.elements.map((one) => (one.action_id === BUTTONS.onIt.id ? over : one)) };
    });
  const row = kept.findLastIndex(isRow);
  const at = row < 0 ? kept.length : row;
  const lines = text.split('\n').filter((line) => !line.startsWith(before));
  return { text: [...lines, said.text].join('\n'), blocks: [...kept.slice(0, at), ...said.blocks, ...kept.slice(at)] };
}

/** `✅ shop recovered after 25 min, from 7:36 PM UTC to 8:01 PM UTC: 175 requests failed.` */
function overLine(incident: Incident, reading: Reading): Words {
  const [from, to] = [beginOf(incident), lastOf(incident)];
  const dated = Object.entries(incident.said).filter(([, { isAbout }]) => isAbout);
  const zones = Object.entries(incident.zones).map(([id, zone]) => ({
    ...{ ...zone, isAbout: dated.some(([key]) => key.startsWith(`${id}:`)) },
  }));
  const names = zones.length > 5 ? `${zones.length} zones` : list(zones.map(({ name = 'The zone' }) => name));
  const failures = zones.reduce((sum, one) => sum + one.failures, 0);
  const many = failures === 0 ? '' : `: ${countOf(failures, 'request', reading)} failed`;
  // The length that the two shown times have between them.
  const length = duration(Math.max(MINUTE, to - (to % MINUTE) - (from - (from % MINUTE))), reading);
  // Zones that recovered at different times each have theirs.
  const isOne = zones.length > 5 || zones.every((one) => to - one.last < 5 * MINUTE && one.since - from < 5 * MINUTE);
  const all = { name: '', since: from, last: to, isAbout: zones.some(({ isAbout }) => isAbout) };
  const times = (isOne ? [all] : zones).map(({ name = 'the zone', since, last, isAbout }) => {
    const at = (one: number) => mrkdwn`${isAbout ? 'about ' : ''}${clockOf(new Date(one), reading, new Date(to))}`;
    return mrkdwn`${name && `${name} `}from ${at(since)} to ${at(last)}`;
  });
  return mrkdwn`✅ ${bold(`${names} recovered`)} after ${length}, ${join(times, ', ')}${many}.`;
}

const list = (names: readonly string[]) => names.join(', ').replace(/, ([^,]*)$/, ' and $1');

export const overMessage = (incident: Incident, taken: Taken | undefined, reading: Reading): Message =>
  message(
    overLine(incident, reading),
    ...saidOf(incident),
    taken !== undefined && note(mrkdwn`${user(taken.by)} was on it.`),
  );

/** Of these zones, for the channel and for whoever was on it. */
export function overReply(
  { zones, ...incident }: Incident,
  some: readonly string[],
  taken: Taken | undefined,
  reading: Reading,
): Message {
  const line = overLine({ ...incident, zones: Object.fromEntries(some.map((zone) => [zone, zones[zone]!])) }, reading);
  return message(taken === undefined ? line : mrkdwn`${line} ${user(taken.by)}`);
}

/** A newer incident has its zones, so it loses its buttons. */
export const overtakenMessage = (incident: Incident, { taken, others, reading }: Beside): Message =>
  message(
    mrkdwn`Continued in ${linked(others[0]?.address, 'a newer message')}.`,
    ...saidOf(incident),
    taken !== undefined && takenNote(taken, reading),
  );

export function dismissedMessage({ said }: Incident, dismissals: Dismissals, subscription: number): Message {
  const all = Object.keys(said).map((key) => ({ ...dismissals[key]!, isShare: measureOf(key) === undefined }));
  const lines = all.map(({ words, size, isShare }) =>
    isShare && size <= 1 ? `• ${words}, ${share(size, 1)} of requests failed then` : `• ${words}`,
  );
  const { by, at } = all[0]!;
  return message(
    mrkdwn`${bold('Not a problem')}, says ${user(by)}, ${moment(new Date(at))}:`,
    section(lines.join('\n')),
    note(mrkdwn`I’ll alert again if it gets 50% worse. ${code(slash('now'))} tells how it is.`),
    actions(commandButton('What’s broken?', 'now'), commandButton('Alert again', `report undismiss ${subscription}`)),
  );
}

export const undismissedMessage = (ended: readonly Dismissal[], by: string, at: Date): Message =>
  message(
    mrkdwn`${bold('Alerts again')} since ${moment(at)}, says ${user(by)}:`,
    section(ended.map(({ words }) => `• ${words}`).join('\n')),
  );

export const usualMessage = (news: Message, incident: Incident, reading: Reading): Message =>
  message(
    withoutButtons(news),
    note(
      mrkdwn`This has lasted since ${clockOf(new Date(beginOf(incident)), reading)}. I now treat it as normal, and won’t alert about it again.`,
    ),
  );

const firstLines = ({ text, blocks }: Message): Message => {
  const first = blocks.slice(0, 1);
  const lines = first.flatMap((block) => (isSection(block) ? (block.text?.text ?? '').split('\n') : []));
  return message({ blocks: first, text: text.split('\n').slice(0, lines.length).join('\n') });
};

/** The incident came back: its first lines again, for the channel, with its buttons. */
export const againReply = (whole: Message, changes: ChangesAround | undefined, address: string | undefined): Message =>
  message(
    firstLines(whole),
    ...(changes?.began ?? []).map((line) => note(mrkdwn`${line}.`)),
    address !== undefined &&
      note(mrkdwn`The rest and every update are in ${link(address, 'the message of this incident')}.`),
    { text: '', blocks: whole.blocks.filter(isRow) },
  );

/** Another incident, which is in the same message because of the limit. */
export const joinedReply = (news: Message, { perHour }: Subscription, taken: Taken | undefined): Message =>
  message(
    firstLines(news),
    note(
      mrkdwn`Added to this message, because the limit of ${countOf(perHour!, 'message')} an hour is reached.${taken ? mrkdwn` ${user(taken.by)} is on it.` : ''}`,
    ),
  );

const withoutButtons = ({ blocks, ...rest }: Message): Message => ({
  ...rest,
  blocks: blocks.filter(({ type }) => type !== 'actions'),
});

const linesOf = (said: Incident['said']) => [...new Set(Object.values(said).flatMap(({ words }) => words ?? []))];

function saidOf({ said }: Incident): Part[] {
  const lines = linesOf(said);
  return lines.length === 0 ? [] : [section(lines.map((line) => `• ${line}`).join('\n'))];
}
