import { setTimeout as after } from 'node:timers/promises';
import { subjectsOf } from '../changes/permission.ts';
import { KINDS } from '../operations/arguments/resources/kinds.ts';
import { entryOf, type Kind, type Named } from '../operations/arguments/resources/look-up.ts';
import type { Actor, SeenPlace } from '../operations/context.ts';
import type { AnyOperation } from '../operations/operation.ts';
import type { Things } from '../operations/words/phrase.ts';
import type { SlackServices } from './services.ts';

/** Where a list is late or cannot be had, the line is answered without it. */
const itemsOf = async <T>(list: Promise<{ items: readonly T[] }>): Promise<readonly T[]> => {
  try {
    return (await Promise.race([list, after(1_000, { items: [] }, { ref: false })])).items;
  } catch {
    return [];
  }
};

/** What they may do nothing with is not known. */
export async function thingsFor(
  services: SlackServices,
  permitted: readonly AnyOperation[],
  actor: Actor,
  place: SeenPlace,
): Promise<Things> {
  const namesOf = async (kind: Kind<Named>): Promise<[string, string[]]> => {
    const about = permitted.filter((operation) => subjectsOf(operation).includes(kind.subject));
    const entries = (await itemsOf(kind.list(services.catalogue)())).map((thing) => entryOf(kind, thing, services));
    const theirs = entries.filter(({ names = {} }) =>
      about.some((operation) => services.policy.decide(operation, actor, place, names).allowed),
    );
    return [kind.subject, theirs.flatMap(({ name }) => name ?? [])];
  };
  const named = Object.fromEntries(await Promise.all(KINDS.map(namesOf)));
  return { ...named, report: services.reports.all().map(({ name }) => name) };
}
