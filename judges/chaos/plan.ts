/** What goes wrong and when, and what people do and when: a function of the seed and the length alone. */

import { KINDS, type Kind } from './stage/ledger.ts';
import type { PlatformFault } from './stage/platform.ts';
import { dice, pick } from './stage/record.ts';
import type { SlackFault } from './stage/slack.ts';

/** Something that goes wrong, `at` milliseconds after the beginning. */
export type Fault = { at: number } & (
  | { what: 'kill'; replica: number; aim: Kind; delay: number; back: number }
  | { what: 'term'; replica: number; back: number }
  | { what: 'stop'; replica: number; time: number }
  | { what: 'store stop' | 'store kill' | 'store restart' | 'store cut' | 'store promote'; time: number }
  | { what: 'platform'; fault: PlatformFault; time: number }
  | { what: 'slack'; fault: SlackFault; time: number }
);

/** What a person begins. */
export type Deed =
  | { do: 'read'; text: string }
  | { do: 'say'; kind: 'mention' | 'message'; text: string }
  | { do: 'home' }
  | { do: 'form' }
  | { do: 'change'; way: 'command' | 'mention' | 'message'; end: 'confirm' | 'cancel' | 'leave' };

const READS = [
  'zone show zone-03',
  'zone list',
  'stats show zone-02',
  'app list',
  'help',
  'status',
  'report list',
  'log search zone-05',
];

/** What people begin, at random: about two and a half interactions each. */
export function deed(roll: () => number): Deed {
  const one = roll();
  if (one < 0.22) return { do: 'read', text: pick(roll, READS) };
  if (one < 0.3) return { do: 'say', kind: 'mention', text: pick(roll, READS) };
  if (one < 0.38) return { do: 'say', kind: 'message', text: pick(roll, READS) };
  if (one < 0.48) return { do: 'home' };
  if (one < 0.6) return { do: 'form' };
  const way = roll() < 0.7 ? 'command' : roll() < 0.5 ? 'mention' : 'message';
  const end = roll() < 0.8 ? 'confirm' : roll() < 0.7 ? 'cancel' : 'leave';
  return { do: 'change', way, end };
}

const SLACK_FAULTS: readonly SlackFault[] = [
  { kind: '503', of: 'users.info', share: 1 },
  { kind: 'hang', of: 'users.info', share: 1 },
  { kind: '503', of: 'any', share: 0.6 },
  { kind: '429', of: 'any', share: 0.5 },
  { kind: 'drop', of: 'any', share: 0.5 },
  { kind: 'hang', of: 'chat.postMessage', share: 0.5 },
  { kind: 'drop-after', of: 'chat.postMessage', share: 0.5 },
  { kind: '503', of: 'response_url', share: 0.7 },
  { kind: 'hang', of: 'response_url', share: 0.5 },
  { kind: 'drop', of: 'views.update', share: 0.7 },
  { kind: '503', of: 'views.publish', share: 0.8 },
];
const PLATFORM_FAULTS: readonly PlatformFault[] = [
  { kind: '503', of: 'any', share: 0.7 },
  { kind: '429', of: 'change', share: 0.7 },
  { kind: 'hang', of: 'read', share: 0.5 },
  { kind: 'hang-after', of: 'change', share: 0.6 },
  { kind: 'drop', of: 'any', share: 0.6 },
  { kind: 'drop-after', of: 'change', share: 0.8 },
  { kind: 'error-after', of: 'change', share: 0.6 },
];

/** The faults of a run: one about every `every` milliseconds, none in the first and the last few seconds. */
export function plan(seed: number, length: number, every: number): Fault[] {
  const roll = dice(seed);
  const faults: Fault[] = [];
  // The longest stop is for the others of a long run to live with; a short run has short ones.
  const most = Math.min(120_000, length / 5);
  let hasLongStop = length < 300_000;
  for (let at = 4_000; at < length - 6_000; at += every * (0.5 + roll())) {
    const replica = Math.floor(roll() * 3);
    const one = roll();
    const short = 500 + roll() * 5_500;
    if (one < 0.3)
      faults.push({
        at,
        what: 'kill',
        replica,
        aim: pick(roll, KINDS),
        delay: Math.floor(21 + roll() ** 2 * 500),
        back: 500 + roll() * 2_500,
      });
    else if (one < 0.42) faults.push({ at, what: 'term', replica, back: 200 + roll() * 2_000 });
    else if (one < 0.54) {
      const time = hasLongStop || at > length / 2 ? 2_000 + roll() ** 3 * (most - 2_000) : most;
      hasLongStop ||= time === most;
      faults.push({ at, what: 'stop', replica, time });
    } else if (one < 0.59) faults.push({ at, what: 'store stop', time: Math.min(most, 500 + roll() ** 2 * 20_000) });
    else if (one < 0.62) faults.push({ at, what: 'store kill', time: short });
    else if (one < 0.65) faults.push({ at, what: 'store restart', time: short / 2 });
    else if (one < 0.68) faults.push({ at, what: 'store cut', time: 0 });
    else if (one < 0.72) faults.push({ at, what: 'store promote', time: 0 });
    else if (one < 0.84) faults.push({ at, what: 'platform', fault: pick(roll, PLATFORM_FAULTS), time: 3_000 + short });
    else faults.push({ at, what: 'slack', fault: pick(roll, SLACK_FAULTS), time: 2_000 + short });
  }
  return faults;
}
