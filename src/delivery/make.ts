import { dayAndTime, type Reading, time } from '../blocks/format.ts';
import { type Message, message, note } from '../blocks/message.ts';
import { bold, mrkdwn, type Words } from '../blocks/mrkdwn.ts';
import { type AnyReport, STATISTICS } from '../reports/report.ts';
import { tellOrAdmins } from '../reports/stand-ins.ts';
import type { Claim, Settlement, SlotOutcome } from '../store/report-ledger.ts';
import type { Subscription } from '../store/subscriptions.ts';
import { DAY, MINUTE } from '../time.ts';
import type { Collected, News } from './collect.ts';
import { deliver, replyAgain, replyBeside, updateMessage } from './deliver.ts';
import { type Dismissals, readDismissals, sizesOf } from './dismissals.ts';
import {
  endIncident,
  type Incident,
  type IncidentStep,
  incidentStep,
  intendIncident,
  keepIncident,
  overAfter,
  readIncident,
  withReturns,
} from './incident.ts';
import {
  type Beside,
  dismissedMessage,
  headOf,
  openMessage,
  overMessage,
  overtakenMessage,
  usualMessage,
} from './incident-message.ts';
import type { ReportServices } from './services.ts';
import { readTaken } from './taken.ts';

const SLOTS = 3;
const MOST_LINES = 5;

const ANCHOR = 'unread';

/** Nobody takes silence for health: the owner is told once when slots in a row could not be read. */
async function sayUnread(
  services: Pick<ReportServices, 'anchors' | 'poster' | 'policy' | 'log'>,
  { id, report, channel, owner }: Subscription,
  unread: readonly string[],
  outcome: SlotOutcome,
): Promise<void> {
  const { anchors } = services;
  const slots = Number((await anchors.read(id, ANCHOR))?.content ?? 0);
  // A message in between has said it.
  const isEnded = unread.length === 0 || (outcome !== 'quiet' && slots < SLOTS);
  if (isEnded && slots > 0) await anchors.drop(id, ANCHOR);
  if (isEnded || slots >= SLOTS) return;
  if (slots + 1 === SLOTS) {
    const more = unread.length - MOST_LINES;
    await tellOrAdmins(
      services,
      owner,
      message(
        mrkdwn`${bold(report)} for <#${channel}> (subscription ${id}) could not read everything, ${SLOTS} times in a row. Its silence does not mean that all is well.`,
        ...unread.slice(0, MOST_LINES).map((line) => note(line)),
        more > 0 && note(`And ${more} more.`),
        note('It is tried again at its next times. This is said once, until all can be read.'),
      ),
    );
  }
  await anchors.set(id, ANCHOR, { ts: '', content: String(slots + 1) });
}

type Ledger = Pick<ReportServices, 'ledger'>;

export interface ClaimedSlot {
  subscription: Subscription;
  claim: Claim;
  signal: AbortSignal;
}

interface Making extends ClaimedSlot {
  report: AnyReport;
  reading: Reading;
  from: Date;
  to: Date;
  known: Incident | undefined;
  dismissals: Dismissals;
}

/** Throws what went wrong. */
export async function makeReport(services: ReportServices, claimed: ClaimedSlot): Promise<SlotOutcome> {
  const { subscription, claim } = claimed;
  const report = services.reports.find(({ name }) => name === subscription.report);
  if (report === undefined) throw new Error(`there is no report ${subscription.report}`);
  const reading: Reading = { locale: subscription.locale, timezone: subscription.timezone };
  const to = new Date(claim.slot.getTime() - (report.window?.lag ?? 0));
  const from = await startOf(services, report, subscription, to);
  const window = { ...claimed, report, reading, from, to };
  // A muted report is not even made.
  if (subscription.muted?.until !== undefined && (await isMuted(services, subscription)))
    return settle(services, window, { state: 'muted' });
  await replyAgain(services, claimed);
  const known = report.troubles === undefined ? undefined : await readIncident(services, subscription.id);
  const dismissals = report.troubles === undefined ? {} : await readDismissals(services, subscription.id);
  const making: Making = { ...window, known, dismissals };
  const { news, unread } = from < to ? await collectSince(services, making, from) : { news: undefined, unread: [] };
  const outcome = await toldOrFollowed(services, making, news);
  if (report.unread !== undefined) await sayUnread(services, subscription, unread, outcome);
  return outcome;
}

async function toldOrFollowed(services: ReportServices, making: Making, news: News | undefined): Promise<SlotOutcome> {
  const { known, dismissals, from, to } = making;
  const troubles = news === undefined ? [] : news.troubles;
  if (troubles === undefined) return tell(services, making, news);
  const step = incidentStep(known, troubles, { from, to }, dismissals);
  if (step.is !== 'told') return follow(services, making, step, news);
  const incident =
    known === undefined ? await withReturns(services, making.subscription.id, step.incident) : step.incident;
  const whole = incident.from < from ? await newsSince(services, making, incident.from) : news;
  return tell(services, making, whole, incident);
}

export async function isLate({ ledger }: Ledger, slot: Date, told?: (seconds: number) => void): Promise<boolean> {
  const late = (await ledger.now()).getTime() - slot.getTime();
  told?.(late / 1_000);
  return late > 5 * MINUTE;
}

/** Unless nobody wants them now. `incident` begins with them. */
async function tell(
  services: ReportServices,
  making: Making,
  news: News | undefined,
  incident?: Incident,
): Promise<SlotOutcome> {
  const { subscription } = making;
  if (news === undefined) return settle(services, making, { state: 'quiet' });
  const { fingerprint } = news;
  const isChanged = incident !== undefined || fingerprint !== subscription.muted?.fingerprint;
  if (await isMuted(services, subscription, isChanged)) return settle(services, making, { state: 'muted' });
  const shown =
    incident === undefined ? news.message : openMessage(news.message, await besideOf(services, making, incident));
  return send(services, making, { ...news, message: await annotated(services, shown, making) }, incident);
}

async function send(
  services: ReportServices,
  making: Making,
  news: News,
  incident: Incident | undefined,
): Promise<SlotOutcome> {
  const { subscription, claim, to, signal, known } = making;
  if (incident !== undefined) await intendIncident(services, subscription.id, incident);
  const since = (start: Date) => newsSince(services, making, start);
  const delivered = await deliver(services, { subscription, claim, news, to, signal, since });
  const { state, ts, since: told, thread } = delivered;
  if (incident !== undefined) {
    const start = new Date(Math.min(incident.from.getTime(), (told ?? incident.from).getTime()));
    await keepIncident(services, subscription.id, { ...incident, ts, from: start, thread: thread ?? ts });
    // Nothing is left to press in its last message.
    if (known !== undefined && known.ts !== ts) {
      const isOver = to.getTime() - known.last.getTime() >= overAfter(known);
      const text = isOver ? overMessage(known, undefined, making.reading) : overtakenMessage(known);
      await updateMessage(services, making, text, known).catch((error: unknown) =>
        services.log.warn(
          { err: error, subscription: subscription.id },
          'an older message could not be brought up to date',
        ),
      );
    }
  }
  return settle(services, making, { state, ts, fingerprint: news.fingerprint });
}

async function follow(
  services: ReportServices,
  making: Making,
  step: IncidentStep,
  latest: News | undefined,
): Promise<SlotOutcome> {
  const { subscription, to } = making;
  const { id } = subscription;
  if (step.is === 'healthy') return settle(services, making, { state: 'quiet' });
  const { incident } = step;
  const isEnd = step.is === 'over' || step.is === 'usual' || step.is === 'dismissed';
  if (await isMuted(services, subscription, isEnd)) {
    await keepIncident(services, id, { ...incident, next: to });
    return settle(services, making, { state: 'muted' });
  }
  if (step.is === 'kept') {
    await keepIncident(services, id, incident);
    return settle(services, making, { state: 'quiet' });
  }
  // Dismissed troubles are shown once more, in the last words on them.
  const shown = step.is === 'dismissed' ? { ...making, dismissals: {} } : making;
  const news = await newsSince(services, shown, incident.from);
  const text = await incidentMessage(services, making, step, news?.message);
  // An edit notifies nobody: the reply comes first.
  if (text !== undefined) await replyToIncident(services, making, step, step.is === 'worse' ? latest : news);
  const isThere = text !== undefined && (await updateMessage(services, making, text, incident));
  // Its message was deleted: what goes on is told anew.
  if (!isThere && !isEnd && text !== undefined) return send(services, making, { ...news!, message: text }, incident);
  if (isEnd || !isThere) await endIncident(services, id, step.is === 'over' ? incident : undefined);
  else await keepIncident(services, id, incident);
  return settle(services, making, isThere ? { state: 'updated', ts: incident.ts } : { state: 'quiet' });
}

/** In its thread: that it is over, with the tables, or that it is worse. */
async function replyToIncident(
  services: ReportServices,
  making: Making,
  { is, incident }: Exclude<IncidentStep, { is: 'healthy' }>,
  news: News | undefined,
): Promise<void> {
  const { thread } = incident;
  if (thread === undefined) return;
  const isInLogs = Object.keys(failingSince(incident)).length > 0;
  const reply =
    is === 'over'
      ? message(overMessage(incident, undefined, making.reading), isInLogs && news?.details)
      : is === 'worse' && news !== undefined
        ? message(note('Now it is twice as bad as was told:'), headOf(news.message))
        : undefined;
  if (reply !== undefined) await replyBeside(services, making, reply, { thread, key: is });
}

/** For a zone that was told for its statistics alone logs say nothing yet. */
export const failingSince = ({ zones, kinds }: Pick<Incident, 'zones' | 'kinds'>): Record<string, number> =>
  Object.fromEntries(
    Object.entries(zones)
      .filter(([zone]) =>
        kinds.some((kind) => kind.startsWith(`${zone}:`) && !kind.startsWith(`${zone}:${STATISTICS}`)),
      )
      .map(([zone, { since }]) => [zone, since]),
  );

const newsSince = async (services: ReportServices, making: Making, from: Date) =>
  (await collectSince(services, making, from)).news;

function collectSince({ collect }: ReportServices, making: Making, from: Date): Promise<Collected> {
  const { report, subscription, to, known, dismissals, reading, signal } = making;
  const window = { from, to, known: known && failingSince(known), dismissed: sizesOf(dismissals) };
  return collect(report, subscription, window, reading, signal);
}

type Window = Pick<Making, 'claim' | 'from' | 'to'>;

async function settle(services: Ledger, { claim, from, to }: Window, settlement: Settlement): Promise<SlotOutcome> {
  await services.ledger.settle(claim, { from, to, ...settlement });
  return settlement.state;
}

/** The end of the last message, within the report's own bounds. */
async function startOf({ ledger }: Ledger, { window }: AnyReport, subscription: Subscription, to: Date): Promise<Date> {
  if (window === undefined) return new Date(to.getTime() - DAY);
  const covered = await ledger.coveredUntil(subscription.id);
  const earliest = to.getTime() - window.longest;
  return new Date(Math.max(earliest, covered?.getTime() ?? subscription.createdAt.getTime() - window.first));
}

/** Until a moment, or until the report says something else. */
async function isMuted(services: ReportServices, { id, muted }: Subscription, isChanged?: boolean): Promise<boolean> {
  const { ledger, subscriptions } = services;
  if (muted === undefined) return false;
  const ended = muted.until === undefined ? isChanged : muted.until <= (await ledger.now());
  if (ended) await subscriptions.unmute(id);
  return !ended;
}

/** When it is late, and for how many slots it stands. */
async function annotated(
  services: Ledger,
  news: Message,
  { subscription: { id }, claim: { slot }, reading }: Making,
): Promise<Message> {
  const late = await isLate(services, slot);
  const folded = await services.ledger.folded(id, slot);
  return message(
    news,
    late && note(`Late: this was due ${dayAndTime(slot, reading)}.`),
    folded > 0 && note(`It stands for ${folded} earlier ${folded === 1 ? 'one' : 'ones'} too.`),
  );
}

async function besideOf(services: ReportServices, making: Making, incident: Incident): Promise<Beside> {
  const { subscription, reading } = making;
  const [taken, changes] = await Promise.all([
    readTaken(services, subscription.id, incident),
    services.changesBefore?.(subscription, incident.zones) ?? ([] as readonly Words[]),
  ]);
  return { subscription: subscription.id, taken, changes, reading };
}

/** Undefined: nothing is left to say. */
async function incidentMessage(
  services: ReportServices,
  making: Making,
  { is, incident }: Exclude<IncidentStep, { is: 'healthy' }>,
  news: Message | undefined,
): Promise<Message | undefined> {
  const { reading, dismissals, subscription } = making;
  if (is === 'over') return overMessage(incident, await readTaken(services, subscription.id, incident), reading);
  if (news === undefined) return undefined;
  if (is === 'dismissed') return dismissedMessage(news, { incident, dismissals, subscription: subscription.id });
  if (is === 'usual') return usualMessage(news, incident, reading);
  const next = note(`This goes on. The message is brought up to date next after ${time(incident.next, reading)}.`);
  return openMessage(news, await besideOf(services, making, incident), next);
}
