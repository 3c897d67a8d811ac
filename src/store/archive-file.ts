import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { hashOf } from './audit-chain.ts';
import { isGenuine } from './protection.ts';
import type { Seal } from './seal.ts';

const COLUMNS = ['number', 'at', 'actor', 'team', 'channel', 'operation', 'target', 'content', 'hash', 'mac'] as const;

/** The first line of an archive: the hash that its first entry goes on from. */
export const headerLine = (before: string): string => `${JSON.stringify({ before })}\n`;

/** An entry as a line of an archive. */
export const entryLine = (row: Readonly<Record<string, unknown>>): string =>
  `${JSON.stringify(Object.fromEntries(COLUMNS.map((column) => [column, row[column] ?? null])))}\n`;

/** The first and the last entry of an archive, and what is wrong with it. */
export interface ArchiveVerdict {
  first: number;
  last: number;
  /** The hash that it goes on from, and that of its last entry. */
  before: string;
  head: string;
  /** The head that was looked for is one of its entries. */
  hasHead: boolean;
  /** The number of the first entry that is not as the bot has written it. */
  broken?: { number: number; what: 'changed' | 'missing' | 'unsigned' };
}

/** Walks the chain in an archive, by itself alone. Throws where the file is no archive. */
export async function verifyArchive(path: string, seal: Seal, head?: string): Promise<ArchiveVerdict> {
  let verdict: ArchiveVerdict | undefined;
  for await (const line of createInterface({ input: createReadStream(path) })) {
    const row = JSON.parse(line) as Record<string, unknown>;
    if (verdict === undefined) {
      if (typeof row.before !== 'string') throw new Error('it does not begin like an archive of the audit');
      verdict = { first: 0, last: 0, before: row.before, head: row.before, hasHead: false };
      continue;
    }
    const number = Number(row.number);
    const what =
      verdict.first !== 0 && number !== verdict.last + 1
        ? 'missing'
        : hashOf(verdict.head, row) !== row.hash
          ? 'changed'
          : isGenuine(seal, 'audit', row)
            ? undefined
            : 'unsigned';
    if (what !== undefined)
      return { ...verdict, broken: { number: what === 'missing' ? verdict.last + 1 : number, what } };
    verdict = {
      ...verdict,
      first: verdict.first || number,
      last: number,
      head: String(row.hash),
      hasHead: verdict.hasHead || row.hash === head,
    };
  }
  if (verdict === undefined) throw new Error('it is empty');
  return verdict;
}
