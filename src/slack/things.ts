import { setTimeout as after } from 'node:timers/promises';
import { subjectsOf } from '../changes/permission.ts';
import { wordsFor } from '../operations/arguments/resources/look-up.ts';
import { zoneWords } from '../operations/arguments/resources/zones.ts';
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
  { catalogue, policy, reports }: Pick<SlackServices, 'catalogue' | 'policy' | 'reports'>,
  permitted: readonly AnyOperation[],
  actor: Actor,
  place: SeenPlace,
): Promise<Things> {
  const [zones, scripts, apps, databases] = await Promise.all([
    itemsOf(catalogue.zones()),
    itemsOf(catalogue.scripts()),
    itemsOf(catalogue.apps()),
    itemsOf(catalogue.databases()),
  ]);
  const named = (subject: string, all: readonly { name: string | undefined; words: readonly string[] }[]) => {
    const about = permitted.filter((operation) => subjectsOf(operation).includes(subject));
    const isTheirs = (words: readonly string[]) =>
      about.some((operation) => policy.decide(operation, actor, place, { [subject]: [words] }).allowed);
    return all.flatMap(({ name, words }) => (name !== undefined && name !== '' && isTheirs(words) ? [name] : []));
  };
  const ofId = ({ id, name }: { id: string; name?: string | undefined }) => ({ name, words: wordsFor(id, name) });
  return {
    zone: named(
      'zone',
      zones.map((zone) => ({ name: zone.Name, words: zoneWords(zone) })),
    ),
    script: named(
      'script',
      scripts.map(({ Id, Name }) => ({ name: Name, words: wordsFor(Id, Name) })),
    ),
    app: named('app', apps.map(ofId)),
    database: named('database', databases.map(ofId)),
    report: reports.all().map(({ name }) => name),
  };
}
