/** The things that a typed argument means, by docs/commands.md and docs/policy.md. */
import { commandNamed } from './commands.ts';
import type { Thing } from './model.ts';
import { isSame, isSpelled } from './spelling.ts';

/** A pull zone. `name: '?'` could not be read. */
export interface Zone {
  id: number;
  name: string;
  hostnames: readonly string[];
  shield?: number;
}

/** A script, an app or a database. */
export interface Named {
  id: string;
  name: string;
}

/** All that there is on the platform. `configured` is the id of the database that the settings name. */
export interface Platform {
  zones: readonly Zone[];
  scripts: readonly Named[];
  apps: readonly Named[];
  databases: readonly Named[];
  configured?: string;
}

/** Arguments as they are typed, by their names; what is missing was left out. */
export type Typed = Readonly<Record<string, string>>;

const zoneThing = (zone: Zone): Thing => [String(zone.id), zone.name];
const UNREAD: Thing = ['?'];

function zonesMeant(text: string, { zones }: Platform): Thing[] {
  const shield = /^shield:(\d+)$/.exec(text)?.[1];
  const found = zones.filter(
    (zone) => String(zone.id) === text || isSame(text, zone.name) || String(zone.shield) === shield,
  );
  return found.length > 0 ? found.map(zoneThing) : [[text, '?']];
}

function namedMeant(text: string, all: readonly Named[], configured?: string): Thing[] {
  const wanted = text === 'configured' && configured !== undefined ? configured : text;
  const found = all.filter(({ id, name }) => id === wanted || isSame(wanted, name));
  return found.length > 0 ? found.map(({ id, name }) => [id, name]) : [[wanted, '?']];
}

/** Names, ids and patterns with commas between; a pattern is all zones that it fits now. */
function zoneListMeant(text: string, platform: Platform): Thing[] {
  const meant: Thing[] = [];
  for (const one of text.split(',').map((word) => word.trim())) {
    if (one.includes('*')) meant.push(...platform.zones.filter(({ name }) => isSpelled(one, name)).map(zoneThing));
    else if (one !== '') meant.push(...zonesMeant(one, platform));
  }
  return meant;
}

/** A hostname and the zones that have it, however it is written and with or without the last dot. */
function hostnameMeant(text: string, { zones }: Platform): { hostname: Thing[]; zone: Thing[] } {
  const owners = zones.filter(({ hostnames }) => hostnames.some((one) => isSame(text, one)));
  return { hostname: [[text]], zone: owners.length > 0 ? owners.map(zoneThing) : [UNREAD] };
}

/** Commands on bots and request validation mean the zone's shield zone, which is called `shield:<id>` too. */
function withShield(command: string, thing: Thing, { zones }: Platform): Thing {
  const shield = zones.find(({ id }) => String(id) === thing[0])?.shield;
  return /^(bot|guardian) /.test(command) && shield !== undefined ? [...thing, `shield:${shield}`] : thing;
}

/** The things that a command with these arguments is about. */
export function thingsOf(command: string, typed: Typed, platform: Platform): Record<string, Thing[]> {
  const things: Record<string, Thing[]> = {};
  for (const { name } of commandNamed(command).arguments) {
    const text = typed[name];
    // A report without `--zones` is about all that there are.
    if (text === undefined && name === 'zones') things.zones = platform.zones.map(zoneThing);
    else if (text === undefined) things[name] ??= [];
    else if (name === 'zone')
      things.zone = zonesMeant(text, platform).map((zone) => withShield(command, zone, platform));
    else if (name === 'zones') things.zones = zoneListMeant(text, platform);
    else if (name === 'script') things.script = namedMeant(text, platform.scripts);
    else if (name === 'app') things.app = namedMeant(text, platform.apps);
    else if (name === 'database') things.database = namedMeant(text, platform.databases, platform.configured);
    else things[name] = [[text]];
  }
  if (typed.hostname !== undefined) {
    const { hostname, zone } = hostnameMeant(typed.hostname, platform);
    things.hostname = hostname;
    // A hostname is changed in the zone that has it, so a wrong `--zone` means both; if none has it, in the one that is named.
    const named = typed.zone === undefined ? [] : zonesMeant(typed.zone, platform);
    things.zone = named.length > 0 && zone[0] === UNREAD ? named : [...zone, ...named];
  }
  return things;
}
