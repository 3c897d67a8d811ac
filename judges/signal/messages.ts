import { APPLICATIONS } from './messages/applications.ts';
import { EDGE } from './messages/edge.ts';
import { LATER } from './messages/later.ts';
import { NETWORK } from './messages/network.ts';
import { SINGLES } from './messages/singles.ts';
import { TLS } from './messages/tls.ts';
import { createRandom, mix, shuffled } from './model/random.ts';
import type { Half } from './seeds.ts';

/** One problem for somebody on call, however programs word it. */
export interface Kind {
  kind: string;
  /** What the halves are balanced by. */
  family: string;
  /** Program, then what it writes; values that differ from time to time in braces. */
  texts: readonly string[];
}

export interface Message {
  kind: string;
  family: string;
  program: string;
  text: string;
  half: Half;
}

export const MESSAGE_KINDS: readonly Kind[] = [...NETWORK, ...TLS, ...EDGE, ...APPLICATIONS, ...SINGLES];

/** Which kinds are seen while rules are tuned. Whole kinds: who knows one wording of a kind has seen the kind. */
const SPLIT_SEED = 550_129;

function splitKinds(): Map<string, Half> {
  const halves = new Map<string, Half>();
  const all = { tuning: 0, unseen: 0 };
  for (const family of [...new Set(MESSAGE_KINDS.map((one) => one.family))]) {
    const inFamily = { tuning: 0, unseen: 0 };
    const kinds = MESSAGE_KINDS.filter((one) => one.family === family);
    for (const { kind, texts } of shuffled(createRandom(mix(SPLIT_SEED, halves.size)), kinds)) {
      const lead = inFamily.tuning - inFamily.unseen || all.tuning - all.unseen;
      const half: Half = lead <= 0 ? 'tuning' : 'unseen';
      halves.set(kind, half);
      inFamily[half] += texts.length;
      all[half] += texts.length;
    }
  }
  return halves;
}

const HALF_OF = splitKinds();
/** Kinds that were written when both halves had been looked at: other names for some of the same problems. */
const isLater = (kind: Kind): boolean => LATER.includes(kind);

const HOSTS = [
  'origin.example.com',
  'shop.example.net',
  'api-2.internal.example',
  'media.example.org',
  'eu1.example.io',
];
const PATHS = ['/cart', '/api/v2/orders/8123', '/img/4411/640.webp', '/checkout/confirm.php', '/de/suche', '/feed.xml'];

/** A value for a placeholder; another one for every message and place. */
function valueFor(name: string, value: number): string {
  const hex = (seed: number) => mix(value, seed).toString(16).padStart(8, '0');
  switch (name) {
    case 'ip':
      return `${10 + (value % 200)}.${mix(value, 1) % 256}.${mix(value, 2) % 256}.${1 + (mix(value, 3) % 250)}`;
    case 'host':
      return HOSTS[value % HOSTS.length]!;
    case 'path':
      return PATHS[value % PATHS.length]!;
    case 'port':
      return String([443, 8080, 8443, 80, 3000, 9000][value % 6]);
    case 'id':
      return hex(1) + hex(2);
    case 'ms':
      return String(1000 + (value % 59_000));
    case 'sec':
      return String(10 + (value % 80));
    case 'bytes':
      return String(10_000 + (value % 90_000_000));
    case 'pid':
      return String(1000 + (value % 60_000));
    case 'd':
      return String(1 + (value % 9));
    case 'time':
      return new Date(Date.UTC(2026, value % 12, 1 + (value % 28), value % 24, value % 60)).toISOString();
    default:
      return String(100 + (value % 9000));
  }
}

const PLACEHOLDER = /\{(ip|host|path|port|id|ms|sec|bytes|pid|d|time|num)\}/g;

/** A wording as it would stand in a log. */
function filledIn(text: string, seed: number): string {
  let place = 0;
  return text.replace(PLACEHOLDER, (_, name: string) => valueFor(name, mix(seed, place++)));
}

/**
 * The messages of a half, or of both; `copies` of each wording with other values every time. The program is no part of the text:
 * the platform's log does not say it.
 */
export function messages(options: { half?: Half; copies?: number; seed?: number } = {}): Message[] {
  const { half, copies = 1, seed = 1 } = options;
  let number = 0;
  return [...MESSAGE_KINDS, ...(half === 'later' ? LATER : [])]
    .flatMap((one) =>
      one.texts.flatMap((wording) => {
        const [program = '', text = ''] = wording.split(' ¦ ');
        return Array.from({ length: copies }, (): Message => {
          number++;
          const { kind, family } = one;
          const ofKind = isLater(one) ? 'later' : HALF_OF.get(kind)!;
          return { kind, family, program, text: filledIn(text, mix(seed, number)), half: ofKind };
        });
      }),
    )
    .filter((message) => half === undefined || message.half === half);
}
