/** A token bucket for each person, and a limit on their work under way. */
export interface Allowance {
  burst: number;
  perSecond: number;
  underway: number;
}

/** More than anybody types, and far less than the bot can handle. */
export const ALLOWANCE: Allowance = { burst: 20, perSecond: 2, underway: 10 };

interface Spending {
  left: number;
  /** In milliseconds of the monotonic clock. */
  at: number;
  underway: number;
  toldAt: number;
}

export interface Allowances {
  readonly allowance: Allowance;
  readonly people: Map<string, Spending>;
  /** Monotonic, in milliseconds. */
  readonly now: () => number;
}

/** After `begun` call `end`. `told`: refused in silence, because the person was told a moment ago. */
export type Admission = 'begun' | 'refused' | 'told';

export const createAllowances = (allowance = ALLOWANCE, now = () => performance.now()): Allowances => ({
  allowance,
  people: new Map(),
  now,
});

/** Takes constant time, however many people and refusals there are. */
export function begin(allowances: Allowances, person: string): Admission {
  const { allowance, people } = allowances;
  const now = allowances.now();
  const spending = people.get(person) ?? {
    left: allowance.burst,
    at: now,
    underway: 0,
    toldAt: Number.NEGATIVE_INFINITY,
  };
  people.delete(person);
  people.set(person, spending);
  if (people.size > 10_000) {
    const idle = [...people].find(([, { underway }]) => underway === 0);
    if (idle !== undefined) people.delete(idle[0]);
  }
  spending.left = Math.min(allowance.burst, spending.left + ((now - spending.at) / 1_000) * allowance.perSecond);
  spending.at = now;
  if (spending.left >= 1 && spending.underway < allowance.underway) {
    spending.left -= 1;
    spending.underway += 1;
    return 'begun';
  }
  // Each time costs a call to Slack.
  if (now - spending.toldAt < 10_000) return 'told';
  spending.toldAt = now;
  return 'refused';
}

export function end({ people }: Allowances, person: string): void {
  const spending = people.get(person);
  if (spending !== undefined) spending.underway -= 1;
}

/** The person whose allowance a payload counts against. */
export function personOf(body: Readonly<Record<string, unknown>>): string | undefined {
  const { type, user_id: typedBy, user, event } = body;
  if (typeof body.command === 'string') return textOf(typedBy);
  return textOf(type === 'event_callback' ? fieldOf(event, 'user') : fieldOf(user, 'id'));
}

const fieldOf = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
