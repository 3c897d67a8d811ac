import { dayAndTime, type Reading } from '../blocks/format.ts';
import { type Message, message, note } from '../blocks/message.ts';
import { bold, clockOf, mrkdwn } from '../blocks/mrkdwn.ts';
import { PostRefusedError } from '../reports/post.ts';
import type { Doubt, Seen } from '../reports/report.ts';
import { tellOrAdmins } from '../reports/stand-ins.ts';
import { nextSlots } from '../schedule/cron.ts';
import type { Settlement, SlotOutcome } from '../store/report-ledger.ts';
import type { Subscription } from '../store/subscriptions.ts';
import { DAY, MINUTE } from '../time.ts';
import type { Collected, News } from './collect.ts';
import { type ClaimedSlot, deliver, LostClaimError, replyAgain, replyBeside, updateMessage } from './deliver.ts';
import { endTaken, readDismissals, readTaken } from './dismissals.ts';
import {
  endedZones,
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

/** The last look of a subscription at its zones, in Unix milliseconds. */
export interface Look {
  at: number;
  doubts: readonly Doubt[];
  seen: Readonly<Record<string, Seen>>;
}

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

export async function makeReport(services: ReportServices, claimed: ClaimedSlot): Promise<SlotOutcome> {
  const { ledger, anchors, subscriptions, log } = services;
  const { subscription, claim, signal, isLate } = claimed;
  const { id, muted } = subscription;
  const { slot } = claim;
  const report = services.reports.find(({ name }) => name === subscription.report) ?? missing(subscription);
  const reading: Reading = { locale: subscription.locale, timezone: subscription.timezone };
  const to = new Date(slot.getTime() - (report.window?.lag ?? 0));
  const from = await startOf();
  // A muted report is not even collected.
  if (muted?.until !== undefined && (await isMuted())) return settle({ state: 'muted' });
  await replyAgain(services, claimed);
  const incidents = report.troubles === undefined ? [] : await readIncidents(services, id);
  const dismissals = report.troubles === undefined ? {} : await readDismissals(services, id);
  const last = report.state && (await ledger.lastFingerprint(id));
  const collected = from < to ? await collectSince(from, last) : undefined;
  const fingerprint = collected?.state;
  claim.fingerprint = fingerprint;
  const { isMore, ...settlement } = await toldOrFollowed();
  const outcome = await settle({ fingerprint, ...settlement });
  if (report.unread !== undefined) await sayUnread(services, subscription, collected?.unread ?? [], outcome);
  if (collected?.doubts !== undefined) {
    const { doubts, seen = {} } = collected;
    await anchors.set(id, DOUBTS, { at: to.getTime(), doubts, seen } satisfies Look);
  }
  if (isMore || collected?.doubts?.some(({ isNew }) => isNew)) await lookAgain();
  return outcome;

  /** Where the last message ended, within the bounds of the report. */
  async function startOf(): Promise<Date> {
    const { window } = report;
    if (window === undefined) return new Date(to.getTime() - DAY);
    const covered = await ledger.coveredUntil(id);
    const earliest = to.getTime() - window.longest;
    return new Date(Math.max(earliest, covered?.getTime() ?? subscription.createdAt.getTime() - window.first));
  }

  /** A mute lasts until a moment, or until the report changes. */
  async function isMuted(isChanged?: boolean): Promise<boolean> {
    if (muted === undefined) return false;
    const ended = muted.until === undefined ? isChanged : muted.until <= (await ledger.now());
    if (ended) await subscriptions.mute(id);
    return !ended;
  }

  async function settle(how: Settlement): Promise<SlotOutcome> {
    await ledger.settle(claim, { from, to, ...how });
    return how.state;
  }

  /** After a minute, unless the next slot is as soon. */
  async function lookAgain(): Promise<void> {
    const now = await ledger.now();
    const again = new Date(Math.floor(now.getTime() / MINUTE + 1) * MINUTE);
    const [next = Number.POSITIVE_INFINITY] = nextSlots(subscription.cron, subscription.timezone, now.getTime(), 1);
    if (again.getTime() < next) await ledger.open(subscription, [{ slot: again, state: 'due', notBefore: again }]);
  }

  async function collectSince(since: Date, seen: string | undefined): Promise<Collected> {
    // What fails when it is first looked at may have been told elsewhere, with its beginning.
    const isFirst = since < subscription.createdAt;
    const elsewhere = isFirst ? (await openIncidents(services)).map(({ incident }) => incident) : [];
    const known = failingSince([...elsewhere, ...incidents]);
    // What was told again after a dismissal is told until its end.
    const isTold = (key: string, at: number) =>
      incidents.some((one) => isGoingOn(one) && one.kinds.includes(key) && at < one.from);
    const dismissed = Object.fromEntries(
      Object.entries(dismissals).flatMap(([key, { size, at }]) => (isTold(key, at) ? [] : [[key, size]])),
    );
    const ended = endedZones(incidents, to.getTime());
    const told = toldZones(incidents, to.getTime());
    const window = { from: since, to, known, told, ended, dismissed, last: seen, cron: subscription.cron };
    return services.collect(report, subscription, window, reading, signal);
  }

  async function toldOrFollowed(): Promise<Settlement & { isMore?: boolean }> {
    const troubles = collected === undefined ? [] : collected.troubles;
    if (report.troubles === undefined || troubles === undefined) return tell(collected?.news());
    const { begun, isMore, steps } = incidentSteps(incidents, troubles, to, dismissals);
    const others = steps.flatMap(({ is, incident }) => (is === 'overtaken' ? [] : incident));
    const known = steps.map(({ incident }) => incident);
    // As told so far. Whoever has to do this slot again finds the rest again.
    let kept: readonly Incident[] = incidents.filter(({ ts }) => known.some((one) => one.ts === ts));
    const keep = async (now: readonly Incident[]) => {
      kept = now;
      await keepIncidents(services, id, kept);
    };
    const tellOf = async (told: Incident) => {
      if (collected === undefined) return undefined;
      const settled = await tell(collected.news(zonesOf(told)), { told, known, kept, others, collected });
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
      const followed = await follow(step, present, (now) => keep(after(now)));
      if (followed.state === 'gone' && settlement === undefined) settlement = await tellOf({ ...incident, ts: '' });
      kept = after(followed.incident);
      if (followed.state !== 'gone' && followed.state !== 'quiet') state = followed.state;
    }
    await keep(kept);
    return { ...(settlement ?? { state }), isMore };
  }

  /** Posts a report, unless it is muted. */
  async function tell(news: News | undefined, telling?: Telling): Promise<Settlement & { incident?: Incident }> {
    if (news === undefined) return { state: 'quiet' };
    const isChanged = telling !== undefined || news.fingerprint !== muted?.fingerprint;
    if (await isMuted(isChanged)) return { state: 'muted' };
    const shownOf = async (said: Message, of?: Incident) =>
      annotated(of ? openMessage(said, await besideOf(of, telling?.others)) : said);
    const shown = { ...news, message: await shownOf(news.message, telling?.told) };
    if (telling !== undefined) await keepIncidents(services, id, [telling.told, ...telling.kept]);
    /** Used where a new message is not allowed. */
    const withLast = async (before: { slot: Date; from: Date; ts: string }) => {
      if (telling === undefined) {
        const seen = report.state && (await ledger.lastFingerprint(id, before.slot));
        return (await collectSince(before.from, seen)).news();
      }
      const merged = mergedWith(telling, before.ts);
      const both = telling.collected.news(zonesOf(merged));
      return both && { ...both, message: await shownOf(both.message, merged) };
    };
    const delivered = await deliver(services, { ...claimed, news: shown, withLast });
    const settled = { ...delivered, fingerprint: news.fingerprint };
    if (telling === undefined) return settled;
    const { ts } = delivered;
    const incident = { ...mergedWith(telling, ts), ts };
    // An edit notifies nobody.
    if (delivered.state === 'updated') {
      const reply = joinedReply(shown.message, subscription, await readTaken(services, id, incident));
      const isBroadcast = telling.known.find((one) => one.ts === ts)?.hasJoined !== true;
      await replyBeside(services, claimed, reply, { thread: ts, key: 'joined', isBroadcast });
    }
    return { ...settled, incident };
  }

  /** Edits the message of an incident. Without `incident` it is forgotten. `gone`: the message was deleted, and the incident goes on. */
  async function follow(step: IncidentStep, present: readonly Incident[], keep: Keep): Promise<Followed> {
    const { is, incident } = step;
    const isEnding = !lasts(step) && is !== 'kept';
    if (await isMuted(isEnding || is === 'again'))
      return { state: 'muted', incident: isEnding ? incidents.find(({ ts }) => ts === incident.ts) : incident };
    if (is === 'kept') return { state: 'quiet', incident };
    const beside = await besideOf(incident, present);
    const text = messageOf(step, beside);
    if (text === undefined) return { state: 'quiet', incident: isEnding ? undefined : incident };
    return edit(step, text, beside, keep);
  }

  async function edit(step: IncidentStep, text: Message, { taken, changes }: Beside, keep: Keep): Promise<Followed> {
    const { is, incident, recovered = [] } = step;
    const { ts } = incident;
    const replied = { ...incident, over: undefined };
    const end = recovered.length > 0 ? overReply(incident, recovered, taken, reading) : undefined;
    const reply = is === 'again' ? againReply(text, changes, addressOf(services, subscription.channel, ts)) : end;
    // The reply comes first, because an edit notifies nobody.
    if (reply !== undefined) {
      await replyBeside(services, claimed, reply, { thread: ts, key: `${is}:${ts}:${recovered}`, isBroadcast: true });
      await keep(replied);
    }
    const edited = await updateMessage(services, claimed, text, ts).catch(unedited);
    if (edited === 'later') return { state: 'quiet', incident: replied };
    if (!lasts(step) && taken !== undefined) await endTaken(services, id, ts);
    if (edited === false && lasts(step)) return { state: 'gone' };
    const isKept = lasts(step) || is === 'over';
    return { state: edited === true ? 'updated' : 'quiet', incident: isKept ? incident : undefined };
  }

  /** `later`: the next slot edits it. Throws if this slot has to be done again. */
  function unedited(error: unknown): 'no' | 'later' {
    const means = error instanceof PostRefusedError ? error.means : 'later';
    if (error instanceof LostClaimError || signal.aborted || means === 'channel gone') throw error;
    log.warn({ err: error, subscription: id }, 'the message of an incident is not up to date');
    return means === 'no' ? means : 'later';
  }

  /** Undefined: nothing is left to say. */
  function messageOf({ is, incident }: IncidentStep, beside: Beside): Message | undefined {
    if (is === 'over') return overMessage(incident, beside.taken, reading);
    if (is === 'overtaken') return overtakenMessage(incident, beside);
    if (is === 'dismissed') return dismissedMessage(incident, dismissals, id);
    const news = collected?.news(zonesOf(incident))?.message;
    if (news === undefined) return undefined;
    if (is === 'usual') return usualMessage(news, incident, reading);
    return openMessage(news, beside);
  }

  /** Notes that a report is late, or stands for earlier slots. */
  async function annotated(news: Message): Promise<Message> {
    const [first, ...more] = await ledger.folded(id, slot);
    const which = more.length === 0 ? 'the report due at' : `the ${more.length + 1} reports due since`;
    return message(
      news,
      isLate && note(`Late: this was due ${dayAndTime(slot, reading)}.`),
      first && note(mrkdwn`This also covers ${which} ${clockOf(first, reading, slot)}.`),
    );
  }

  /** `present`: all incidents as they are after this slot, of which some may be newer than this one. */
  async function besideOf(incident: Incident, present: readonly Incident[] = []): Promise<Beside> {
    const failing = Object.entries(incident.zones).filter(([, { isOver }]) => isOver !== true);
    const [taken, changes] = await Promise.all([
      readTaken(services, id, incident),
      isGoingOn(incident) ? services.changesAround?.(subscription, Object.fromEntries(failing)) : undefined,
    ]);
    const [zone] = Object.keys(incident.zones);
    return {
      ...{ subscription: id, zone, taken, changes, reading },
      others: present
        .filter((one) => isGoingOn(one) && one.ts !== incident.ts)
        .map((one) => ({ incident: one, address: addressOf(services, subscription.channel, one.ts) })),
    };
  }
}

type Keep = (now: Incident) => Promise<void>;
type Followed = { state: SlotOutcome | 'gone'; incident?: Incident | undefined };

const lasts = ({ is }: IncidentStep): boolean => is === 'updated' || is === 'again';

function missing({ report }: Subscription): never {
  throw new Error(`there is no report ${report}`);
}

const zonesOf = ({ zones }: Incident): ReadonlySet<string> => new Set(Object.keys(zones));

/** `known`: as they are after this slot; `others`: without those that a newer one has overtaken; `kept`: as they are told so far. */
interface Telling extends Record<'known' | 'kept' | 'others', readonly Incident[]> {
  told: Incident;
  collected: Collected;
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
