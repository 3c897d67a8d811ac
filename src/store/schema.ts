import { createHash } from 'node:crypto';
import { REVERSAL_TRANSITIONS, TRANSITIONS } from '../changes/change.ts';

/** What each engine has a trigger for, whichever program writes. */
export interface Trigger {
  name: string;
  table: string;
  /** `BEFORE INSERT`. */
  event: string;
  /** Left out: always. */
  where?: string;
  does: { refuse: string } | { run: string };
}

/** A state that a row cannot begin with or come to is refused. */
function statesOf(
  table: string,
  transitions: Record<string, { from: readonly string[]; to: string }>,
): readonly Trigger[] {
  const all = Object.values(transitions);
  const listed = (pairs: readonly string[]) => pairs.map((pair) => `'${pair}'`).join(', ');
  const begins = listed(all.flatMap(({ from, to }) => (from.length === 0 ? [to] : [])));
  const moves = listed(all.flatMap(({ from, to }) => from.map((before) => `${before}>${to}`)));
  const does = { refuse: 'a change does not move like this: src/changes/change.ts has its transitions' };
  return [
    { name: `${table}_begin`, table, event: 'BEFORE INSERT', where: `new.state NOT IN (${begins})`, does },
    {
      name: `${table}_move`,
      table,
      event: 'BEFORE UPDATE OF state',
      where: `old.state <> new.state AND old.state || '>' || new.state NOT IN (${moves})`,
      does,
    },
  ];
}

export const TRIGGERS: readonly Trigger[] = [
  ...statesOf('confirmations', TRANSITIONS),
  ...statesOf('reversals', REVERSAL_TRANSITIONS),
  // A change of the key signs the entries anew; what they say stays.
  {
    name: 'audit_stays',
    table: 'audit',
    event: 'BEFORE UPDATE OF number, at, actor, team, channel, operation, target, content, hash',
    does: { refuse: 'the audit is append-only' },
  },
  // Written with the entry by the same statement, so that entries cut off at the end are missed.
  {
    name: 'audit_grows',
    table: 'audit',
    event: 'AFTER INSERT',
    does: {
      run: `INSERT INTO audit_head (one, number, hash) VALUES (1, new.number, new.hash)
        ON CONFLICT (one) DO UPDATE SET number = new.number, hash = new.hash`,
    },
  },
  // An entry may be removed once it is noted where the audit goes on.
  {
    name: 'audit_keeps',
    table: 'audit',
    event: 'BEFORE DELETE',
    where: 'old.number > (SELECT coalesce(max(number), 0) FROM audit_starts)',
    does: { refuse: 'the audit is append-only' },
  },
];

/** The tables, in types that both engines have: TEXT and INTEGER. */
export const TABLES: readonly string[] = [
  `CREATE TABLE schema_hash (hash TEXT NOT NULL)`,
  `CREATE TABLE confirmations (
    id TEXT PRIMARY KEY,
    operation TEXT NOT NULL,
    given TEXT NOT NULL,
    target TEXT NOT NULL,
    typed_name TEXT,
    preview TEXT NOT NULL,
    actor TEXT NOT NULL,
    team TEXT NOT NULL,
    channel TEXT NOT NULL,
    thread TEXT,
    state TEXT NOT NULL,
    outcome TEXT,
    approval TEXT,
    reason TEXT,
    glass_broken INTEGER NOT NULL DEFAULT 0,
    post_channel TEXT,
    post_ts TEXT,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    due_at INTEGER,
    undoes TEXT,
    mac TEXT,
    sent_mac TEXT,
    interaction TEXT
  )`,
  `CREATE TABLE approvals (
    confirmation TEXT NOT NULL,
    approver TEXT NOT NULL,
    verdict TEXT NOT NULL,
    reason TEXT NOT NULL,
    at INTEGER NOT NULL,
    mac TEXT,
    PRIMARY KEY (confirmation, approver)
  )`,
  `CREATE TABLE reversals (
    confirmation TEXT PRIMARY KEY,
    given TEXT NOT NULL,
    due_in INTEGER,
    undo_until INTEGER,
    due_at INTEGER,
    watch_until INTEGER,
    why TEXT,
    state TEXT NOT NULL,
    mac TEXT
  )`,
  `CREATE TABLE audit (
    number INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    actor TEXT NOT NULL,
    team TEXT NOT NULL,
    channel TEXT NOT NULL,
    operation TEXT NOT NULL,
    target TEXT NOT NULL,
    content TEXT NOT NULL,
    hash TEXT NOT NULL,
    mac TEXT
  )`,
  `CREATE TABLE audit_head (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    number INTEGER NOT NULL,
    hash TEXT NOT NULL
  )`,
  `CREATE TABLE jobs (
    key TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    run_at INTEGER NOT NULL,
    holder TEXT,
    lease_until INTEGER,
    epoch INTEGER NOT NULL DEFAULT 0,
    tries INTEGER NOT NULL DEFAULT 0,
    body TEXT
  )`,
  `CREATE TABLE results (
    id TEXT PRIMARY KEY,
    actor TEXT NOT NULL,
    team TEXT NOT NULL,
    sealed TEXT NOT NULL,
    expires_at INTEGER NOT NULL
  )`,
  `CREATE TABLE log_slots (
    zone INTEGER NOT NULL,
    slot INTEGER NOT NULL,
    free_at INTEGER NOT NULL,
    PRIMARY KEY (zone, slot)
  )`,
  `CREATE TABLE subscriptions (
    id INTEGER PRIMARY KEY,
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
    next_slot INTEGER,
    mac TEXT
  )`,
  `CREATE TABLE report_ledger (
    subscription INTEGER NOT NULL,
    slot INTEGER NOT NULL,
    state TEXT NOT NULL,
    epoch INTEGER NOT NULL DEFAULT 0,
    sending INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0,
    not_before INTEGER NOT NULL,
    folded_into INTEGER,
    covers_from INTEGER,
    covers_to INTEGER,
    print TEXT,
    ts TEXT,
    settled_at INTEGER,
    PRIMARY KEY (subscription, slot)
  )`,
  `CREATE TABLE anchors (
    name TEXT NOT NULL,
    about INTEGER NOT NULL,
    at INTEGER NOT NULL,
    content TEXT NOT NULL,
    PRIMARY KEY (name, about)
  )`,
  `CREATE TABLE channel_turns (
    channel TEXT PRIMARY KEY,
    free_at INTEGER NOT NULL
  )`,
  `CREATE TABLE approval_copies (
    confirmation TEXT NOT NULL,
    channel TEXT NOT NULL,
    ts TEXT NOT NULL,
    own INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (confirmation, channel, ts)
  )`,
  `CREATE TABLE audit_starts (
    number INTEGER PRIMARY KEY,
    hash TEXT NOT NULL,
    at INTEGER NOT NULL,
    mac TEXT
  )`,
  `CREATE TABLE channel_moves (
    old_id TEXT PRIMARY KEY,
    new_id TEXT NOT NULL,
    at INTEGER NOT NULL,
    mac TEXT
  )`,
  `CREATE TABLE agent_tokens (
    actor TEXT NOT NULL,
    team TEXT NOT NULL,
    hash TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    mac TEXT,
    PRIMARY KEY (actor, team)
  )`,
  `CREATE TABLE marks (
    at INTEGER NOT NULL,
    text TEXT NOT NULL,
    zone INTEGER,
    url TEXT
  )`,
];

export const INDEXES: readonly string[] = [
  `CREATE INDEX confirmations_by_state ON confirmations (state, expires_at)`,
  `CREATE INDEX reversals_by_time ON reversals (state, due_at)`,
  `CREATE INDEX audit_by_target ON audit (target)`,
  `CREATE INDEX audit_by_actor ON audit (actor)`,
  `CREATE INDEX audit_by_confirmation ON audit ((content ->> 'confirmation'))`,
  `CREATE INDEX audit_by_time ON audit (at)`,
  `CREATE INDEX marks_by_time ON marks (at)`,
  `CREATE INDEX jobs_to_do ON jobs (run_at) WHERE body IS NOT NULL`,
  `CREATE INDEX jobs_done ON jobs (run_at) WHERE body IS NULL`,
  `CREATE INDEX jobs_held ON jobs (holder) WHERE holder IS NOT NULL`,
  `CREATE INDEX subscriptions_by_slot ON subscriptions (next_slot) WHERE state <> 'ended'`,
  `CREATE INDEX report_ledger_open ON report_ledger (subscription, not_before) WHERE state = 'due'`,
];

/** Tells one schema from another: a store that was made with another one is refused. */
export const SCHEMA_HASH: string = createHash('sha256')
  .update([...TABLES, ...INDEXES, JSON.stringify(TRIGGERS)].join(';'))
  .digest('hex')
  .slice(0, 16);
