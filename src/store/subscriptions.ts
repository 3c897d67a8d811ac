import type { Database } from './database.ts';

/** The table of this file, for the store's migrations. */
export const subscriptionsMigration = {
  name: 'subscriptions',
  statements: [
    `CREATE TABLE subscriptions (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      origin TEXT UNIQUE,
      settings TEXT NOT NULL,
      version INTEGER NOT NULL DEFAULT 1,
      state TEXT NOT NULL DEFAULT 'active',
      reason TEXT,
      owner_told INTEGER NOT NULL DEFAULT 0,
      muted_until INTEGER,
      muted_print TEXT,
      muted_by TEXT,
      created_at INTEGER NOT NULL,
      slots_until INTEGER NOT NULL,
      next_slot INTEGER
    ) STRICT`,
    `CREATE INDEX subscriptions_by_slot ON subscriptions (next_slot) WHERE state <> 'ended'`,
  ],
};

/** How a channel gets a report: a new message each, one message edited in place, or replies in one thread. */
export type ThreadMode = 'messages' | 'edit' | 'thread';

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
  /** Says nothing when the same things are to be said as the last time. */
  skipUnchanged: boolean;
  /** New messages a day at most; the rest is folded into one digest. */
  perDay?: number | undefined;
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
  /** Counts changes of the settings: slots that were computed from old ones cannot be opened. */
  version: number;
  state: SubscriptionState;
  reason?: string | undefined;
  /** Silent until then; `print` set: until the report says something else than this. */
  muted?: { until?: Date | undefined; print?: string | undefined; by: string } | undefined;
  createdAt: Date;
  /** Slots up to here are in the ledger. */
  slotsUntil: Date;
  nextSlot?: Date | undefined;
}

/** Everything that channels are subscribed to. */
export interface Subscriptions {
  /** The slots begin after now. */
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
  end(id: number): Promise<boolean>;
  mute(id: number, muted: { until?: Date | undefined; print?: string | undefined; by: string }): Promise<boolean>;
  /** False when it was not muted. */
  unmute(id: number): Promise<boolean>;
  /** Marks it as broken; true for the one who has to notify the owner: the first time since it last worked. */
  fail(id: number, reason: string): Promise<boolean>;
  /** The owner could not be notified after all. */
  unnotified(id: number): Promise<void>;
  works(id: number): Promise<void>;
  /** Those with a slot that is due, by the store's clock. */
  due(): Promise<Subscription[]>;
  /** The slots up to `until` are in the ledger. False: somebody else was first, or the settings changed. */
  advance(subscription: Subscription, until: Date, nextSlot: Date | undefined): Promise<boolean>;
}

/** Subscriptions in a database. */
export function createSubscriptions(database: Database): Subscriptions {
  return { ...kept(database), ...states(database), ...schedules(database) };
}

/** Subscriptions from their beginning to their end. */
function kept(database: Database): Pick<Subscriptions, 'add' | 'keep' | 'read' | 'list' | 'end'> {
  return {
    async add(settings, nextSlot) {
      const added = await insert(database, null, settings, nextSlot);
      if (added === undefined) throw new Error('a subscription was not kept');
      return added;
    },

    async keep(origin, settings, nextSlot) {
      const kept = await insert(database, origin, settings, nextSlot);
      if (kept !== undefined) return kept;
      const { rows } = await database.execute('SELECT * FROM subscriptions WHERE origin = :origin', { origin });
      return subscriptionOf(rows[0]!);
    },

    async read(id) {
      const { rows } = await database.execute('SELECT * FROM subscriptions WHERE id = :id', { id });
      return rows[0] === undefined ? undefined : subscriptionOf(rows[0]);
    },

    async list({ channel } = {}) {
      const { rows } = await database.execute(
        `SELECT * FROM subscriptions
         WHERE state <> 'ended' AND (:channel IS NULL OR json_extract(settings, '$.channel') = :channel) ORDER BY id`,
        { channel: channel ?? null },
      );
      return rows.map(subscriptionOf);
    },

    async end(id) {
      const { changed } = await database.execute(
        `UPDATE subscriptions SET state = 'ended', next_slot = NULL, version = version + 1 WHERE id = :id AND state <> 'ended'`,
        { id },
      );
      return changed === 1;
    },
  };
}

/** Muting and failing. */
function states(database: Database): Pick<Subscriptions, 'mute' | 'unmute' | 'fail' | 'unnotified' | 'works'> {
  return {
    async mute(id, { until, print, by }) {
      const { changed } = await database.execute(
        `UPDATE subscriptions SET muted_until = :until, muted_print = :print, muted_by = :by WHERE id = :id AND state <> 'ended'`,
        { id, until: until?.getTime() ?? null, print: print ?? null, by },
      );
      return changed === 1;
    },

    async unmute(id) {
      const { changed } = await database.execute(
        `UPDATE subscriptions SET muted_until = NULL, muted_print = NULL, muted_by = NULL
         WHERE id = :id AND muted_by IS NOT NULL`,
        { id },
      );
      return changed === 1;
    },

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
function schedules(database: Database): Pick<Subscriptions, 'due' | 'advance'> {
  return {
    async due() {
      const { rows } = await database.execute(
        `SELECT * FROM subscriptions WHERE state <> 'ended' AND next_slot <= :now ORDER BY next_slot, id`,
      );
      return rows.map(subscriptionOf);
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

async function insert(
  database: Database,
  origin: string | null,
  settings: SubscriptionSettings,
  nextSlot: (after: Date) => Date | undefined,
): Promise<Subscription | undefined> {
  const time = await database.execute('SELECT :now AS now');
  const now = new Date(Number(time.rows[0]?.now));
  const { rows } = await database.execute(
    `INSERT INTO subscriptions (origin, settings, created_at, slots_until, next_slot)
     VALUES (:origin, :settings, :at, :at, :next)
     ON CONFLICT (origin) DO UPDATE SET settings = excluded.settings, version = version + 1, state = 'active',
       reason = NULL, owner_told = 0, slots_until = excluded.slots_until, next_slot = excluded.next_slot
     WHERE subscriptions.settings <> excluded.settings
     RETURNING *`,
    {
      origin,
      settings: JSON.stringify(settings),
      at: now.getTime(),
      next: nextSlot(now)?.getTime() ?? null,
    },
  );
  return rows[0] === undefined ? undefined : subscriptionOf(rows[0]);
}

function dateOf(value: unknown): Date | undefined {
  return value === null || value === undefined ? undefined : new Date(Number(value));
}

function subscriptionOf(row: Record<string, unknown>): Subscription {
  return {
    ...(JSON.parse(String(row.settings)) as SubscriptionSettings),
    id: Number(row.id),
    version: Number(row.version),
    state: String(row.state) as SubscriptionState,
    reason: row.reason === null ? undefined : String(row.reason),
    muted:
      row.muted_by === null
        ? undefined
        : {
            until: dateOf(row.muted_until),
            print: row.muted_print === null ? undefined : String(row.muted_print),
            by: String(row.muted_by),
          },
    createdAt: new Date(Number(row.created_at)),
    slotsUntil: new Date(Number(row.slots_until)),
    nextSlot: dateOf(row.next_slot),
  };
}
