import { statesIn } from '../changes/change.ts';
import { DAY } from '../time.ts';
import type { RowProblem } from './audit-chain.ts';
import { CONFIRMATION_LIFETIME, confirmationOf } from './confirmations.ts';
import { type Database, timeOf } from './database.ts';
import { reversalStates, states } from './moves.ts';
import { isGenuine, PROTECTIONS } from './protection.ts';
import { reversalOf } from './reversals.ts';
import type { Seal } from './seal.ts';
import { doubtOf, ENDED_FOR, type Standing } from './standing.ts';

const MOST = 100;
const SIGNED = ['confirmations', 'approvals', 'reversals', 'subscriptions', 'audit_archives'] as const;

/** Looks at every signed row and, where the audit is whole, at what it says of them. */
export async function examine(
  database: Database,
  seal: Seal,
  isAuditWhole: boolean,
  standing: Standing,
): Promise<RowProblem[]> {
  const problems: RowProblem[] = [];
  for (const table of SIGNED) {
    const { rows } = await database.execute(`SELECT *, :now AS now FROM ${table}`);
    for (const row of rows) {
      const isWhole =
        table === 'confirmations'
          ? isWholeChange(row, seal)
          : table === 'reversals'
            ? reversalOf(row, seal).unreadable !== true
            : isGenuine(seal, table, row);
      const key = String(row[PROTECTIONS[table].key[0]]);
      if (!isWhole) problems.push({ table, key, what: 'was not written like this by the bot' });
    }
  }
  const { rows } = isAuditWhole ? await database.execute(CONTRADICTIONS) : { rows: [] };
  for (const { table, key, what } of rows)
    problems.push({ table: String(table), key: String(key), what: String(what) });
  if (isAuditWhole) problems.push(...(await examineSubscriptions(database, standing)));
  return problems.slice(0, MOST);
}

/** Nobody but the bot has written it, and nothing of it was emptied before its time. */
function isWholeChange(row: Record<string, unknown>, seal: Seal): boolean {
  const { unreadable, emptied, createdAt } = confirmationOf(row, seal);
  return unreadable !== true && (emptied !== true || createdAt.getTime() < Number(row.now) - DAY);
}

async function examineSubscriptions(database: Database, standing: Standing): Promise<RowProblem[]> {
  const { rows } = await database.execute('SELECT * FROM subscriptions');
  const living = rows
    .filter(({ state }) => state !== 'ended')
    .map((row) => ({ id: Number(row.id), version: Number(row.version), createdAt: new Date(Number(row.created_at)) }));
  const ids = new Set(
    rows
      .filter(({ id, state }) => state !== 'ended' || standing.words.get(Number(id))?.isEnded === true)
      .map(({ id }) => Number(id)),
  );
  const unsigned = rows.filter((row) => row.mac === null && standing.words.get(Number(row.id))?.isEnded === true);
  const now = await timeOf(database);
  // One that ended long ago is forgotten.
  const missing = [...standing.words.values()].filter(
    ({ id, isEnded, at }) => !ids.has(id) && (isEnded !== true || at > now - ENDED_FOR + DAY),
  );
  const found = [
    ...living.map((one) => ({ id: one.id, what: doubtOf(standing, one) })),
    ...unsigned.map(({ id }) => ({ id: Number(id), what: 'was not written like this by the bot' })),
    ...missing.map(({ id }) => ({ id, what: 'is missing, or has another end than the audit says' })),
  ];
  return found.flatMap(({ id, what }) => (what === undefined ? [] : [{ table: 'subscriptions', key: `${id}`, what }]));
}

const LIVING = states(...statesIn('asking'), ...statesIn('running'));
const ENDS = `('done', 'failed', 'unknown', 'refused', 'rejected', 'cancelled', 'withdrawn')`;
const WORD = `CASE state WHEN 'undone' THEN 'done' WHEN 'overtaken' THEN 'refused' ELSE state END`;
const SAYS = (outcomes: string, id = 'c.id') =>
  `EXISTS (SELECT 1 FROM words WHERE about = ${id} AND outcome IN ${outcomes})`;
const MADE = SAYS(`('done', 'unknown')`, 'r.confirmation');
const BACK = `EXISTS (SELECT 1 FROM words WHERE about GLOB 'undo-' || r.confirmation || '*' AND outcome = 'done')`;

/** A process may be just about to write its entry: then somebody is still to be notified. */
const CONTRADICTIONS = `WITH words AS (
    SELECT json_extract(content, '$.confirmation') AS about, json_extract(content, '$.outcome') AS outcome,
      json_extract(content, '$.detail') AS detail, json_extract(content, '$.undoable') AS undoable, actor, at
    FROM audit WHERE json_extract(content, '$.confirmation') IS NOT NULL)
  SELECT 'confirmations' AS "table", c.id AS key, 'is over, as the audit says' AS what FROM confirmations AS c
    WHERE state IN (${LIVING}) AND ${SAYS(ENDS)}
  UNION ALL SELECT 'confirmations', c.id, 'has another end than the audit says' FROM confirmations AS c
    WHERE state NOT IN (${LIVING}) AND ${SAYS(ENDS)} AND NOT ${SAYS(`(${WORD})`)}
  UNION ALL SELECT 'confirmations', c.id, 'has an end that the audit does not know' FROM confirmations AS c
    WHERE state IN (${states('done', 'undone', 'unknown', 'failed', 'cancelled', 'rejected')}) AND notify_after IS NULL
      AND NOT ${SAYS(`(${WORD})`)}
  UNION ALL SELECT 'confirmations', c.id, 'was not asked of others, as far as the audit knows' FROM confirmations AS c
    WHERE state IN (${states('waiting', 'approved')}) AND notify_after IS NULL AND NOT ${SAYS(`('waiting', 'break-glass')`)}
  UNION ALL SELECT 'confirmations', c.id, 'does not need so long, or not so little' FROM confirmations AS c
    WHERE state IN (${states('asked', 'drafted')}) AND expires_at <> created_at + ${CONFIRMATION_LIFETIME} AND NOT ${SAYS(`('waiting', 'approved', 'break-glass')`)}
  UNION ALL SELECT 'confirmations', c.id, 'ended too early' FROM confirmations AS c WHERE state IN (${states('expired')}) AND expires_at > :now
  UNION ALL SELECT 'confirmations', c.id, 'has another reason than the audit says' FROM confirmations AS c
    WHERE ${SAYS(`('waiting', 'break-glass')`)} AND NOT EXISTS (
      SELECT 1 FROM words WHERE about = c.id AND outcome IN ('waiting', 'break-glass') AND detail = coalesce(c.reason, ''))
  UNION ALL SELECT DISTINCT 'confirmations', about, 'is missing' FROM words
    WHERE at > :now - ${20 * DAY} AND NOT EXISTS (SELECT 1 FROM confirmations WHERE id = about)
  UNION ALL SELECT 'approvals', vote.about, 'lacks a vote of ' || vote.actor FROM words AS vote
    WHERE vote.outcome IN ('approved', 'rejected') AND EXISTS (SELECT 1 FROM confirmations WHERE id = vote.about)
      AND NOT EXISTS (SELECT 1 FROM words WHERE about = vote.about AND actor = vote.actor AND outcome = 'retracted')
      AND NOT EXISTS (SELECT 1 FROM approvals
        WHERE confirmation = vote.about AND approver = vote.actor AND verdict = vote.outcome)
  UNION ALL SELECT DISTINCT 'reversals', about, 'is missing' FROM words
    WHERE undoable = 1 AND at > :now - ${20 * DAY} AND NOT EXISTS (SELECT 1 FROM reversals WHERE confirmation = about)
  UNION ALL SELECT 'reversals', r.confirmation, 'was put back, as the audit says' FROM reversals AS r
    WHERE state IN (${reversalStates('kept', 'open')}) AND ${BACK}
  UNION ALL SELECT 'reversals', r.confirmation, 'was not put back, as far as the audit knows' FROM reversals AS r
    WHERE state IN (${reversalStates('done')}) AND NOT ${BACK}
  UNION ALL SELECT 'reversals', r.confirmation, 'belongs to nothing that the audit says was done' FROM reversals AS r
    WHERE state IN (${reversalStates('open', 'claimed')}) AND NOT ${MADE}
  UNION ALL SELECT 'reversals', r.confirmation, 'can be put back, as the audit says' FROM reversals AS r
    JOIN confirmations AS c ON c.id = r.confirmation WHERE r.state IN (${reversalStates('kept')}) AND c.notify_after IS NULL AND ${MADE}
  LIMIT ${MOST}`;
