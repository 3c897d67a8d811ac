import {
  type ChangeState,
  type ChangeTransition,
  type REVERSAL_STATES,
  REVERSAL_TRANSITIONS,
  STATES,
  TRANSITIONS,
} from '../changes/change.ts';

/** For `state IN (…)`: `'asked', 'approved'`. */
export const states = (...names: readonly ChangeState[]): string => quoted(names);

export const reversalStates = (...names: readonly (keyof typeof REVERSAL_STATES)[]): string => quoted(names);

/** The statement of a transition. It changes only a row in a state where the transition begins, and notes when it ends. */
export const moveChange = (name: ChangeTransition, set: string, where: string): string => {
  const { from, to } = TRANSITIONS[name];
  if (typeof to !== 'string') return moved('confirmations', from, BEFORE_CLAIM, set, where);
  const ended = name !== 'expire' && STATES[to].stage === 'over' ? 'expires_at = :now' : '';
  return moved('confirmations', from, quoted([to]), [set, ended].filter(Boolean).join(', '), where);
};

const BEFORE_CLAIM =
  "CASE WHEN due_at IS NOT NULL THEN 'planned' WHEN approval IS NOT NULL THEN 'approved' ELSE 'asked' END";

export function moveReversal(name: keyof typeof REVERSAL_TRANSITIONS, set: string, where: string): string {
  const { from, to } = REVERSAL_TRANSITIONS[name];
  return moved('reversals', from, quoted([to]), set, where);
}

function moved(table: string, from: readonly string[], to: string, set: string, where: string): string {
  const more = set === '' ? '' : `, ${set}`;
  return `UPDATE ${table} SET state = ${to}${more} WHERE state IN (${quoted(from)}) AND ${where} RETURNING *`;
}

const quoted = (names: readonly string[]): string => names.map((name) => `'${name}'`).join(', ');
