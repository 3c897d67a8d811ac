import { nothing } from '../blocks/message.ts';
import { moment, mrkdwn } from '../blocks/mrkdwn.ts';
import { ForbiddenError, logged } from '../errors.ts';
import type { NamesView } from '../operations/context.ts';
import type { Channels, ListedSubscription, ReportsView } from '../operations/reports-view.ts';
import { isWorse } from '../reports/dismissed.ts';
import { isGrave } from '../reports/report.ts';
import type { ZoneWatch } from '../reports/statistics-watch/findings.ts';
import { leadTo } from '../reports/statistics-watch/words.ts';
import { ACCOUNT } from '../reports/zone-hours.ts';
import { WATCH } from '../store/anchors.ts';
import type { Subscription } from '../store/subscriptions.ts';
import { DAY, MINUTE } from '../time.ts';
import {
  DISMISSED,
  type Dismissals,
  dismissIncident,
  endDismissals,
  readTaken,
  recentOf,
  takeIncident,
} from './dismissals.ts';
import {
  failingSince,
  type Incident,
  isGoingOn,
  measureOf,
  openIncidents,
  readIncidents,
  toldIncidents,
  toldZones,
} from './incident.ts';
import { addressOf, takenMessage, takenNote, undismissedMessage } from './incident-message.ts';
import { DOUBTS, type Look } from './make.ts';
import { nextSlotOf } from './scheduler.ts';
import type { ReportServices } from './services.ts';

type Services = Pick<
  ReportServices,
  'reports' | 'subscriptions' | 'ledger' | 'anchors' | 'collect' | 'poster' | 'refusalNow' | 'identity' | 'log'
> & {
  channels: Channels;
  names: Pick<NamesView, 'person'>;
  now: () => Date;
};

export function createReportsView(services: Services): ReportsView {
  const { reports, subscriptions, ledger, anchors, collect, poster, channels, names, now } = services;
  const named = async (subscription: Subscription, dismissed: Dismissals = {}): Promise<ListedSubscription> => ({
    ...subscription,
    dismissed: Object.values(recentOf(dismissed, now().getTime())).map(({ words }) => words),
    channelName: await channels.nameOf(subscription.channel),
    mutedByName: subscription.muted && ((await names.person(subscription.muted.by))?.name ?? subscription.muted.by),
  });

  const isOld = (at: number, minutes: number) => now().getTime() - at >= minutes * MINUTE;
  /** If it was minutes ago. */
  const asOf = (at: number) => (isOld(at, 2) ? new Date(at) : undefined);
  /** The last one of each subscription. */
  const looks = () => anchors.named<Look>(DOUBTS);
  /** Looks of the last five minutes, and one more, as a look takes up to a minute itself; the newest last. */
  const freshLooks = async () =>
    [...(await looks())]
      .map(([id, look]) => ({ id, ...look }))
      .filter(({ at }) => !isOld(at, 6))
      .sort((a, b) => a.at - b.at);

  /** `looked`: up to when its logs were read, in Unix milliseconds. */
  function seenOf(
    { last = Number.NaN, seen = last }: Record<'last' | 'seen', number | undefined>,
    measure: string | undefined,
    looked = last,
  ) {
    if (measure !== undefined) return { asOf: isOld(last, 5) ? new Date(last) : undefined };
    // Only a later look can say that nothing has failed since.
    const isPast = looked - last >= 2 * MINUTE || isOld(looked, 6);
    return { last: isPast ? new Date(seen) : undefined, asOf: asOf(looked), isUsual: seen > last };
  }

  /** Somebody has called it no problem since the last look, and the next one ends the incident unless it got worse. */
  const dismissedBy = async () => {
    const all = await anchors.named<Dismissals>(DISMISSED);
    return (id: number, { ts, said }: Pick<Incident, 'ts' | 'said'>, key: string) => {
      const known = all.get(id)?.[key];
      return known?.ts === ts && !isWorse(said[key]?.size, known.size);
    };
  };

  const troublesOf = ({ said, zones }: Pick<Incident, 'said' | 'zones'>, looked?: number) =>
    Object.entries(said).flatMap(([key, { words, size, last: until, seen: failed, lately: less, ...one }]) => {
      const zone = key.slice(0, key.indexOf(':'));
      const known = zones[zone];
      if (words === undefined || known === undefined || known.isOver === true) return [];
      const measure = measureOf(key);
      const seen = seenOf({ last: until, seen: failed }, measure, looked);
      // Only a look can say that nothing fails.
      const lately = less === 0 && looked === undefined && measure === undefined ? undefined : less;
      const share = seen.last || measure !== undefined ? undefined : (lately ?? size);
      const led = { zone: Number(zone), name: known.name ?? zone, since: known.since };
      const look = measure === undefined ? undefined : leadTo({ ...one, ...led, measure });
      const isMinor = !isGrave(size, measure);
      return [
        { ...one, key, zone, words, since: new Date(known.since), share, lately, ...seen, measure, isMinor, look },
      ];
    });

  return {
    all: () =>
      reports.map(({ name, summary, needs, schedule, args }) => ({
        ...{ name, summary, needs, schedule },
        thresholds: Object.fromEntries(Object.entries(args).filter(([, value]) => typeof value === 'number')),
      })),
    async subscriptions() {
      const [all, dismissed] = await Promise.all([subscriptions.list(), anchors.named<Dismissals>(DISMISSED)]);
      return Promise.all(all.map((one) => named(one, dismissed.get(one.id))));
    },
    subscribe: async (settings) => named(await subscriptions.add(settings, nextSlotOf(settings))),
    unsubscribe: (id) => subscriptions.end(id),
    async mute(id, until, by) {
      if (until !== 'changed') return subscriptions.mute(id, { until, by });
      return subscriptions.mute(id, { fingerprint: (await ledger.lastFingerprint(id)) ?? '', by });
    },
    unmute: (id) => subscriptions.mute(id),
    async incident(id, zone) {
      const open = (await readIncidents({ anchors }, id)).filter(isGoingOn);
      const chosen = open.filter(({ zones }) => zone === undefined || zone in zones);
      if (chosen.length === 0) return undefined;
      const looked = (await looks()).get(id)?.at;
      return chosen.flatMap((one) => troublesOf(one, looked));
    },
    async incidents() {
      const open = await openIncidents(services);
      if (open.length === 0) return [];
      const [seen, isDismissed] = await Promise.all([looks(), dismissedBy()]);
      return Promise.all(
        open.map(async ({ id, channel, incident: { ts, said, zones } }) => ({
          channelName: await channels.nameOf(channel),
          address: addressOf(services, channel, ts),
          by: (await readTaken(services, id, { ts, zones }))?.by,
          troubles: troublesOf({ said, zones }, seen.get(id)?.at).filter(
            ({ key }) => !isDismissed(id, { ts, said }, key),
          ),
        })),
      );
    },
    async doubts() {
      const dismissed = await anchors.named<Dismissals>(DISMISSED);
      const all: Awaited<ReturnType<ReportsView['doubts']>>[number][] = (await freshLooks()).flatMap(
        ({ id, at, doubts }) =>
          doubts.map(({ isDismissed, ...one }) => ({
            ...{ ...one, asOf: asOf(one.to ?? at) },
            // Somebody may have asked for alerts again since the look.
            ...(isDismissed && dismissed.has(id) && { isDismissed }),
          })),
      );
      const isDismissed = await dismissedBy();
      for (const { id, incident } of await openIncidents(services)) {
        const quiet = troublesOf(incident).filter(({ key }) => isDismissed(id, incident, key));
        for (const zone of new Set(quiet.map((one) => one.zone))) {
          const [first, ...others] = quiet.filter((one) => one.zone === zone).map(({ words }) => words);
          const more = others.map((words) => words.replace(`${incident.zones[zone]?.name}: `, ''));
          all.push({ zone, words: [first, ...more].join('; '), isDismissed: true });
        }
      }
      // If a zone fails and was also dismissed for something else, what fails counts.
      all.sort((a, b) => Number(a.since !== undefined) - Number(b.since !== undefined));
      return [...new Map(all.map((one) => [one.zone, one])).values()];
    },
    async seen() {
      const fresh = await freshLooks();
      const statistics = (await anchors.read<ZoneWatch>(ACCOUNT, WATCH))?.windows.at(-1)?.to;
      return { logs: fresh[0]?.at, statistics, zones: Object.assign({}, ...fresh.map(({ seen }) => seen)) };
    },
    async recovered() {
      const told = await toldIncidents({ anchors });
      return told.filter(({ isOver, to }) => isOver && !isOld(to, 60)).reverse();
    },
    async take(id, by, { shown, thread, isOver }) {
      const found = await takeIncident(services, id, by, thread ?? shown?.ts, isOver);
      if (found === undefined) return undefined;
      const { taken, isNew, before } = found;
      const said = { by: taken.by, isNew };
      const subscription = isNew && shown ? await subscriptions.read(id) : undefined;
      if (subscription === undefined || shown === undefined) return said;
      const { channel } = subscription;
      await poster.update({ channel, ts: shown.ts, message: takenMessage(shown, taken, subscription) });
      const there = before && (await subscriptions.read(before.id));
      if (there !== undefined) {
        const { id: of, ts } = before!;
        const reply = { thread: ts, message: takenNote(taken, there), key: `${of}:${ts}:${taken.at}` };
        // A channel that is gone holds nothing up.
        await poster
          .post({ channel: there.channel, ...reply })
          .catch(logged(services.log, 'warn', 'whoever was relieved of an incident did not hear of it'));
      }
      return said;
    },
    dismiss: (id, by, zone) => dismissIncident({ anchors, ledger }, id, by, zone),
    async undismiss(id, by) {
      const ended = await endDismissals({ anchors, ledger }, id);
      const subscription = await subscriptions.read(id);
      if (ended.length === 0 || subscription === undefined) return false;
      const { channel } = subscription;
      // Until the next look they are told as before.
      const open = (await readIncidents({ anchors }, id)).map(({ ts }) => ts);
      const shown = new Set(ended.flatMap(({ ts = '' }) => (ts === '' || open.includes(ts) ? [] : ts)));
      // A message that is gone holds nothing up.
      await Promise.allSettled(
        [...shown].map((ts) => {
          const mine = ended.filter((one) => one.ts === ts);
          return poster.update({ channel, ts, message: undismissedMessage(mine, by, now()) });
        }),
      );
      return true;
    },
    async make(name, selection, reader, signal) {
      const report = reports.find((one) => one.name === name);
      if (report === undefined) throw new Error(`there is no report ${name}`);
      // Rounded to the minute, so that a report made a moment ago is used again.
      const to = new Date(Math.floor(now().getTime() / MINUTE) * MINUTE - (report.window?.lag ?? 0));
      const from = new Date(to.getTime() - (report.window?.first ?? DAY));
      const open = (await openIncidents(services)).map(({ incident }) => incident);
      const window = { from, to, known: failingSince(open), told: toldZones(open, to.getTime()) };
      const none = { message: nothing(mrkdwn`Nothing to report from ${moment(from)} to ${moment(to)}.`) };
      return (await collect(report, selection, window, reader, signal)).news() ?? none;
    },
    async post({ actor, place }, { message: made, details }) {
      const { channelId: channel } = place;
      const rule = await services.refusalNow({ actor, place, operation: 'report run' });
      if (rule !== undefined) throw new ForbiddenError(`Nothing was posted: ${rule}.`, rule);
      const key = `asked:${now().toISOString()}`;
      const { ts: thread } = await poster.post({ channel, message: made, key });
      if (details !== undefined) await poster.post({ channel, message: details, key: `${key}:details`, thread });
    },
    channel: (text, options) => channels.find(text, options),
  };
}
