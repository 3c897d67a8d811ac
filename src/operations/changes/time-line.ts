import type { Command } from '../../policy/names.ts';
import type { AuditQuery, StoredAuditEntry } from '../../store/audit-entry.ts';
import type { Mark, Marks } from '../../store/marks.ts';

/** `bot`: by Edgewise, as its own audit has it. `mark`: what others say that they did. */
export type Changed = { by: 'bot'; at: Date; entry: StoredAuditEntry } | { by: 'mark'; at: Date; mark: Mark };

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
  marks: Pick<Marks, 'list'>;
}

const MOST = 200;

export function createTimeLine({ operations, audit, marks }: Services): ReadTimeLine {
  const changes = operations.filter(({ effect }) => effect !== 'read').map(({ name }) => name);
  return async ({ zone, from, to }) => {
    const target = zone === undefined ? undefined : `(${zone})`;
    const [entries, marked] = await Promise.all([
      audit.list({ changes, target, since: from, until: to, limit: MOST }),
      marks.list({ zone, since: from, until: to, limit: MOST }),
    ]);
    const all: Changed[] = [
      ...entries.map((entry) => ({ by: 'bot' as const, at: entry.at, entry })),
      ...marked.map((mark) => ({ by: 'mark' as const, at: mark.at, mark })),
    ];
    return {
      changes: all.sort((a, b) => b.at.getTime() - a.at.getTime()),
      isCut: [entries, marked].some(({ length }) => length === MOST),
    };
  };
}
