import { UsageError } from '../errors.ts';
import { toType } from '../own-name.ts';

/** How much one person may have in the store, and everybody together. */
export const CAPS = {
  questions: {
    person: 20,
    all: 2_000,
    words: 'changes that wait for you to confirm them',
    hint: () => 'Confirm or cancel one. What nobody answers ends after 15 minutes.',
  },
  approvals: {
    person: 20,
    all: 2_000,
    words: 'changes that wait for an approval, for you to run them, or for their time',
    hint: () => `${toType('approval list')} shows them. Run or cancel one.`,
  },
  reversals: {
    person: 50,
    all: 2_000,
    words: 'temporary changes',
    hint: () => 'Press Switch back now under one of them, or leave `--for` out.',
  },
  subscriptions: {
    person: 50,
    all: 500,
    words: 'subscriptions',
    hint: () => `${toType('report list')} shows them, ${toType('report unsubscribe')} ends one.`,
  },
} as const;

/** A person, or everybody together, has reached a limit of the store. */
export class TooManyError extends UsageError {
  override name = 'TooManyError';
}

/** How many a person has, and everybody together. */
export interface Counts {
  own: number;
  all: number;
}

/** Reads the row of such a count. SQL’s sum over nothing is null. */
export const countsOf = (row: Record<string, unknown> | undefined): Counts => ({
  own: Number(row?.own),
  all: Number(row?.all),
});

/** Throws TooManyError if one more is too much. */
export function withinCap(what: keyof typeof CAPS, has: Counts): void {
  const { person, all, words, hint } = CAPS[what];
  if (has.own >= person) throw new TooManyError(`You have ${person} ${words}. That’s the limit.`, { hint: hint() });
  if (has.all >= all)
    throw new TooManyError(`This workspace has ${all} ${words}. That’s the limit.`, {
      hint: 'Try again later, or tell whoever runs Edgewise.',
    });
}
