/** How much one person may have begun: a burst at once, then so many a second; and so many at the same time. */
export interface Allowance {
  burst: number;
  perSecond: number;
  underway: number;
}

/** Far more than anybody types or presses, and far less than the bot can do. */
export const ALLOWANCE: Allowance = { burst: 20, perSecond: 2, underway: 10 };
/** Somebody who is over it is told so once in so long, in milliseconds: each sentence is a call to Slack. */
const TELL_EVERY = 10_000;
/** People who are remembered. Those with nothing under way whose burst is whole again are forgotten first. */
const MOST_PEOPLE = 10_000;

interface Spending {
  left: number;
  /** When `left` was right, in milliseconds of the monotonic clock. */
  at: number;
  underway: number;
  toldAt: number;
}

/** Everybody's, by the id of the person. */
export interface Allowances {
  readonly allowance: Allowance;
  readonly people: Map<string, Spending>;
  /** Milliseconds of a clock that only goes forward. */
  readonly now: () => number;
}

/** A thing that is `begun` has to be ended with `end`; `told` is refused in silence, because the person was told a moment ago. */
export type Admission = 'begun' | 'refused' | 'told';

/** Nobody has begun anything. */
export const createAllowances = (allowance = ALLOWANCE, now = () => performance.now()): Allowances => ({
  allowance,
  people: new Map(),
  now,
});

/** Begins one more thing of this person, or says that it may not. It costs the same however many people and refusals there are. */
export function begin(allowances: Allowances, person: string): Admission {
  const { allowance, people } = allowances;
  const now = allowances.now();
  const spending = people.get(person) ?? { left: allowance.burst, at: now, underway: 0, toldAt: -TELL_EVERY };
  people.delete(person);
  people.set(person, spending);
  if (people.size > MOST_PEOPLE) forget(allowances);
  refill(spending, allowance, now);
  if (spending.left >= 1 && spending.underway < allowance.underway) {
    spending.left -= 1;
    spending.underway += 1;
    return 'begun';
  }
  if (now - spending.toldAt < TELL_EVERY) return 'told';
  spending.toldAt = now;
  return 'refused';
}

/** One thing less of this person is under way. */
export function end({ people }: Allowances, person: string): void {
  const spending = people.get(person);
  if (spending !== undefined) spending.underway -= 1;
}

function refill(spending: Spending, { burst, perSecond }: Allowance, now: number): void {
  spending.left = Math.min(burst, spending.left + ((now - spending.at) / 1_000) * perSecond);
  spending.at = now;
}

/** Forgets the one that was seen longest ago, unless something of theirs is under way. */
function forget({ people }: Allowances): void {
  for (const [person, { underway }] of people) {
    if (underway > 0) continue;
    people.delete(person);
    return;
  }
}

/** The person who is charged for a payload, whatever they did. */
export function personOf(body: Readonly<Record<string, unknown>>): string | undefined {
  const { type, user_id: typedBy, user, event } = body;
  if (typeof body.command === 'string') return textOf(typedBy);
  return textOf(type === 'event_callback' ? fieldOf(event, 'user') : fieldOf(user, 'id'));
}

const fieldOf = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
