/** The things that random policies speak of, and the ways in which people write them. */
import type { Thing } from './model.ts';
import type { Chance } from './random.ts';

/** The traits that a random policy and its questions can have beside the plain ones. */
export const TRAITS = [
  'lists',
  'unread',
  'early',
  'punycode',
  'folded',
  'capitals',
  'decomposed',
  'dots',
  'marks',
  'stars',
  'lost',
  'twice',
  'external',
  'optional',
] as const;

/** One of them. */
export type Trait = (typeof TRAITS)[number];

/** Things with plain names. One zone is called by the id of another. */
export const PLAIN: Readonly<
  Record<'zones' | 'hostnames' | 'script' | 'app' | 'database' | 'state', readonly Thing[]>
> = {
  zones: [
    ['1001', 'shop-assets'],
    ['1002', 'shop-checkout'],
    ['1003', 'Blog'],
    ['1004', 'kiosk'],
    ['1005', '1003'],
  ],
  hostnames: [['cdn.shop.example'], ['pay.shop.example'], ['Kiosk.Example'], ['*.shop.example']],
  script: [
    ['501', 'router'],
    ['502', 'checkout'],
  ],
  app: [
    ['a1', 'mailer'],
    ['A2', 'worker'],
  ],
  database: [
    ['db_1', 'orders'],
    ['db_2', 'customers-eu'],
  ],
  state: [['on'], ['off']],
};

/** Hostnames with other letters, as such and as punycode. */
export const PUNY: readonly Thing[] = [
  ['bücher.example'],
  ['xn--bcher-kva.example'],
  ['shop.xn--mnchen-3ya.example'],
  ['shop.münchen.example'],
  ['straße.example'],
];

/** Letters that careless folding takes for others: long s, Kelvin sign, dotted capital I. */
export const FOLDED = {
  zones: [
    ['1006', 'ſhop-assets'],
    ['1007', '\u212Aiosk'],
  ],
  hostnames: [['cdn.ſhop.example'], ['\u212Aiosk.example'], ['k\u0130osk.example']],
} as const satisfies Record<string, readonly Thing[]>;

/** Letters beyond ASCII that have a capital. */
export const CAPITALS: readonly Thing[] = [['BÜCHER.example'], ['bücher.example']];

function anyCase(text: string, chance: Chance): string {
  return [...text].map((letter) => (/[A-Za-z]/.test(letter) && chance.once(2) ? swapped(letter) : letter)).join('');
}

function swapped(letter: string): string {
  return letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
}

/** A pattern that is about the name, or nearly. */
function patternFor(name: string, chance: Chance): string {
  const cut = 1 + chance.below(name.length);
  switch (chance.below(12)) {
    case 0:
      return `${name.slice(0, cut)}*`;
    case 1:
      return `*${name.slice(-cut)}`;
    case 2:
      return `*${name.slice(1, cut)}*`;
    case 3:
      return `${name.slice(0, cut)}*${name.slice(cut)}`;
    case 4:
      return `${name}x`;
    case 5:
      return '*';
    default:
      return name;
  }
}

const FOLDS: readonly (readonly [string, string])[] = [
  ['s', 'ſ'],
  ['k', '\u212A'],
  ['i', '\u0130'],
];

/** A word of a predicate about one of the thing's names. */
export function wordFor(thing: Thing, traits: readonly Trait[], chance: Chance): string {
  const plain = patternFor(chance.one(thing), chance);
  let word = chance.once(3) ? anyCase(plain, chance) : plain;
  for (const [from, to] of traits.includes('folded') ? FOLDS : []) if (chance.once(4)) word = word.replace(from, to);
  if (traits.includes('decomposed') && chance.once(2)) word = word.normalize('NFD');
  if (traits.includes('dots') && word.includes('.') && chance.once(3)) word = `${word}.`;
  if (traits.includes('marks') && chance.once(3)) word = chance.one(['?', '?*', '*?']);
  if (traits.includes('stars') && chance.once(3)) word = chance.one(['**', '***', `**${word}`]);
  return word;
}

/** The thing as a question has it: a name that could not be read, another case, a last dot. */
export function respell(thing: Thing, traits: readonly Trait[], chance: Chance): Thing {
  if (traits.includes('unread') && chance.once(2))
    return thing.length > 1 && chance.once(2) ? [thing[0] as string, '?'] : ['?'];
  if (traits.includes('marks') && chance.once(3)) return ['?'];
  if (traits.includes('decomposed') && chance.once(3)) return thing.map((name) => name.normalize('NFD'));
  if (traits.includes('dots') && chance.once(3)) return thing.map((name) => (name.includes('.') ? `${name}.` : name));
  return chance.once(4) ? thing.map((name) => anyCase(name, chance)) : thing;
}
