import { archivesMigration } from './archives.ts';
import { channelPaceMigration } from './channel-pace.ts';
import { errorGroupsMigration } from './error-groups.ts';
import { greetingsMigration } from './greetings.ts';
import { movesMigration } from './moves.ts';
import { processesMigration } from './processes.ts';
import { reportLedgerMigration } from './report-ledger.ts';
import { subscriptionsMigration } from './subscriptions.ts';
import { zoneHoursMigration } from './zone-hours.ts';
import { zoneWatchesMigration } from './zone-watches.ts';

/** The store's tables, in the order in which they came to be. An entry is never changed once it has been released. */
export const migrations: readonly { name: string; statements: readonly string[] }[] = [
  {
    name: 'confirmations',
    statements: [
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
        lease_until INTEGER
      ) STRICT`,
      `CREATE TABLE approvals (
        confirmation TEXT NOT NULL,
        approver TEXT NOT NULL,
        verdict TEXT NOT NULL,
        reason TEXT NOT NULL,
        at INTEGER NOT NULL,
        PRIMARY KEY (confirmation, approver)
      ) STRICT, WITHOUT ROWID`,
      `CREATE TABLE reversals (
        confirmation TEXT PRIMARY KEY,
        given TEXT NOT NULL,
        due_in INTEGER,
        undo_until INTEGER,
        due_at INTEGER,
        state TEXT NOT NULL,
        lease_until INTEGER
      ) STRICT, WITHOUT ROWID`,
      'CREATE INDEX reversals_by_time ON reversals (state, due_at)',
      'CREATE INDEX confirmations_by_state ON confirmations (state, lease_until)',
    ],
  },
  {
    name: 'audit',
    statements: [
      `CREATE TABLE audit (
        number INTEGER PRIMARY KEY,
        at INTEGER NOT NULL,
        actor TEXT NOT NULL,
        team TEXT NOT NULL,
        channel TEXT NOT NULL,
        operation TEXT NOT NULL,
        target TEXT NOT NULL,
        content TEXT NOT NULL,
        hash TEXT NOT NULL
      ) STRICT`,
      // Written with the entry by the same statement: entries that are cut off at the end are missed.
      'CREATE TABLE audit_head (one INTEGER PRIMARY KEY CHECK (one = 1), number INTEGER NOT NULL, hash TEXT NOT NULL) STRICT',
      `CREATE TRIGGER audit_grows AFTER INSERT ON audit BEGIN
        INSERT INTO audit_head (one, number, hash) VALUES (1, new.number, new.hash)
        ON CONFLICT (one) DO UPDATE SET number = new.number, hash = new.hash;
      END`,
      `CREATE TRIGGER audit_stays BEFORE UPDATE ON audit BEGIN SELECT raise(ABORT, 'the audit is append-only'); END`,
      `CREATE TRIGGER audit_keeps BEFORE DELETE ON audit BEGIN SELECT raise(ABORT, 'the audit is append-only'); END`,
      'CREATE INDEX audit_by_target ON audit (target)',
      'CREATE INDEX audit_by_actor ON audit (actor)',
    ],
  },
  {
    name: 'deliveries',
    statements: [
      'CREATE TABLE deliveries (key TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID',
      'CREATE INDEX deliveries_by_age ON deliveries (at)',
    ],
  },
  {
    name: 'results',
    statements: [
      `CREATE TABLE results (
        id TEXT PRIMARY KEY,
        actor TEXT NOT NULL,
        team TEXT NOT NULL,
        sealed BLOB NOT NULL,
        expires_at INTEGER NOT NULL
      ) STRICT`,
    ],
  },
  {
    name: 'log slots',
    statements: [
      `CREATE TABLE log_slots (
        zone INTEGER NOT NULL,
        slot INTEGER NOT NULL,
        free_at INTEGER NOT NULL,
        owner TEXT,
        PRIMARY KEY (zone, slot)
      ) STRICT, WITHOUT ROWID`,
    ],
  },
  {
    name: 'report posts',
    statements: [
      `CREATE TABLE IF NOT EXISTS report_posts (
        report TEXT NOT NULL,
        channel TEXT NOT NULL,
        slot INTEGER NOT NULL,
        state TEXT NOT NULL,
        covers_from INTEGER,
        covers_to INTEGER,
        ts TEXT,
        posted_at INTEGER,
        claimed_at INTEGER NOT NULL,
        PRIMARY KEY (report, channel, slot)
      ) STRICT, WITHOUT ROWID`,
    ],
  },
  subscriptionsMigration,
  reportLedgerMigration,
  channelPaceMigration,
  errorGroupsMigration,
  {
    name: 'approval copies',
    statements: [
      `CREATE TABLE approval_copies (
        confirmation TEXT NOT NULL,
        channel TEXT NOT NULL,
        ts TEXT NOT NULL,
        PRIMARY KEY (confirmation, channel, ts)
      ) STRICT, WITHOUT ROWID`,
    ],
  },
  movesMigration,
  greetingsMigration,
  {
    name: 'the requester’s copy of an approval',
    statements: ['ALTER TABLE approval_copies ADD COLUMN own INTEGER NOT NULL DEFAULT 0'],
  },
  {
    name: 'signatures',
    statements: [
      ...['confirmations', 'approvals', 'reversals', 'subscriptions', 'audit'].map(
        (table) => `ALTER TABLE ${table} ADD COLUMN mac TEXT`,
      ),
      // Proofs that a change was sent, and that it was let through without approval.
      'ALTER TABLE confirmations ADD COLUMN sent_mac TEXT',
      'ALTER TABLE confirmations ADD COLUMN glass_mac TEXT',
      // A change of the key signs the entries anew; what they say stays.
      'DROP TRIGGER audit_stays',
      `CREATE TRIGGER audit_stays BEFORE UPDATE OF number, at, actor, team, channel, operation, target, content, hash ON audit
        BEGIN SELECT raise(ABORT, 'the audit is append-only'); END`,
      `CREATE INDEX audit_by_confirmation ON audit (json_extract(content, '$.confirmation'))`,
      'CREATE INDEX audit_by_time ON audit (at)',
    ],
  },
  archivesMigration,
  processesMigration,
  { name: 'the interaction of a change', statements: ['ALTER TABLE confirmations ADD COLUMN interaction TEXT'] },
  { name: 'the process of a slot', statements: ['ALTER TABLE report_ledger ADD COLUMN holder TEXT'] },
  zoneWatchesMigration,
  zoneHoursMigration,
];
