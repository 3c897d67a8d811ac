import type { Command } from '../../policy/names.ts';
import type { AuditQuery, StoredAuditEntry } from '../../store/audit-entry.ts';

/** `bot`: by Edgewise, as its own audit has it. */
export type Changed = { by: 'bot'; at: Date; entry: StoredAuditEntry };

export interface Stretch {
  /** The id of a pull zone. Without it, everything. */
  zone?: number | undefined;
  from: Date;
  to: Date;
}

export interface TimeLine {
  /** Newest first. */
  changes: readonly Changed[];
  /** There were more than are read. */
  isCut: boolean;
}

/** What changed between two moments, whoever did it. */
export type ReadTimeLine = (stretch: Stretch) => Promise<TimeLine>;

interface Services {
  operations: readonly Pick<Command, 'name' | 'effect'>[];
  audit: { list(query: AuditQuery): Promise<StoredAuditEntry[]> };
}

const MOST = 200;

export function createTimeLine({ operations, audit }: Services): ReadTimeLine {
  const changes = operations.filter(({ effect }) => effect !== 'read').map(({ name }) => name);
  return async ({ zone, from, to }) => {
    const target = zone === undefined ? undefined : `(${zone})`;
    const entries = await audit.list({ changes, target, since: from, until: to, limit: MOST });
    return {
      changes: entries.map((entry) => ({ by: 'bot', at: entry.at, entry })),
      isCut: entries.length === MOST,
    };
  };
}
