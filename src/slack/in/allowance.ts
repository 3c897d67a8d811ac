/** A token bucket for each person, and a limit on their work under way. */
export interface Allowance {
  burst: number;
  perSecond: number;
  underway: number;
}

/** More than anybody types, and far less than the bot can handle. */
export const ALLOWANCE: Allowance = { burst: 20, perSecond: 2, underway: 10 };

export type Allowances = ReturnType<typeof createAllowances>;

/** `now`: monotonic, in milliseconds. */
export function createAllowances({ burst, perSecond, underway } = ALLOWANCE, now = () => performance.now()) {
  const people = new Map<string, Record<'left' | 'at' | 'underway' | 'toldAt', number>>();
  return {
    /**
     * After `begun` call `end`. `told`: refused in silence, because the person was told a moment ago. Takes constant time, however
     * many people and refusals there are.
     */
    begin(person: string): 'begun' | 'refused' | 'told' {
      const at = now();
      const spending = people.get(person) ?? { left: burst, at, underway: 0, toldAt: Number.NEGATIVE_INFINITY };
      people.delete(person);
      people.set(person, spending);
      if (people.size > 10_000) {
        const idle = [...people].find(([, one]) => one.underway === 0);
        if (idle !== undefined) people.delete(idle[0]);
      }
      spending.left = Math.min(burst, spending.left + ((at - spending.at) / 1_000) * perSecond);
      spending.at = at;
      if (spending.left >= 1 && spending.underway < underway) {
        spending.left -= 1;
        spending.underway += 1;
        return 'begun';
      }
      // Each time costs a call to Slack.
      if (at - spending.toldAt < 10_000) return 'told';
      spending.toldAt = at;
      return 'refused';
    },
    end(person: string): void {
      const spending = people.get(person);
      if (spending !== undefined) spending.underway -= 1;
    },
  };
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
