/** The same comparison by what people type: whole lines, through the grammar, the look-ups and `npm run policy-test`. */
import { parseCases, runCases } from '../../src/commands/policy-cases.ts';
import { commandNamed } from './commands.ts';
import type { Finding } from './compare.ts';
import { PEOPLE, scenarioOf } from './generate.ts';
import { judge, type Person, type Verdict } from './model.ts';
import { type Chance, createChance } from './random.ts';
import type { Trait } from './spellings.ts';
import { type Platform, type Typed, thingsOf } from './targets.ts';
import { textOf } from './text.ts';

/** The platform of every line. No two things answer to one word. */
const PLATFORM: Platform = {
  zones: [
    { id: 1001, name: 'shop-assets', hostnames: ['cdn.shop.example', '*.shop.example'], shield: 31 },
    { id: 1002, name: 'shop-checkout', hostnames: ['pay.shop.example', 'straße.example'], shield: 32 },
    { id: 1003, name: 'Blog', hostnames: ['xn--bcher-kva.example', 'blog.example'], shield: 33 },
    { id: 1004, name: 'kiosk', hostnames: ['Kiosk.Example', 'shop.münchen.example'], shield: 34 },
  ],
  scripts: [
    { id: '501', name: 'router' },
    { id: '502', name: 'checkout' },
  ],
  apps: [
    { id: 'a1', name: 'mailer' },
    { id: 'A2', name: 'worker' },
  ],
  databases: [
    { id: 'db_1', name: 'orders' },
    { id: 'db_2', name: 'customers-eu' },
  ],
};

const CHANNELS: Readonly<Record<string, string>> = {
  '#ops': 'C0OPS000001',
  '#shop': 'C0SHOP00004',
  '#random': 'C0RANDOM003',
  '#elsewhere': 'C0ELSEWHERE',
  '#private': 'G0PRIVATE01',
};

/** Words for the arguments that a policy does not look at here. */
const WORDS: Readonly<Record<string, string>> = {
  category: 'seo',
  action: 'block',
  name: 'KEY',
  sql: 'SELECT 1',
};

/** A line as it is typed, and the arguments in it. `exact` is a spelling that has to be found. */
interface Line {
  text: string;
  typed: Typed;
  exact: boolean;
}

/** Another spelling of a name, which a look-up need not find. */
function respelled(name: string, chance: Chance): { text: string; exact: boolean } {
  switch (chance.below(8)) {
    case 0:
      return { text: name.toUpperCase(), exact: false };
    case 1:
      return { text: `${name}.`, exact: false };
    case 2:
      return { text: `" ${name} "`, exact: false };
    case 3:
      return { text: name.replace('bücher', 'xn--bcher-kva').replace('münchen', 'xn--mnchen-3ya'), exact: false };
    default:
      return { text: name, exact: true };
  }
}

function anyName(subject: string, chance: Chance): { text: string; exact: boolean } {
  const { zones, scripts, apps, databases } = PLATFORM;
  if (subject === 'zone') {
    const zone = chance.one(zones);
    if (zone.shield !== undefined && chance.once(6)) return { text: `shield:${zone.shield}`, exact: false };
    return chance.once(2) ? { text: String(zone.id), exact: true } : respelled(zone.name, chance);
  }
  if (subject === 'hostname') {
    const all = [...zones.flatMap(({ hostnames }) => hostnames), 'bücher.example', 'nowhere.example'];
    const name = chance.one(all);
    return name === 'nowhere.example' ? { text: name, exact: false } : respelled(name, chance);
  }
  if (subject === 'zones') {
    const some = chance.some(zones, 1, 3).map(({ id, name }) => (chance.once(2) ? String(id) : name));
    return { text: [...some, ...(chance.once(5) ? [chance.one(['*', 'shop-*'])] : [])].join(','), exact: true };
  }
  const named = { script: scripts, app: apps, database: databases }[subject];
  if (named === undefined)
    return { text: subject === 'state' ? chance.one(['on', 'off']) : (WORDS[subject] ?? '?'), exact: true };
  const one = chance.one(named);
  return chance.once(2) ? { text: one.id, exact: true } : respelled(one.name, chance);
}

/** A line for the command, with all that it needs; undefined if it needs what no line can give. */
function lineFor(name: string, chance: Chance): Line | undefined {
  // Policy-test leaves reports out.
  if (name.startsWith('report ')) return undefined;
  const words = [name];
  const typed: Record<string, string> = {};
  let exact = true;
  const put = (subject: string, flag: boolean) => {
    const one = anyName(subject, chance);
    exact &&= one.exact;
    typed[subject] = one.text.replaceAll('"', '').trim();
    words.push(flag ? `--${subject} ${one.text}` : one.text);
  };
  const known = ['zone', 'zones', 'hostname', 'script', 'app', 'database', 'state', ...Object.keys(WORDS)];
  const { arguments: all } = commandNamed(name);
  const hostname = all.some((one) => one.name === 'hostname');
  for (const { name: subject, optional } of all) {
    if (optional || (hostname && subject === 'zone')) continue;
    if (!known.includes(subject)) return undefined;
    put(subject, false);
  }
  if (all.some((one) => one.name === 'zones') && chance.below(4) > 0) put('zones', true);
  if (name === 'ssl force' && chance.once(4)) {
    put('zone', true);
    exact = false;
  }
  return { text: words.join(' '), typed, exact };
}

function caseText(
  admins: readonly string[],
  groups: Readonly<Record<string, readonly string[]>>,
  people: readonly Person[],
  rows: string[],
) {
  const kindOf = ({ kind, deactivated }: Person) =>
    deactivated || (kind !== 'member' && kind !== 'guest') ? 'stranger' : kind;
  const { zones, scripts, apps, databases } = PLATFORM;
  return [
    `admins: ${JSON.stringify(admins)}`,
    `people: ${JSON.stringify(Object.fromEntries(people.map((one) => [one.id, { id: one.id, kind: kindOf(one) }])))}`,
    `groups: ${JSON.stringify(groups)}`,
    `channels: ${JSON.stringify(CHANNELS)}`,
    `platform: ${JSON.stringify({ zones, scripts: scripts.map(({ id, name }) => ({ id: Number(id), name })), apps, databases })}`,
    'cases:',
    ...rows,
  ].join('\n');
}

const outcomeOf = ({ allowed, approval }: Verdict) => (!allowed ? 'denied' : approval ? 'approval' : 'allowed');

/** Lines of one seed: what came otherwise than the judge says, how many were decided, and how many were no lines to the bot. */
async function compareLines(seed: number, traits: readonly Trait[], size: number) {
  const { file, around, questions } = scenarioOf(seed, traits, size, true);
  const chance = createChance(seed);
  const surroundings = { ...around, channels: CHANNELS, known: Object.values(CHANNELS) };
  const asked = questions.flatMap((question) => {
    const line = lineFor(question.ask.command, chance);
    if (line === undefined) return [];
    const ask = { command: question.ask.command, things: thingsOf(question.ask.command, line.typed, PLATFORM) };
    return [
      {
        question: { ...question, ask },
        line,
        verdict: judge(file, surroundings, question.person, question.place, ask),
      },
    ];
  });
  if (asked.length === 0) return { findings: [], decided: 0, unread: 0 };
  const rows = asked.map(({ question: { person, place }, line, verdict }) => {
    const where = /^[CG]/.test(place.id) ? place.id : 'direct';
    return `  - ${JSON.stringify([person.id, where, line.text, outcomeOf(verdict)])}`;
  });
  const { text } = textOf(file);
  const results = await runCases(parseCases(caseText(around.admins, around.groups, PEOPLE, rows)), text, 'policy.yml');
  const findings: Finding[] = [];
  let unread = 0;
  for (const [index, { came, rule, ok }] of results.entries()) {
    const { question, line, verdict } = asked[index] as (typeof asked)[number];
    if (came === 'mistake') unread += 1;
    if (ok || (came === 'mistake' && !line.exact)) continue;
    const kind = `line ${came} to the code, ${outcomeOf(verdict)} to the judge`;
    findings.push({
      kind,
      judge: verdict,
      code: `${line.text}: ${came}, ${rule}`,
      trait: 'line',
      seed,
      file,
      around: surroundings,
      question,
    });
  }
  return { findings, decided: results.length, unread };
}

/** Seeds from `from` on, until so many lines were compared. */
export async function runLines({
  from,
  lines,
  traits = [],
}: {
  from: number;
  lines: number;
  traits?: readonly Trait[];
}) {
  const findings: Finding[] = [];
  let decided = 0;
  let unread = 0;
  for (let seed = from; decided < lines; seed += 1) {
    const one = await compareLines(seed, traits, 50);
    decided += one.decided;
    unread += one.unread;
    findings.push(...one.findings);
  }
  return { findings, decided, unread };
}
