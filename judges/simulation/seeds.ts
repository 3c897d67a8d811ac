import { createRandom } from '../../playground/platform/random.ts';
import { type Report, simulate } from './simulate.ts';

/** Seeds that have failed once, with what they found in the bot, or what was broken on purpose: they are tried for ever. */
export const SEEDS: readonly { seed: number; actions: number; found: string }[] = [
  { seed: 172, actions: 100, found: 'the audit had another end than the store, after one of its statements was lost' },
  {
    seed: 193,
    actions: 120,
    found: 'somebody’s change in between, while it was put back on a press: told in words that were new',
  },
  { seed: 7, actions: 120, found: 'on purpose: what was sent counted as not sent after a death' },
  { seed: 43, actions: 40, found: 'on purpose: a lost answer was sent again' },
  { seed: 55, actions: 40, found: 'on purpose: the request left although the claim was another’s by then' },
];

/** Everything about a simulation is a function of its seed: how many bots there are, and how much goes wrong. */
export function simulateSeed(seed: number, actions: number): Promise<Report> {
  const random = createRandom(seed, 'simulation');
  const choose = () => random.next();
  return simulate({
    choose,
    actions,
    replicas: 1 + Math.floor(choose() * 3),
    faults: [0, 0.005, 0.02, 0.06][Math.floor(choose() * 4)] ?? 0,
  });
}
