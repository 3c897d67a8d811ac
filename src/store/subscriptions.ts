import type { AuditEntry } from './audit-entry.ts';
import { countsOf, withinCap } from './caps.ts';
import type { ChannelMoves } from './channel-moves.ts';
import { type Args, type Database, timeOf } from './database.ts';
import { isGenuine, macOf } from './protection.ts';
import { type Seal, UNSEALED } from './seal.ts';

/** The kind of the job that each subscription has: its slots are done by whoever holds it, one at a time and in order. */
export const SLOTS = 'slots';

/** How a channel gets a report: a new message each, or replies in one thread. */
export type ThreadMode = 'messages' | 'thread';

/** The settings of a subscription: everything that a person chooses. */
export interface SubscriptionSettings {
  report: string;
  channel: string;
  /** As it was written, in words or as cron. */
  schedule: string;
  /** The same as cron of five fields. */
  cron: string;
  timezone: string;
  locale: string;
  /** Zones by name, id or pattern (`shop-*`); empty: all. */
  targets: readonly string[];
  /** Only what fits one of these, and nothing that fits one of those: `status:5xx`, `zone:shop-*`, `path:/api/*`. */
  include: readonly string[];
  exclude: readonly string[];
  /** The report's own numbers, by their names. */
  thresholds: Readonly<Record<string, number>>;
  mode: ThreadMode;
  /** `22:00-07:00` in the subscription's time zone: what is due then comes at its end. */
  quiet?: string | undefined;
  /** New messages an hour at most; what comes beyond brings the last one up to date. */
  perHour?: number | undefined;
  /** Slack ids of who is told when it breaks; empty: the channel is told. */
  owner: string;
  team: string;
}

/** `broken`: its last run failed, for `reason`; it is tried again at its slots. `ended`: unsubscribed. */
export type SubscriptionState = 'active' | 'broken' | 'ended';

export interface Subscription extends SubscriptionSettings {
  id: number;
  /** The bot's settings made it, and no person. */
  isOfSettings: boolean;
  /** Counts what was signed anew: slots that were computed from old settings cannot be opened. */
  version: number;
  state: SubscriptionState;
  reason?: string | undefined;
  /** Silent until then; `fingerprint` set: until the report says something else than this. */
  muted?: { until?: Date | undefined; fingerprint?: string | undefined; by: string } | undefined;
  createdAt: Date;
  /** Slots up to here are in the ledger. */
  slotsUntil: Date;
  nextSlot?: Date | undefined;
}

export interface Subscriptions {
  /** The slots begin after now. Throws TooManyError. */
  add(settings: SubscriptionSettings, nextSlot: (after: Date) => Date | undefined): Promise<Subscription>;
  /**
   * The subscription that the bot's settings describe, by a name of its own. Added once; brought up to date when the settings
   * changed; left alone otherwise, whatever people did to it.
   */
  keep(
    origin: string,
    settings: SubscriptionSettings,
    nextSlot: (after: Date) => Date | undefined,
  ): Promise<Subscription>;
  /** Also one that has ended. */
  read(id: number): Promise<Subscription | undefined>;
  /** Those that have not ended, by id. */
  list(filter?: { channel?: string | undefined }): Promise<Subscription[]>;
  end(id: number, why?: string): Promise<boolean>;
  mute(id: number, muted: { until?: Date | undefined; fingerprint?: string | undefined; by: string }): Promise<boolean>;
  /** False when it was not muted. */
  unmute(id: number): Promise<boolean>;
  /** Marks it as broken; true for the one who has to notify the owner: the first time since it last worked. */
  fail(id: number, reason: string): Promise<boolean>;
  /** The owner could not be notified after all. */
  unnotified(id: number): Promise<void>;
  works(id: number): Promise<void>;
  /** The job of each one that has a slot by now is due. */
  arm(): Promise<void>;
  /** The slots up to `until` are in the ledger. False: somebody else was first, or the settings changed. */
  advance(subscription: Subscription, until: Date, nextSlot: Date | undefined): Promise<boolean>;
}

type Row = Record<string, unknown>;

/** Another replica may change the same row, or take the same number, at the same moment. */
const ATTEMPTS = 20;

/** Subscriptions in a database. The audit notes each new signature, so that nobody puts an older row back. */
export function createSubscriptions(
  database: Database,
  seal: Seal = UNSEALED,
  audit?: { append(entry: AuditEntry): Promise<void> },
  { idOf }: Pick<ChannelMoves, 'idOf'> = { idOf: (id) => id },
): Subscriptions {
  /** The bot has written it. */
  const isOwn = (row: Row): boolean => isGenuine(seal, 'subscriptions', row);
  /** A row's subscription, in the channel as Slack calls it now. */
  const present = (row: Row): Subscription => {
    const subscription = subscriptionOf(row);
    return { ...subscription, channel: idOf(subscription.channel) };
  };
  const found = async (where: string, args: Args = {}): Promise<Row[]> =>
    (await database.execute(`SELECT * FROM subscriptions WHERE ${where} ORDER BY id`, args)).rows;
  /** Says in the audit how far a subscription has come. */
  const note = async (row: Row, operation: string, ended?: { why: string }): Promise<void> => {
    if (!seal.keyed || audit === undefined) return;
    const { id, team, channel, report, version } = subscriptionOf(row);
    await audit.append({
      // The person who asked for it has another entry.
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
  /** Brings a row to its next version, signed anew. Undefined: another replica has changed it meanwhile. */
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
        // The newest is never removed, so that no id comes twice.
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
  type Muted = Record<'muted_until' | 'muted_print' | 'muted_by', string | number | null>;
  const mute = async (id: number, muted: Muted, operation: string): Promise<boolean> => {
    const [row] = await found(`id = :id AND state <> 'ended'`, { id });
    if (row === undefined || !isOwn(row)) return false;
    if (muted.muted_by === null && row.muted_by === null) return false;
    const changed = await renew(row, muted);
    if (changed !== undefined) await note(changed, operation);
    return changed !== undefined;
  };
  return {
    async add(settings, nextSlot) {
      const { rows } = await database.execute(
        `SELECT count(*) AS "all", count(CASE WHEN settings ->> 'owner' = :owner THEN 1 END) AS own FROM subscriptions WHERE state <> 'ended'`,
        { owner: settings.owner },
      );
      withinCap('subscriptions', countsOf(rows[0]));
      return present(await insert(null, settings, nextSlot));
    },
    async keep(origin, settings, nextSlot) {
      const [row] = await found('origin = :origin', { origin });
      if (row === undefined) return present(await insert(origin, settings, nextSlot));
      if (row.settings === JSON.stringify(settings) && isOwn(row)) return present(row);
      const now = await timeOf(database);
      const changed = await renew(row, {
        ...{ settings: JSON.stringify(settings), state: 'active', reason: null, owner_told: 0 },
        ...{ slots_until: now, next_slot: nextSlot(new Date(now))?.getTime() ?? null },
      });
      if (changed !== undefined) await note(changed, 'report subscribe');
      // Else another replica was first.
      return present(changed ?? row);
    },
    read: async (id) => (await found('id = :id', { id })).filter(isOwn).map(present)[0],
    async list({ channel } = {}) {
      const all = (await found(`state <> 'ended'`)).filter(isOwn).map(present);
      return channel === undefined ? all : all.filter((one) => one.channel === channel);
    },
    async end(id, why = '') {
      for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
        const [row] = await found(`id = :id AND state <> 'ended'`, { id });
        if (row === undefined) return false;
        // The audit comes first: what it says has ended does not come back.
        await note({ ...row, version: Number(row.version) + 1 }, 'report unsubscribe', { why });
        const ended = await renew(row, { state: 'ended', next_slot: null }, { isSigned: isOwn(row) });
        if (ended !== undefined) return true;
      }
      return false;
    },
    mute: (id, { until, fingerprint, by }) =>
      mute(
        id,
        { muted_until: until?.getTime() ?? null, muted_print: fingerprint ?? null, muted_by: by },
        'report mute',
      ),
    unmute: (id) => mute(id, { muted_until: null, muted_print: null, muted_by: null }, 'report unmute'),
    async fail(id, reason) {
      const { rows } = await database.execute(
        `UPDATE subscriptions SET state = 'broken', reason = :reason, owner_told = owner_told + 1
         WHERE id = :id AND state <> 'ended' RETURNING owner_told`,
        { id, reason },
      );
      return Number(rows[0]?.owner_told) === 1;
    },
    async unnotified(id) {
      await database.execute('UPDATE subscriptions SET owner_told = 0 WHERE id = :id', { id });
    },
    async works(id) {
      await database.execute(
        `UPDATE subscriptions SET state = 'active', reason = NULL, owner_told = 0 WHERE id = :id AND state = 'broken'`,
        { id },
      );
    },
    async arm() {
      await database.execute(
        `INSERT INTO jobs (key, kind, run_at, body) SELECT '${SLOTS}:' || id, '${SLOTS}', next_slot, '' FROM subscriptions
         WHERE state <> 'ended' AND next_slot <= :now
         ON CONFLICT (key) DO UPDATE SET run_at = excluded.run_at, body = excluded.body
         WHERE jobs.holder IS NULL AND (jobs.body IS NULL OR jobs.run_at > excluded.run_at)`,
      );
    },
    async advance({ id, version, slotsUntil }, until, nextSlot) {
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
