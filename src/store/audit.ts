import type { Database } from './database.ts';

/** Who did (or tried) what, where, to what, and how it ended. Never holds a secret: the runner masks before it writes. */
export interface AuditEntry {
  actor: string;
  team: string;
  channel: string;
  operation: string;
  target: string;
  given: Record<string, string>;
  /** `done`, `failed`, `refused`, `cancelled`, `unknown`, … */
  outcome: string;
  detail: string;
  confirmation?: string | undefined;
  /** The reference that an unexpected error was logged under. */
  reference?: string | undefined;
}

export interface StoredAuditEntry extends AuditEntry {
  id: string;
  at: Date;
}

export interface Audit {
  append(entry: AuditEntry): Promise<void>;
  /** Newest first. `target` matches a part, in any case; `operation` a whole name or its noun. */
  list(filter: {
    actor?: string | undefined;
    operation?: string | undefined;
    target?: string | undefined;
    limit: number;
  }): Promise<StoredAuditEntry[]>;
}

export function createAudit(database: Database): Audit {
  return {
    async append(entry) {
      await database.execute(
        `INSERT INTO audit (at, actor, team, channel, operation, target, given, outcome, detail, confirmation, reference)
         VALUES (:now, :actor, :team, :channel, :operation, :target, :given, :outcome, :detail, :confirmation, :reference)`,
        {
          actor: entry.actor,
          team: entry.team,
          channel: entry.channel,
          operation: entry.operation,
          target: entry.target,
          given: JSON.stringify(entry.given),
          outcome: entry.outcome,
          detail: entry.detail,
          confirmation: entry.confirmation ?? null,
          reference: entry.reference ?? null,
        },
      );
    },
    async list({ actor, operation, target, limit }) {
      const { rows } = await database.execute(
        `SELECT * FROM audit
         WHERE (:actor IS NULL OR actor = :actor)
           AND (:operation IS NULL OR operation = :operation OR operation LIKE :operation || ' %')
           AND (:target IS NULL OR instr(lower(target), lower(:target)) > 0)
         ORDER BY id DESC LIMIT :limit`,
        { actor: actor ?? null, operation: operation ?? null, target: target ?? null, limit },
      );
      return rows.map((row) => ({
        id: String(row.id),
        at: new Date(Number(row.at)),
        actor: String(row.actor),
        team: String(row.team),
        channel: String(row.channel),
        operation: String(row.operation),
        target: String(row.target),
        given: JSON.parse(String(row.given)),
        outcome: String(row.outcome),
        detail: String(row.detail),
        ...(row.confirmation === null ? {} : { confirmation: String(row.confirmation) }),
        ...(row.reference === null ? {} : { reference: String(row.reference) }),
      }));
    },
  };
}
