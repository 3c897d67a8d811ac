import {
  type ChangeState,
  type ChangeTransition,
  type REVERSAL_STATES,
  REVERSAL_TRANSITIONS,
  TRANSITIONS,
} from '../changes/change.ts';

/** `'asked', 'approved'`, for `state IN (…)`. */
export const states = (...names: readonly ChangeState[]): string => quoted(names);

/** The same for reversals. */
export const reversalStates = (...names: readonly (keyof typeof REVERSAL_STATES)[]): string => quoted(names);

/** The statement of one transition of a change: it moves only a row that stands where the transition begins. */
export const moveChange = (name: ChangeTransition, set: string, where: string): string =>
  moved('confirmations', TRANSITIONS[name], set, where);

/** The same for a reversal. */
export const moveReversal = (name: keyof typeof REVERSAL_TRANSITIONS, set: string, where: string): string =>
  moved('reversals', REVERSAL_TRANSITIONS[name], set, where);

interface Move {
  from: readonly string[];
  to: string;
}

function moved(table: string, { from, to }: Move, set: string, where: string): string {
  const more = set === '' ? '' : `, ${set}`;
  return `UPDATE ${table} SET state = '${to}'${more} WHERE state IN (${quoted(from)}) AND ${where} RETURNING *`;
}

const quoted = (names: readonly string[]): string => names.map((name) => `'${name}'`).join(', ');

/** Tells the database every transition there is. Those of other versions stay: their replicas may run beside this one. */
export const KNOWN_MOVES: string = `INSERT OR IGNORE INTO change_transitions (of_table, from_state, to_state) VALUES ${[
  ...pairsOf('confirmations', TRANSITIONS),
  ...pairsOf('reversals', REVERSAL_TRANSITIONS),
].join(', ')}`;

function pairsOf(table: string, transitions: Record<string, Move>): string[] {
  return Object.values(transitions).flatMap(({ from, to }) =>
    (from.length === 0 ? [''] : from).map((before) => `('${table}', '${before}', '${to}')`),
  );
}

const REFUSAL = `SELECT raise(ABORT, 'a change does not move like this: src/changes/change.ts has its transitions')`;

/** Refuses, whichever program writes, a state that a row cannot begin with or come to. */
const triggersOf = (table: string): string[] => [
  `CREATE TRIGGER ${table}_begin BEFORE INSERT ON ${table}
   WHEN NOT EXISTS (SELECT 1 FROM change_transitions WHERE of_table = '${table}' AND from_state = '' AND to_state = new.state) BEGIN ${REFUSAL}; END`,
  `CREATE TRIGGER ${table}_move BEFORE UPDATE OF state ON ${table} WHEN old.state <> new.state
   AND NOT EXISTS (SELECT 1 FROM change_transitions WHERE of_table = '${table}' AND from_state = old.state AND to_state = new.state) BEGIN ${REFUSAL}; END`,
];

/** The id of a change that undoes another: `undo-`, the 16 characters of the other, and `-2` for the second attempt. */
const UNDOES = `undoes = substr(id, 6, 16), attempt = CASE WHEN length(id) > 22 THEN CAST(substr(id, 23) AS INTEGER) ELSE 1 END`;
const NOT_SENT = `'not sent: the bot stopped before the request left'`;

/** Facts that were kept in strings and in one lease become columns, and only known transitions are taken. */
export const movesMigration = {
  name: 'moves of changes',
  statements: [
    'ALTER TABLE confirmations ADD COLUMN undoes TEXT',
    'ALTER TABLE confirmations ADD COLUMN attempt INTEGER',
    'ALTER TABLE confirmations ADD COLUMN interrupted INTEGER NOT NULL DEFAULT 0',
    'ALTER TABLE confirmations ADD COLUMN notify_after INTEGER',
    `UPDATE confirmations SET ${UNDOES} WHERE id GLOB 'undo-*'`,
    `UPDATE confirmations SET interrupted = 1 WHERE outcome = ${NOT_SENT}`,
    `UPDATE confirmations SET notify_after = lease_until, lease_until = NULL WHERE state NOT IN ('claimed', 'sent')`,
    'CREATE INDEX confirmations_to_notify ON confirmations (notify_after)',
    'CREATE UNIQUE INDEX confirmations_by_undone ON confirmations (undoes, attempt) WHERE undoes IS NOT NULL',
    `CREATE TABLE change_transitions (of_table TEXT NOT NULL, from_state TEXT NOT NULL, to_state TEXT NOT NULL,
     PRIMARY KEY (of_table, from_state, to_state)) STRICT, WITHOUT ROWID`,
    KNOWN_MOVES,
    ...triggersOf('confirmations'),
    ...triggersOf('reversals'),
    // Replicas of the version before may still run: their facts are put where this version reads them.
    `CREATE TRIGGER confirmations_undoes AFTER INSERT ON confirmations WHEN new.undoes IS NULL AND new.id GLOB 'undo-*'
     BEGIN UPDATE confirmations SET ${UNDOES} WHERE id = new.id; END`,
    `CREATE TRIGGER confirmations_interrupted AFTER UPDATE OF outcome ON confirmations
     WHEN new.interrupted = 0 AND new.outcome = ${NOT_SENT}
     BEGIN UPDATE confirmations SET interrupted = 1 WHERE id = new.id; END`,
  ],
};
