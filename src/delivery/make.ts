import { dayAndTime, type Reading } from '../blocks/format.ts';
import { type Message, message, note } from '../blocks/message.ts';
import { bold, clockOf, mrkdwn } from '../blocks/mrkdwn.ts';
import { PostRefusedError } from '../reports/post.ts';
import type { AnyReport } from '../reports/report.ts';
import { tellOrAdmins } from '../reports/stand-ins.ts';
import { nextSlots } from '../schedule/cron.ts';
import type { Settlement, SlotOutcome } from '../store/report-ledger.ts';
import type { Subscription } from '../store/subscriptions.ts';
import { DAY, MINUTE } from '../time.ts';
import type { Collected, News } from './collect.ts';
import { type ClaimedSlot, deliver, LostClaimError, replyAgain, replyBeside, updateMessage } from './deliver.ts';
import { type Dismissals, endTaken, readDismissals, readTaken } from './dismissals.ts';
import {
  failingSince,
  type Incident,
  type IncidentStep,
  incidentSteps,
  isGoingOn,
  keepIncidents,
  openIncidents,
  readIncidents,
  toldZones,
} from './incident.ts';
import {
  addressOf,
  againReply,
  type Beside,
  dismissedMessage,
  joinedReply,
  openMessage,
  overMessage,
  overReply,
  overtakenMessage,
  usualMessage,
} from './incident-message.ts';
import type { ReportServices } from './services.ts';

const SLOTS = 3;
const MOST_LINES = 5;

const ANCHOR = 'unread';
export const DOUBTS = 'doubts';

/** Tells the owner once if several slots in a row could not be read, because silence looks like health. */
async function sayUnread(
  services: ReportServices,
  { id, report, channel, owner }: Subscription,
  unread: readonly string[],
  outcome: SlotOutcome,
): Promise<void> {
  const { anchors } = services;
  const slots = (await anchors.read<number>(id, ANCHOR)) ?? 0;
  // A message in between has mentioned it.
  const isEnded = unread.length === 0 || (outcome !== 'quiet' && slots < SLOTS);
  if (isEnded && slots > 0) await anchors.drop(id, ANCHOR);
  if (isEnded || slots >= SLOTS) return;
  if (slots + 1 === SLOTS) {
    const more = unread.length - MOST_LINES;
    await tellOrAdmins(
      services,
      owner,
      message(
        mrkdwn`${bold(report)} for <#${channel}> (subscription ${id}) could not read everything, ${SLOTS} times in a row. Even if it’s silent, something may be broken.`,
        ...unread.slice(0, MOST_LINES).map((line) => note(line)),
        more > 0 && note(`And ${more} more.`),
        note('I’ll keep trying on schedule. I won’t repeat this warning until it can read everything again.'),
      ),
    );
  }
  await anchors.set(id, ANCHOR, slots + 1);
}

type Ledger = Pick<ReportServices, 'ledger'>;

interface Making extends ClaimedSlot {
  report: AnyReport;
  reading: Reading;
  from: Date;
  to: Date;
  incidents: readonly Incident[];
  /** All incidents as they are after this slot, of which some may be newer than the one that is told. */
  present?: readonly Incident[];
  dismissals: Dismissals;
  last?: string | undefined;
}

export async function makeReport(services: ReportServices, claimed: ClaimedSlot): Promise<SlotOutcome> {
  const { subscription, claim } = claimed;
  const report = services.reports.find(({ name }) => name === subscription.report);
  if (report === undefined) throw new Error(`there is no report ${subscription.report}`);
  const reading: Reading = { locale: subscription.locale, timezone: subscription.timezone };
  const to = new Date(claim.slot.getTime() - (report.window?.lag ?? 0));
  const from = await startOf(services, report, subscription, to);
  const window = { ...claimed, report, reading, from, to };
  // A muted report is not even collected.
  if (subscription.muted?.until !== undefined && (await isMuted(services, subscription)))
    return settle(services, window, { state: 'muted' });
  await replyAgain(services, claimed);
  const incidents = report.troubles === undefined ? [] : await readIncidents(services, subscription.id);
  const dismissals = report.troubles === undefined ? {} : await readDismissals(services, subscription.id);
  const last = report.state && (await services.ledger.lastFingerprint(subscription.id));
  const making: Making = { ...window, incidents, dismissals, last };
  const collected = from < to ? await collectSince(services, making, from) : undefined;
  const fingerprint = collected?.state;
  claim.fingerprint = fingerprint;
  const { isMore, ...settlement } = await toldOrFollowed(services, making, collected);
  const outcome = await settle(services, making, { fingerprint, ...settlement });
  if (report.unread !== undefined) await sayUnread(services, subscription, collected?.unread ?? [], outcome);
  if (report.doubts !== undefined)
    await services.anchors.set(subscription.id, DOUBTS, { at: to.getTime(), doubts: collected?.doubts ?? [] });
  if (isMore || collected?.doubts?.some(({ isNew }) => isNew)) await lookAgain(services, subscription);
  return outcome;
}

/** After a minute, unless the next slot is as soon. */
async function lookAgain({ ledger }: Ledger, subscription: Subscription): Promise<void> {
  const now = await ledger.now();
  const slot = new Date(Math.floor(now.getTime() / MINUTE + 1) * MINUTE);
  const [next = Number.POSITIVE_INFINITY] = nextSlots(subscription.cron, subscription.timezone, now.getTime(), 1);
  if (slot.getTime() < next) await ledger.open(subscription, [{ slot, state: 'due', notBefore: slot }]);
}

async function toldOrFollowed(
  services: ReportServices,
  making: Making,
  collected: Collected | undefined,
): Promise<Settlement & { isMore?: boolean }> {
  const { report, subscription, to, incidents, dismissals } = making;
  const troubles = collected === undefined ? [] : collected.troubles;
  if (report.troubles === undefined || troubles === undefined) return tell(services, making, collected?.news());
  const { begun, isMore, steps } = incidentSteps(incidents, troubles, to, dismissals);
  const others = steps.flatMap(({ is, incident }) => (is === 'overtaken' ? [] : incident));
  const all = steps.map(({ incident }) => incident);
  // As they are told so far. Whoever has to do this slot again finds the rest again.
  let kept: readonly Incident[] = incidents.filter(({ ts }) => all.some((one) => one.ts === ts));
  const keep = async (now: readonly Incident[]) => {
    kept = now;
    await keepIncidents(services, subscription.id, kept);
  };
  const tellOf = async (told: Incident) => {
    if (collected === undefined) return undefined;
    const now = { ...making, incidents: kept, present: others };
    const settled = await tell(services, now, collected.news(zonesOf(told)), { told, known: all, collected });
    if (settled.incident !== undefined) await keep([settled.incident, ...kept.filter(({ ts }) => ts !== settled.ts)]);
    return settled;
  };
  let settlement = begun && (await tellOf(begun));
  const present = [settlement?.incident ?? [], others].flat();
  let state: SlotOutcome = 'quiet';
  for (const step of steps) {
    const { incident } = step;
    // If one message tells several incidents, it belongs to the new one.
    if (incident.ts === settlement?.ts) continue;
    const after = (now?: Incident) => kept.flatMap((one) => (one.ts === incident.ts ? (now ?? []) : one));
    const telling = { collected, keep: (now: Incident) => keep(after(now)) };
    const followed = await follow(services, { ...making, present }, step, telling);
    if (followed.state === 'gone' && settlement === undefined)
      settlement = await tellOf({ ...incident, ts: '', thread: undefined });
    kept = after(followed.incident);
    if (followed.state !== 'gone' && followed.state !== 'quiet') state = followed.state;
  }
  await keep(kept);
  return { ...(settlement ?? { state }), isMore };
}

const zonesOf = ({ zones }: Incident): ReadonlySet<string> => new Set(Object.keys(zones));

interface Telling {
  told: Incident;
  known: readonly Incident[];
  collected: Collected;
}

/** Posts a report, unless it is muted. */
async function tell(
  services: ReportServices,
  making: Making,
  news: News | undefined,
  telling?: Telling,
): Promise<Settlement & { incident?: Incident }> {
  const { subscription } = making;
  if (news === undefined) return { state: 'quiet' };
  const { fingerprint } = news;
  const isChanged = telling !== undefined || fingerprint !== subscription.muted?.fingerprint;
  if (await isMuted(services, subscription, isChanged)) return { state: 'muted' };
  const shownOf = async (said: Message, of?: Incident) =>
    annotated(services, of ? openMessage(said, await besideOf(services, making, of)) : said, making);
  const shown = { ...news, message: await shownOf(news.message, telling?.told) };
  if (telling !== undefined) await keepIncidents(services, subscription.id, [telling.told, ...making.incidents]);
  /** Used if there may be no new message. */
  const withLast = async ({ slot, from, ts }: { slot: Date; from: Date; ts: string }) => {
    if (telling === undefined) {
      const last = making.report.state && (await services.ledger.lastFingerprint(subscription.id, slot));
      return (await collectSince(services, { ...making, last }, from)).news();
    }
    const merged = mergedWith(telling, ts);
    const both = telling.collected.news(zonesOf(merged));
    return both && { ...both, message: await shownOf(both.message, merged) };
  };
  const settlement = await deliver(services, { ...making, news: shown, withLast });
  const settled = { ...settlement, fingerprint };
  if (telling === undefined) return settled;
  const { ts } = settlement;
  const incident = mergedWith(telling, ts);
  // An edit notifies nobody.
  if (settlement.state === 'updated') {
    const reply = joinedReply(
      shown.message,
      subscription,
      await readTaken(services, subscription.id, { ...incident, ts }),
    );
    const isBroadcast = telling.known.find((one) => one.ts === ts)?.hasJoined !== true;
    await replyBeside(services, making, reply, { thread: incident.thread ?? ts, key: 'joined', isBroadcast });
  }
  return { ...settled, incident: { ...incident, ts, thread: incident.thread ?? ts } };
}

function mergedWith({ told, known }: Telling, ts: string): Incident {
  const last = known.find((one) => one.ts === ts);
  if (last === undefined) return told;
  return {
    ...last,
    over: undefined,
    hasJoined: true,
    kinds: [...new Set([...told.kinds, ...last.kinds])],
    said: { ...told.said, ...last.said },
    zones: { ...last.zones, ...told.zones },
  };
}

/** Edits the message of an incident. Without `incident` it is forgotten. `gone`: the message was deleted, and the incident goes on. */
async function follow(
  services: ReportServices,
  making: Making,
  step: IncidentStep,
  { collected, keep }: { collected: Collected | undefined; keep(now: Incident): Promise<void> },
): Promise<{ state: SlotOutcome | 'gone'; incident?: Incident | undefined }> {
  const { subscription, incidents, reading } = making;
  const { is, incident, recovered = [] } = step;
  const lasts = is === 'updated' || is === 'again';
  const isChanged = is !== 'updated' && is !== 'kept';
  if (await isMuted(services, subscription, isChanged)) {
    const before = incidents.find(({ ts }) => ts === incident.ts);
    return { state: 'muted', incident: isChanged && !lasts ? before : incident };
  }
  if (is === 'kept') return { state: 'quiet', incident };
  const beside = await besideOf(services, making, incident);
  const { taken } = beside;
  const text = messageOf(making, step, { collected, beside });
  if (text === undefined) return { state: 'quiet', incident: lasts ? incident : undefined };
  const end = recovered.length > 0 ? overReply(incident, recovered, taken, reading) : undefined;
  const reply = is === 'again' ? againReply(text) : end;
  const { ts, thread } = incident;
  // The reply comes first, because an edit notifies nobody.
  const replied = { ...incident, over: undefined };
  if (reply !== undefined && thread !== undefined) {
    await replyBeside(services, making, reply, { thread, key: `${is}:${ts}:${recovered}`, isBroadcast: true });
    await keep(replied);
  }
  const edited = await updateMessage(services, making, text, ts).catch(unedited(services, making));
  if (edited === 'later') return { state: 'quiet', incident: replied };
  if (!lasts && taken !== undefined) await endTaken(services, subscription.id, ts);
  if (edited === false && lasts) return { state: 'gone' };
  return { state: edited === true ? 'updated' : 'quiet', incident: lasts || is === 'over' ? incident : undefined };
}

/** `later`: the next slot edits it. Throws if this slot has to be done again. */
const unedited =
  ({ log }: ReportServices, { subscription, signal }: Making) =>
  (error: unknown): 'no' | 'later' => {
    const means = error instanceof PostRefusedError ? error.means : 'later';
    if (error instanceof LostClaimError || signal.aborted || means === 'channel gone') throw error;
    log.warn({ err: error, subscription: subscription.id }, 'the message of an incident is not up to date');
    return means === 'no' ? means : 'later';
  };

/** Undefined: nothing is left to say. */
function messageOf(
  { reading, dismissals, subscription }: Making,
  { is, incident }: IncidentStep,
  { collected, beside }: { collected: Collected | undefined; beside: Beside },
): Message | undefined {
  if (is === 'over') return overMessage(incident, beside.taken, reading);
  if (is === 'overtaken') return overtakenMessage(incident, beside);
  if (is === 'dismissed') return dismissedMessage(incident, dismissals, subscription.id);
  const news = collected?.news(zonesOf(incident))?.message;
  if (news === undefined) return undefined;
  if (is === 'usual') return usualMessage(news, incident, reading);
  return openMessage(news, beside);
}

async function collectSince(services: ReportServices, making: Making, from: Date): Promise<Collected> {
  const { report, subscription, to, incidents, dismissals, last, reading, signal } = making;
  // What fails when it is first looked at may have been told elsewhere, with its beginning.
  const isFirst = from < subscription.createdAt;
  const elsewhere = isFirst ? [...(await openIncidents(services)).values()].flat() : [];
  const known = failingSince([...elsewhere, ...incidents]);
  // What was told since then is told until its end.
  const isTold = (key: string, at: number) =>
    incidents.some((one) => isGoingOn(one) && one.kinds.includes(key) && at < one.from);
  const dismissed = Object.fromEntries(
    Object.entries(dismissals).flatMap(([key, { size, at }]) => (isTold(key, at) ? [] : [[key, size]])),
  );
  const window = { from, to, known, told: toldZones(incidents, to.getTime()), dismissed, last };
  return services.collect(report, subscription, window, reading, signal);
}

type Window = Pick<Making, 'claim' | 'from' | 'to'>;

async function settle(services: Ledger, { claim, from, to }: Window, settlement: Settlement): Promise<SlotOutcome> {
  await services.ledger.settle(claim, { from, to, ...settlement });
  return settlement.state;
}

/** Where the last message ended, within the bounds of the report. */
async function startOf({ ledger }: Ledger, { window }: AnyReport, subscription: Subscription, to: Date): Promise<Date> {
  if (window === undefined) return new Date(to.getTime() - DAY);
  const covered = await ledger.coveredUntil(subscription.id);
  const earliest = to.getTime() - window.longest;
  return new Date(Math.max(earliest, covered?.getTime() ?? subscription.createdAt.getTime() - window.first));
}

/** A mute lasts until a moment, or until the report changes. */
async function isMuted(services: ReportServices, { id, muted }: Subscription, isChanged?: boolean): Promise<boolean> {
  const { ledger, subscriptions } = services;
  if (muted === undefined) return false;
  const ended = muted.until === undefined ? isChanged : muted.until <= (await ledger.now());
  if (ended) await subscriptions.unmute(id);
  return !ended;
}

/** Notes that a report is late, or stands for earlier slots. */
async function annotated(
  services: Ledger,
  news: Message,
  { subscription: { id }, claim: { slot }, reading, isLate }: Making,
): Promise<Message> {
  const [first, ...more] = await services.ledger.folded(id, slot);
  const which = more.length === 0 ? 'the report due at' : `the ${more.length + 1} reports due since`;
  return message(
    news,
    isLate && note(`Late: this was due ${dayAndTime(slot, reading)}.`),
    first && note(mrkdwn`This also covers ${which} ${clockOf(first, reading, slot)}.`),
  );
}

async function besideOf(
  services: ReportServices,
  { subscription, present = [], reading }: Making,
  incident: Incident,
): Promise<Beside> {
  const failing = Object.entries(incident.zones).filter(([, { isOver }]) => isOver !== true);
  const [taken, changes] = await Promise.all([
    readTaken(services, subscription.id, incident),
    isGoingOn(incident) ? services.changesAround?.(subscription, Object.fromEntries(failing)) : undefined,
  ]);
  const [zone] = Object.keys(incident.zones);
  return {
    ...{ subscription: subscription.id, zone, taken, changes, reading },
    others: present
      .filter((one) => isGoingOn(one) && one.ts !== incident.ts)
      .map((one) => ({ incident: one, address: addressOf(services, subscription.channel, one.ts) })),
  };
}
