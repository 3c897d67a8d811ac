/** What a decision may give as its reason: the lines that are about it, the people who may, the places where it may be done. */

import { commandNamed } from './commands.ts';
import type { Question, Scenario } from './generate.ts';
import { gatesOf, holdersOf, judge, rolesOf, speaksOf } from './model.ts';
import type { WrittenText } from './text.ts';

/** Lines of roles and of this place's list that speak of the command, and those where the place is named. */
export function ruleLinesOf({ file, around }: Scenario, { lines }: WrittenText, { place, ask }: Question): number[] {
  const command = commandNamed(ask.command);
  const about: number[] = [];
  const add = (at: string) => {
    const line = lines.get(at);
    if (line !== undefined) about.push(line);
  };
  for (const [name, { allow }] of Object.entries(rolesOf(file))) {
    for (const [index, entry] of allow.entries()) if (speaksOf(entry, command)) add(`roles.${name}.${index}`);
  }
  const gates = gatesOf(file, place, around);
  for (const [name, { allow }] of Object.entries(file.channels ?? {})) {
    if (!gates.includes(allow)) continue;
    add(`channels.${name}`);
    add(`channels.${name}.allow`);
    for (const index of allow.keys()) add(`channels.${name}.${index}`);
  }
  return about;
}

/** Everybody whom a role names that allows it, wherever that is. */
export function rightHolders({ file, around }: Scenario, { ask }: Question): string[] {
  const open = { ...file, channels: {} };
  const named = Object.entries(rolesOf(file)).flatMap(([name, role]) => holdersOf(name, role, around));
  return [...new Set(named)].filter((id) => {
    // The policy cannot ask Slack who that is: as a guest of a role without `guests` they would not be named.
    const kinds = ['member', 'guest'] as const;
    return kinds.some((kind) => judge(open, around, { id, kind }, { id: 'D0DIRECT001' }, ask).allowed);
  });
}

const PLACES: Readonly<Record<string, string>> = { direct: 'D0DIRECT001', other: 'C0NOTNAMED1' };

/**
 * The places of the file, as they are called there, in which this person may do it, and a direct message; `other` is a place that is
 * not named. None is taken for one with people of other workspaces.
 */
export function reachedBy({ file, around }: Scenario, { person, ask }: Question): string[] {
  const known = [...around.known, 'C0NOTNAMED1'];
  return [...new Set(['direct', ...Object.keys(file.channels ?? {})])].flatMap((name) => {
    const id = PLACES[name] ?? (name.startsWith('#') ? around.channels[name] : name);
    if (id === undefined || !judge(file, { ...around, known }, person, { id }, ask).allowed) return [];
    return [name, id];
  });
}
