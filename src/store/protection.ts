import type { Seal } from './seal.ts';

/** How the columns of a table withstand somebody who can write to it. Each column is in one of these. */
export interface Protection {
  /** The row's place: what is sealed or signed counts under this key alone. */
  key: readonly string[];
  /** Sealed text. */
  sealed?: readonly string[];
  /** Covered by the row's signature, with the key and with which sealed columns are empty. */
  signed?: readonly string[];
  /** Neither, and why that gives nobody anything. `all`: every column that is not named. */
  free?: Readonly<Record<string, string>>;
  /** How long a row is kept, or else what bounds their number. */
  kept: { for: string } | { atMost: string };
}

const LEASE = 'a lease: at worst something is done later, or looked at twice';
const BELIEVED = 'believed only as far as the audit allows';
const REPORTS = 'memory of reports: nothing is commanded with it';

/** Every table of the store. Test: `test/store/protection.test.ts`. */
export const PROTECTIONS = {
  confirmations: {
    key: ['id'],
    sealed: ['given', 'preview', 'approval'],
    signed: ['operation', 'target', 'typed_name', 'actor', 'team', 'channel', 'thread', 'undoes', 'created_at'],
    free: {
      state: BELIEVED,
      sent_mac: 'a signature: what is said to be sent has it, and nothing that waits',
      glass_broken: BELIEVED,
      expires_at: BELIEVED,
      reason: 'shown to those who approve, and in the audit as it was given',
      outcome: 'words about an end; an attempt to undo is followed by one at most that the audit has no end of',
      interaction: 'an id in lines of the log: nothing is decided by it',
      post_channel: 'the place of a message of the bot’s own',
      post_ts: 'the place of a message of the bot’s own',
    },
    kept: { for: 'CHANGES_KEEP_DAYS after it ended' },
  },
  approvals: {
    key: ['confirmation', 'approver'],
    signed: ['verdict', 'reason', 'at'],
    kept: { for: 'as long as its change' },
  },
  approval_copies: {
    key: [],
    free: { all: 'the places of messages of the bot’s own' },
    kept: { for: 'as long as its change' },
  },
  reversals: {
    key: ['confirmation'],
    sealed: ['given'],
    signed: ['due_in', 'due_at', 'undo_until'],
    free: { state: BELIEVED },
    kept: { for: 'as long as its change' },
  },
  subscriptions: {
    key: ['id'],
    signed: ['origin', 'settings', 'version', 'created_at', 'muted_until', 'muted_print', 'muted_by'],
    free: {
      state: 'the audit says which have ended',
      reason: 'words about a failure',
      owner_told: 'at worst somebody is told twice, or not',
      slots_until: LEASE,
      next_slot: LEASE,
    },
    kept: { for: 'two months after it ended' },
  },
  audit: {
    key: ['number'],
    signed: ['hash'],
    free: { all: 'covered by the hash' },
    kept: { atMost: 'AUDIT_KEEP_DAYS, if that is given' },
  },
  audit_starts: {
    key: ['number'],
    signed: ['hash'],
    free: { at: 'when it was made' },
    kept: { atMost: 'one row' },
  },
  channel_moves: {
    key: ['old_id'],
    signed: ['new_id', 'at'],
    kept: { atMost: 'one row a channel to which Slack has given another id' },
  },
  audit_head: { key: [], free: { all: 'compared with the newest entry' }, kept: { atMost: 'one row' } },
  results: {
    key: ['id', 'actor', 'team'],
    sealed: ['sealed'],
    free: { expires_at: 'at worst it is shown for longer' },
    kept: { for: 'an hour' },
  },
  greetings: {
    key: [],
    free: { all: 'at worst somebody is greeted twice, or not' },
    kept: { atMost: 'one row a person of the workspace' },
  },
  jobs: {
    key: ['key'],
    sealed: ['body'],
    free: {
      kind: 'sealed with the body',
      run_at: 'how long it is remembered, or when it is due: what is sealed has its own time',
      tries: 'at worst it is begun once more, or not',
      all: 'leases; without its row a payload that is repeated is taken again: presses are held once by what they press',
    },
    kept: { for: 'two hours after it is done' },
  },
  log_slots: { key: [], free: { all: LEASE }, kept: { for: 'a day after the last request' } },
  channel_turns: { key: [], free: { all: LEASE }, kept: { for: 'a day after the last post' } },
  report_ledger: { key: [], free: { all: REPORTS }, kept: { for: 'REPORTS_KEEP_DAYS' } },
  report_places: { key: [], free: { all: REPORTS }, kept: { for: 'as long as its subscription' } },
  error_groups: { key: [], free: { all: REPORTS }, kept: { for: 'ten days' } },
  zone_watches: { key: [], free: { all: REPORTS }, kept: { for: 'two days after it was last looked at' } },
  zone_hours: { key: [], free: { all: REPORTS }, kept: { for: 'two days after it was read' } },
  schema_hash: { key: [], free: { all: 'another one ends the start' }, kept: { atMost: 'one row' } },
} as const satisfies Record<string, Protection>;

/** A table whose rows are signed. */
export type SignedTable = {
  [T in keyof typeof PROTECTIONS]: 'signed' extends keyof (typeof PROTECTIONS)[T] ? T : never;
}[keyof typeof PROTECTIONS];

export const SIGNED_TABLES: readonly SignedTable[] = (Object.keys(PROTECTIONS) as SignedTable[]).filter(
  (table) => 'signed' in PROTECTIONS[table],
);

type Row = Readonly<Record<string, unknown>>;

/** The place of a sealed column, which what is sealed is bound to. */
export const placeOf = (table: keyof typeof PROTECTIONS, column: string, key: string): string =>
  JSON.stringify([table, column, key]);

function signedText(table: SignedTable, row: Row): string {
  const { key, signed, sealed = [] }: Protection = PROTECTIONS[table];
  const values = [...key, ...(signed ?? [])].map((column) => row[column] ?? null);
  return JSON.stringify([table, values, sealed.map((column) => (row[column] ?? null) === null)]);
}

/** The signature of a row, for its column `mac`; null without a key. */
export const macOf = (seal: Seal, table: SignedTable, row: Row): string | null => seal.sign(signedText(table, row));

const sentText = (id: string) => JSON.stringify(['confirmations', id, 'sent']);

/** The signature that a change gets when it is sent. */
export const sentMacOf = (seal: Seal, id: string): string | null => seal.sign(sentText(id));

/** The bot has sent it. */
export const isSent = (seal: Seal, { id, sent_mac }: Row): boolean => seal.proves(sentText(String(id)), sent_mac);

/** Somebody with the key has written the row, in this place. */
export const isGenuine = (seal: Seal, table: SignedTable, row: Row): boolean =>
  seal.proves(signedText(table, row), row.mac);
