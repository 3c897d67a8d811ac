import type { EdgeScript } from '../../../platform/resources/edge-scripts.ts';
import type { ArgumentKind } from '../../argument.ts';
import {
  checkReference,
  type Entry,
  lookUpNumbered,
  type Nouns,
  nameOrId,
  nameWithId,
  parseNumericId,
  wordsFor,
} from './look-up.ts';

/** Only the id where no list has it. */
export type ScriptRef = Pick<EdgeScript, 'Id' | 'Name'>;

const SCRIPTS: Nouns = { one: 'edge script', many: 'edge scripts', subject: 'script', command: 'script list' };

export function scriptName(script: ScriptRef): string {
  return nameWithId(script.Name, script.Id);
}

const scriptEntry = (script: EdgeScript): Entry<EdgeScript> => ({
  id: String(script.Id),
  name: script.Name,
  description: script.DefaultHostname,
  names: { script: [wordsFor(script.Id, script.Name)] },
  thing: script,
});

function check(text: string): void {
  checkReference(text, 'script');
  parseNumericId(text, SCRIPTS.one);
}

export const script = (label = 'Script'): ArgumentKind<ScriptRef> =>
  nameOrId<ScriptRef, EdgeScript>({
    label,
    hint: 'Name or id of an edge script',
    subject: 'script',
    check,
    resolve: (text, context) => lookUpNumbered(text, context.catalogue.scripts, scriptEntry, SCRIPTS, context),
    textOf: ({ Id }) => String(Id),
    words: ({ Id, Name }) => wordsFor(Id, Name),
    entries: async ({ catalogue }) => (await catalogue.scripts()).items.map(scriptEntry),
  });
