import { setTimeout as after } from 'node:timers/promises';
import { subjectsOf } from '../changes/permission.ts';
import { wordsFor } from '../operations/arguments/resources/look-up.ts';
import type { Actor, SeenPlace } from '../operations/context.ts';
import type { AnyOperation } from '../operations/operation.ts';
import type { Things } from '../operations/words/phrase.ts';
import type { SlackServices } from './services.ts';

/** None where a list is late or cannot be had: the line is answered all the same. */
const itemsOf = async <T>(list: Promise<{ items: readonly T[] }>): Promise<readonly T[]> => {
  try {
    // Somebody who mistyped is waiting for this list.
    return (await Promise.race([list, after(1_000, { items: [] }, { ref: false })])).items;
  } catch {
    return [];
  }
};

/** The names of the things on which somebody may do any of these operations: what is nothing for them is not known. */
export async function thingsFor(
  { catalogue, policy, reports }: SlackServices,
  permitted: readonly AnyOperation[],
  actor: Actor,
  place: SeenPlace,
): Promise<Things> {
  const named = async <T>(
    subject: string,
    list: Promise<{ items: readonly T[] }>,
    read: (thing: T) => { id: string | number; name?: string | undefined },
  ) => {
    const about = permitted.filter((operation) => subjectsOf(operation).includes(subject));
    const isTheirs = (words: readonly string[]) =>
      about.some((operation) => policy.decide(operation, actor, place, { [subject]: [words] }).allowed);
    return (await itemsOf(list)).flatMap((thing) => {
      const { id, name } = read(thing);
      return name !== undefined && name !== '' && isTheirs(wordsFor(id, name)) ? [name] : [];
    });
  };
  const numbered = ({ Id, Name }: { Id: number; Name?: string | undefined }) => ({ id: Id, name: Name });
  const [zone, script, app, database] = await Promise.all([
    named('zone', catalogue.zones(), numbered),
    named('script', catalogue.scripts(), numbered),
    named('app', catalogue.apps(), (one) => one),
    named('database', catalogue.databases(), (one) => one),
  ]);
  return { zone, script, app, database, report: reports.all().map(({ name }) => name) };
}
