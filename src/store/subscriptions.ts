import type { AuditEntry } from './audit-entry.ts';
import { countsOf, withinCap } from './caps.ts';
import type { ChannelMoves } from './channel-moves.ts';
import { type Database, timeOf } from './database.ts';
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

/** A subscription as it is kept. */
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

/** Everything that channels are subscribed to. */
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

/** Says in the audit how far a subscription has come. */
type Note = (row: Record<string, unknown>, operation: string, more?: { isEnded?: true; why?: string }) => Promise<void>;

/** A row's subscription, in the channel as Slack calls it now. */
type Present = (row: Record<string, unknown>) => Subscription;

/** Subscriptions in a database. The audit notes each new signature, so that nobody puts an older row back. */
export function createSubscriptions(
  database: Database,
  seal: Seal = UNSEALED,
  audit?: { append(entry: AuditEntry): Promise<void> },
  { idOf }: Pick<ChannelMoves, 'idOf'> = { idOf: (id) => id },
): Subscriptions {
  const present: Present = (row) => {
    const subscription = subscriptionOf(row);
    return { ...subscription, channel: idOf(subscription.channel) };
  };
  const note: Note = async (row, operation, { isEnded, why = '' } = {}) => {
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
      detail: why,
      subscription: { id, version, ...(isEnded === undefined ? {} : { isEnded }) },
    });
  };
  return {
    ...kept(database, seal, note, present),
    ...mutes(database, seal, note),
    ...states(database),
    ...schedules(database),
  };
}

/** Another replica may change the same row, or take the same number, at the same moment. */
const ATTEMPTS = 20;

/** Subscriptions from their beginning to their end. */
function kept(
  database: Database,
  seal: Seal,
  note: Note,
  present: Present,
): Pick<Subscriptions, 'add' | 'keep' | 'read' | 'list' | 'end'> {
  return {
    async add(settings, nextSlot) {
      const { rows } = await database.execute(
        `SELECT count(*) AS "all", count(CASE WHEN settings ->> 'owner' = :owner THEN 1 END) AS own FROM subscriptions WHERE state <> 'ended'`,
        { owner: settings.owner },
      );
      withinCap('subscriptions', countsOf(rows[0]));
      return present(await insert(database, seal, note, null, settings, nextSlot));
    },

    async keep(origin, settings, nextSlot) {
      const { rows } = await database.execute('SELECT * FROM subscriptions WHERE origin = :origin', { origin });
      const [row] = rows;
      if (row === undefined) return present(await insert(database, seal, note, origin, settings, nextSlot));
      if (row.settings === JSON.stringify(settings) && isOwn(row, seal)) return present(row);
      const now = await timeOf(database);
      const next = { ...row, settings: JSON.stringify(settings), version: Number(row.version) + 1 };
      const changed = await database.execute(
        `UPDATE subscriptions SET settings = :settings, version = :version, state = 'active', reason = NULL, owner_told = 0,
           slots_until = :now, next_slot = :next, mac = :mac WHERE id = :id AND version = :version - 1 RETURNING *`,
        {
          id: Number(row.id),
          settings: next.settings,
          version: next.version,
          next: nextSlot(new Date(now))?.getTime() ?? null,
          mac: macOf(seal, 'subscriptions', next),
        },
      );
      if (changed.rows[0] !== undefined) await note(changed.rows[0], 'report subscribe');
      // Else another replica was first.
      return present(changed.rows[0] ?? row);
    },

    async read(id) {
      const { rows } = await database.execute('SELECT * FROM subscriptions WHERE id = :id', { id });
      return rows.filter((row) => isOwn(row, seal)).map(present)[0];
    },

    async list({ channel } = {}) {
      const { rows } = await database.execute(
        `SELECT * FROM subscriptions
         WHERE state <> 'ended' ORDER BY id`,
      );
      const all = rows.filter((row) => isOwn(row, seal)).map(present);
      return channel === undefined ? all : all.filter((one) => one.channel === channel);
    },

    async end(id, why = '') {
      for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
        const { rows } = await database.execute('SELECT * FROM subscriptions WHERE id = :id', { id });
        const [row] = rows;
        if (row === undefined || row.state === 'ended') return false;
        const next = { ...row, version: Number(row.version) + 1 };
        // The audit comes first: what it says has ended does not come back.
        await note(next, 'report unsubscribe', { isEnded: true, why });
        const { changed } = await database.execute(
          `UPDATE subscriptions SET state = 'ended', next_slot = NULL, version = :version, mac = :mac
           WHERE id = :id AND state <> 'ended' AND version = :version - 1`,
          { id, version: next.version, mac: isOwn(row, seal) ? macOf(seal, 'subscriptions', next) : null },
        );
        if (changed === 1) return true;
      }
      return false;
    },
  };
}

/** Silence for a while. */
function mutes(database: Database, seal: Seal, note: Note): Pick<Subscriptions, 'mute' | 'unmute'> {
  type Muted = Record<'muted_until' | 'muted_print' | 'muted_by', string | number | null>;
  async function muteAs(id: number, muted: Muted, operation: string) {
    const { rows } = await database.execute('SELECT * FROM subscriptions WHERE id = :id', { id });
    const [row] = rows;
    if (row === undefined || !isOwn(row, seal)) return false;
    if (muted.muted_by === null && row.muted_by === null) return false;
    const next = { ...row, ...muted, version: Number(row.version) + 1 };
    const changed = await database.execute(
      `UPDATE subscriptions SET muted_until = :muted_until, muted_print = :muted_print, muted_by = :muted_by,
         version = :version, mac = :mac WHERE id = :id AND state <> 'ended' AND version = :version - 1 RETURNING *`,
      { id, ...muted, version: next.version, mac: macOf(seal, 'subscriptions', next) },
    );
    if (changed.rows[0] === undefined) return false;
    await note(changed.rows[0], operation);
    return true;
  }
  return {
    mute: (id, { until, fingerprint, by }) =>
      muteAs(
        id,
        { muted_until: until?.getTime() ?? null, muted_print: fingerprint ?? null, muted_by: by },
        'report mute',
      ),
    unmute: (id) => muteAs(id, { muted_until: null, muted_print: null, muted_by: null }, 'report unmute'),
  };
}

/** Failing. */
function states(database: Database): Pick<Subscriptions, 'fail' | 'unnotified' | 'works'> {
  return {
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
  };
}

/** Up to where slots are open. */
function schedules(database: Database): Pick<Subscriptions, 'arm' | 'advance'> {
  return {
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

/** The bot has written it. */
const isOwn = (row: Record<string, unknown>, seal: Seal): boolean => isGenuine(seal, 'subscriptions', row);

async function insert(
  database: Database,
  seal: Seal,
  note: Note,
  origin: string | null,
  settings: SubscriptionSettings,
  nextSlot: (after: Date) => Date | undefined,
): Promise<Record<string, unknown>> {
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
    const kept = (await database.execute('SELECT * FROM subscriptions WHERE origin = :origin', { origin })).rows[0];
    if (kept !== undefined) return kept;
  }
  throw new Error('a subscription was not kept');
}

function dateOf(value: unknown): Date | undefined {
  return value === null || value === undefined ? undefined : new Date(Number(value));
}

/** A row of the table → a subscription. */
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
