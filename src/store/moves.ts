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
  const ended = name !== 'expire' && STATES[TRANSITIONS[name].to].stage === 'over' ? 'expires_at = :now' : '';
  return moved('confirmations', TRANSITIONS[name], [set, ended].filter(Boolean).join(', '), where);
};

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
