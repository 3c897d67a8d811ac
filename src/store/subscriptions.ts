import type { AuditEntry } from './audit-entry.ts';
import { countsOf, withinCap } from './caps.ts';
import type { ChannelMoves } from './channel-moves.ts';
import { type Args, type Database, timeOf } from './database.ts';
import { isGenuine, macOf } from './protection.ts';
import { type Seal, UNSEALED } from './seal.ts';

/** The kind of a subscription’s job. Its holder does the slots, one at a time and in order. */
export const SLOTS = 'slots';

/** Everything that a person chooses. */
export interface SubscriptionSettings {
  report: string;
  channel: string;
  /** As written: words or cron. */
  schedule: string;
  /** The same as five cron fields. */
  cron: string;
  timezone: string;
  locale: string;
  /** Zones by name, id or pattern (`shop-*`). Empty: all. */
  targets: readonly string[];
  /** A record needs one of `include`, and none of `exclude`: `status:5xx`, `zone:shop-*`, `path:/api/*`. */
  include: readonly string[];
  exclude: readonly string[];
  /** Values of the report’s own thresholds, by name. */
  thresholds: Readonly<Record<string, number>>;
  /** `22:00-07:00` in the subscription’s time zone. What is due then comes at the end of it. */
  quiet?: string | undefined;
  /** At most this many new messages an hour. Beyond that the last one is edited. */
  perHour?: number | undefined;
  /** Slack id of whoever is told when it breaks. Empty: the channel is told. */
  owner: string;
  team: string;
}

/** `broken`: its last run failed, for `reason`; later slots try again. `ended`: unsubscribed. */
export type SubscriptionState = 'active' | 'broken' | 'ended';

export interface Subscription extends SubscriptionSettings {
  id: number;
  /** The bot’s settings made it, not a person. */
  isOfSettings: boolean;
  /** Counts signatures: slots that were computed from older settings cannot be opened. */
  version: number;
  state: SubscriptionState;
  reason?: string | undefined;
  /** Muted until a moment, or with `fingerprint` until the report changes. */
  muted?: { until?: Date | undefined; fingerprint?: string | undefined; by: string } | undefined;
  createdAt: Date;
  /** How far its slots are in the ledger. */
  slotsUntil: Date;
  nextSlot?: Date | undefined;
}

/** Why a subscription of the settings ended that comes back with its setting. */
export const UNSET = 'the settings no longer ask for it';

type Row = Record<string, unknown>;

/** Another replica may change the same row, or take the same number. */
const ATTEMPTS = 20;

export type Subscriptions = ReturnType<typeof createSubscriptions>;

/** The audit notes each signature, so that nobody can put an older row back. */
export function createSubscriptions(
  database: Database,
  seal: Seal = UNSEALED,
  audit?: { append(entry: AuditEntry): Promise<void> },
  { idOf }: Pick<ChannelMoves, 'idOf'> = { idOf: (id) => id },
) {
  const isOwn = (row: Row): boolean => isGenuine(seal, 'subscriptions', row);
  /** With the channel’s present id. */
  const present = (row: Row): Subscription => {
    const subscription = subscriptionOf(row);
    return { ...subscription, channel: idOf(subscription.channel) };
  };
  const found = async (where: string, args: Args = {}): Promise<Row[]> =>
    (await database.execute(`SELECT * FROM subscriptions WHERE ${where} ORDER BY id`, args)).rows;
  /** Notes the new version in the audit. */
  const note = async (row: Row, operation: string, ended?: { why: string }): Promise<void> => {
    if (!seal.keyed || audit === undefined) return;
    const { id, team, channel, report, version } = subscriptionOf(row);
    await audit.append({
      // The person who asked has an entry of their own.
      actor: 'Edgewise',
      team,
      channel,
      operation,
      target: `${report} (subscription ${id})`,
      given: { subscription: String(id) },
      outcome: 'noted',
      detail: ended?.why ?? '',
      subscription: { id, version, ...(ended === undefined ? {} : { isEnded: true }) },
    });
  };
  /** Signs the next version of a row. Undefined: another replica has changed it. */
  const renew = async (row: Row, columns: Args, { isSigned = true } = {}): Promise<Row | undefined> => {
    const next = { ...columns, version: Number(row.version) + 1 };
    const mac = isSigned ? macOf(seal, 'subscriptions', { ...row, ...next }) : null;
    const set = Object.keys(next).map((column) => `${column} = :${column}`);
    const { rows } = await database.execute(
      `UPDATE subscriptions SET ${set.join(', ')}, mac = :mac WHERE id = :id AND version = :version - 1 RETURNING *`,
      { id: Number(row.id), ...next, mac },
    );
    return rows[0];
  };
  const insert = async (
    origin: string | null,
    settings: SubscriptionSettings,
    nextSlot: (after: Date) => Date | undefined,
  ): Promise<Row> => {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const { rows } = await database.execute(
        // The newest is never removed, so no id is used twice.
        'SELECT :now AS now, 1 + coalesce(max(id), 0) AS id FROM subscriptions',
      );
      const [now, id] = [Number(rows[0]?.now), Number(rows[0]?.id)];
      const row = { id, origin, settings: JSON.stringify(settings), version: 1, created_at: now };
      const added = await database.execute(
        `INSERT INTO subscriptions (id, origin, settings, version, created_at, slots_until, next_slot, mac)
         VALUES (:id, :origin, :settings, :version, :created_at, :created_at, :next, :mac) ON CONFLICT DO NOTHING RETURNING *`,
        { ...row, next: nextSlot(new Date(now))?.getTime() ?? null, mac: macOf(seal, 'subscriptions', row) },
      );
      if (added.rows[0] !== undefined) {
        await note(added.rows[0], 'report subscribe');
        return added.rows[0];
      }
      const [other] = await found('origin = :origin', { origin });
      if (other !== undefined) return other;
    }
    throw new Error('a subscription was not kept');
  };
  return {
    /** Its slots begin after now. Throws TooManyError. */
    async add(settings: SubscriptionSettings, nextSlot: (after: Date) => Date | undefined) {
      const { rows } = await database.execute(
        `SELECT count(*) AS "all", count(CASE WHEN settings ->> 'owner' = :owner THEN 1 END) AS own FROM subscriptions WHERE state <> 'ended'`,
        { owner: settings.owner },
      );
      withinCap('subscriptions', countsOf(rows[0]));
      return present(await insert(null, settings, nextSlot));
    },
    /**
     * The subscription of the bot’s settings with this name. Added once, updated when the settings change, and otherwise left alone,
     * whatever people did to it.
     */
    async keep(origin: string, settings: SubscriptionSettings, nextSlot: (after: Date) => Date | undefined) {
      const [row] = await found('origin = :origin', { origin });
      if (row === undefined) return present(await insert(origin, settings, nextSlot));
      if (row.settings === JSON.stringify(settings) && isOwn(row) && row.reason !== UNSET) return present(row);
      const now = await timeOf(database);
      const changed = await renew(row, {
        ...{ settings: JSON.stringify(settings), state: 'active', reason: null, owner_told: 0 },
        ...{ slots_until: now, next_slot: nextSlot(new Date(now))?.getTime() ?? null },
      });
      if (changed !== undefined) await note(changed, 'report subscribe');
      // Otherwise another replica was first.
      return present(changed ?? row);
    },
    /** Also an ended one. */
    read: async (id: number) => (await found('id = :id', { id })).filter(isOwn).map(present)[0],
    /** Those that have not ended, by id. */
    async list({ channel }: { channel?: string | undefined } = {}) {
      const all = (await found(`state <> 'ended'`)).filter(isOwn).map(present);
      return channel === undefined ? all : all.filter((one) => one.channel === channel);
    },
    async end(id: number, why: string = '') {
      for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
        const [row] = await found(`id = :id AND state <> 'ended'`, { id });
        if (row === undefined) return false;
        // The audit first: what has ended by the audit cannot come back.
        await note({ ...row, version: Number(row.version) + 1 }, 'report unsubscribe', { why });
        const ended = await renew(row, { state: 'ended', next_slot: null, reason: why }, { isSigned: isOwn(row) });
        if (ended !== undefined) return true;
      }
      return false;
    },
    /** Without `muted` it is unmuted. False: it was not muted, or has ended. */
    async mute(id: number, muted?: Subscription['muted']) {
      const [row] = await found(`id = :id AND state <> 'ended'`, { id });
      if (row === undefined || !isOwn(row) || (muted === undefined && row.muted_by === null)) return false;
      const { until, fingerprint = null, by = null } = muted ?? {};
      const columns = { muted_until: until?.getTime() ?? null, muted_print: fingerprint, muted_by: by };
      const changed = await renew(row, columns);
      if (changed !== undefined) await note(changed, muted === undefined ? 'report unmute' : 'report mute');
      return changed !== undefined;
    },
    /** Marks it as broken. True for the first failure since it last worked: then the owner has to be notified. */
    async fail(id: number, reason: string) {
      const { rows } = await database.execute(
        `UPDATE subscriptions SET state = 'broken', reason = :reason, owner_told = owner_told + 1
         WHERE id = :id AND state <> 'ended' RETURNING owner_told`,
        { id, reason },
      );
      return Number(rows[0]?.owner_told) === 1;
    },
    /** The owner could not be notified after all. */
    async unnotified(id: number) {
      await database.execute('UPDATE subscriptions SET owner_told = 0 WHERE id = :id', { id });
    },
    async works(id: number) {
      await database.execute(
        `UPDATE subscriptions SET state = 'active', reason = NULL, owner_told = 0 WHERE id = :id AND state = 'broken'`,
        { id },
      );
    },
    /** Makes the jobs of those due that have a slot by now. */
    async arm() {
      await database.execute(
        `INSERT INTO jobs (key, kind, run_at, body) SELECT '${SLOTS}:' || id, '${SLOTS}', next_slot, '' FROM subscriptions
         WHERE state <> 'ended' AND next_slot <= :now
         ON CONFLICT (key) DO UPDATE SET run_at = excluded.run_at, body = excluded.body
         WHERE jobs.holder IS NULL AND (jobs.body IS NULL OR jobs.run_at > excluded.run_at)`,
      );
    },
    /** The ledger has the slots up to `until`. False: somebody else was first, or the settings changed. */
    async advance({ id, version, slotsUntil }: Subscription, until: Date, nextSlot: Date | undefined) {
      const { changed } = await database.execute(
        `UPDATE subscriptions SET slots_until = :until, next_slot = :next
         WHERE id = :id AND version = :version AND slots_until = :seen`,
        { id, version, seen: slotsUntil.getTime(), until: until.getTime(), next: nextSlot?.getTime() ?? null },
      );
      return changed === 1;
    },
  };
}

function dateOf(value: unknown): Date | undefined {
  return value === null || value === undefined ? undefined : new Date(Number(value));
}

export function subscriptionOf(row: Record<string, unknown>): Subscription {
  return {
    ...(JSON.parse(String(row.settings)) as SubscriptionSettings),
    id: Number(row.id),
    isOfSettings: row.origin !== null,
    version: Number(row.version),
    state: String(row.state) as SubscriptionState,
    reason: row.reason === null ? undefined : String(row.reason),
    muted:
      row.muted_by === null
        ? undefined
        : {
            until: dateOf(row.muted_until),
            fingerprint: row.muted_print === null ? undefined : String(row.muted_print),
            by: String(row.muted_by),
          },
    createdAt: new Date(Number(row.created_at)),
    slotsUntil: new Date(Number(row.slots_until)),
    nextSlot: dateOf(row.next_slot),
  };
}
