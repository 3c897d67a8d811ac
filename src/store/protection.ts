import type { Seal } from './seal.ts';

/**
 * How the columns of a table withstand somebody who can write to it. The test says why the other columns need no
 * protection.
 */
export interface Protection {
  /** The row's place: a seal or a signature counts only under this key. */
  key: readonly string[];
  sealed?: readonly string[];
  /** Covered by the row's signature, with the key and with which sealed columns are empty. */
  signed?: readonly string[];
}

/** Every table with something that is sealed or signed. Test: `test/store/protection.test.ts`. */
export const PROTECTIONS = {
  confirmations: {
    key: ['id'],
    sealed: ['given', 'preview', 'approval'],
    signed: [
      'operation',
      'target',
      'typed_name',
      'actor',
      'team',
      'channel',
      'thread',
      'undoes',
      'created_at',
      'due_at',
    ],
  },
  approvals: { key: ['confirmation', 'approver'], signed: ['verdict', 'reason', 'at'] },
  reversals: {
    key: ['confirmation'],
    sealed: ['given'],
    signed: ['due_in', 'due_at', 'undo_until', 'watch_until', 'why'],
  },
  subscriptions: {
    key: ['id'],
    signed: ['origin', 'settings', 'version', 'created_at', 'muted_until', 'muted_print', 'muted_by'],
  },
  audit: { key: ['number'], signed: ['hash'] },
  audit_starts: { key: ['number'], signed: ['hash'] },
  channel_moves: { key: ['old_id'], signed: ['new_id', 'at'] },
  agent_tokens: { key: ['actor', 'team'], signed: ['hash', 'expires_at'] },
  results: { key: ['id', 'actor', 'team'], sealed: ['sealed'] },
  jobs: { key: ['key'], sealed: ['body'] },
  anchors: { key: ['name', 'about'], sealed: ['content'] },
} as const satisfies Record<string, Protection>;

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

export const isSent = (seal: Seal, { id, sent_mac }: Row): boolean => seal.proves(sentText(String(id)), sent_mac);

/** Somebody with the key has written the row, in this place. */
export const isGenuine = (seal: Seal, table: SignedTable, row: Row): boolean =>
  seal.proves(signedText(table, row), row.mac);
