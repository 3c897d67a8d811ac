/** The commands, read from the table of docs/commands.md, which is all that the judge knows of them. */
import { readFileSync } from 'node:fs';

/** An argument that a predicate can ask about. */
export interface Argument {
  name: string;
  optional: boolean;
}

/** A command, its effect and its arguments. */
export interface ListedCommand {
  name: string;
  effect: string;
  arguments: readonly Argument[];
}

/** Positional choices show their words in the table; `/edge help` has their names. An address names its hostname. */
const CHOICES: Readonly<Record<string, string>> = {
  'on|off': 'state',
  'none|block|allow': 'action',
  '1h|1d|changed': 'duration',
  'add|remove': 'action',
  'ip|cidr|asn|country|ja4': 'whom',
  '1s|10s|1m|5m|15m|1h': 'per',
  address: 'hostname',
};

function argumentsOf(line: string): Argument[] {
  const found: Argument[] = [];
  const parts = /(\[?)--([a-z-]+)(?: <[^>]+>)?\]?|<([^>]+)>|\[([^\]]+)\]/g;
  for (const [, bracket, flag, required, optional] of line.matchAll(parts)) {
    if (flag !== undefined) found.push({ name: flag, optional: bracket === '[' });
    if (required !== undefined) found.push({ name: CHOICES[required] ?? required, optional: false });
    if (optional !== undefined) found.push({ name: optional, optional: true });
  }
  // "`zone` also with the zone of a hostname": that is always given where a hostname is.
  if (found.some(({ name }) => name === 'hostname')) {
    return [...found.filter(({ name }) => name !== 'zone'), { name: 'zone', optional: false }];
  }
  return found;
}

function readTable(): ListedCommand[] {
  const page = readFileSync(new URL('../../docs/commands.md', import.meta.url), 'utf8');
  const commands: ListedCommand[] = [];
  for (const row of page.split('\n')) {
    const [, usage, effect] = /^\| `\/edge (.+)` \| .* \| (read|write|destructive) \|$/.exec(row) ?? [];
    if (usage === undefined || effect === undefined) continue;
    const plain = usage.replaceAll('\\|', '|');
    const name = plain.replace(/ [<[].*$/, '');
    commands.push({ name, effect, arguments: argumentsOf(plain.slice(name.length)) });
  }
  return commands;
}

/** Every command of the table. */
export const listed: readonly ListedCommand[] = readTable();

/** The command of that name. */
export function commandNamed(name: string): ListedCommand {
  const command = listed.find((one) => one.name === name);
  if (command === undefined) throw new Error(`docs/commands.md has no ${name}`);
  return command;
}
