import { yesNo } from '../../blocks/format.ts';
import { fields, message } from '../../blocks/message.ts';
import { code, mrkdwn } from '../../blocks/mrkdwn.ts';
import { UsageError } from '../../errors.ts';
import { MASK } from '../../secret.ts';
import { isSecretName } from '../../secret-shapes.ts';
import { flag, optional, text } from '../arguments/plain.ts';
import { script } from '../arguments/resources/kinds.ts';
import { nameWithId } from '../arguments/resources/look-up.ts';
import { defineOperation, warningsOf, wordsWith } from '../operation.ts';
import { presentState } from '../unreadable.ts';

/** `POST /compute/script/{id}/variables/add` */
export const addVariable = defineOperation({
  name: 'variable add',
  summary: 'Add a variable to an edge script',
  synonyms: { verbs: 'create, define, set, new', nouns: 'var, vars, variables, env, environment' },
  effect: 'write',
  args: {
    script: script(),
    name: {
      // Source of both lengths: the script OpenAPI file.
      ...text('Name', { maxLength: 256, hint: 'Exactly as the script reads it' }),
      fromMessage: 'identifier',
    },
    default: {
      // A form's field holds less than the platform takes.
      ...optional(text('Default value', { maxLength: 3000 })),
      fromMessage: 'value',
      auditTextOf: (typed) => `${typed.length} characters`,
      // May be empty (`""`).
      check(typed) {
        if (typed.length > 4096) throw new UsageError('Default value is too long: at most 4096 characters.');
      },
    },
    required: flag('Required', { also: ['mandatory'], hint: 'The script needs a value' }),
  },
  examples: ['variable add router CACHE_SECONDS 300', 'variable add 501 REGION --required'],

  target: ({ script, name }) => `${name} of ${nameWithId(script)}`,

  words: ({ target }) => wordsWith('Add', 'added', mrkdwn`the variable ${code(target)}`),

  async preview({ script, name, default: given, required }, { platform, signal }) {
    const present = await presentState(async () => {
      const { EdgeScriptVariables } = await platform.edgeScripts.get(script.Id, { signal });
      const existing = EdgeScriptVariables?.find((item) => item.Name === name);
      return {
        Name: existing?.Name ?? null,
        Required: existing?.Required ?? null,
        DefaultValue: existing?.DefaultValue === undefined ? null : shownValue(name, existing.DefaultValue),
      };
    });
    const isHidden = given !== undefined && shownValue(name, given) !== given;
    const exists = present.before !== undefined && present.before.Name !== null;
    return {
      ...present,
      after: {
        Name: name,
        Required: required,
        // A hidden secret may differ from the present one.
        DefaultValue: given === undefined ? null : `${shownValue(name, given)}${isHidden ? ' as typed' : ''}`,
      },
      warnings: warningsOf(
        exists && 'The script already has this variable: the platform may refuse it.',
        isSecretName(name) && 'Whoever can read the script can read its variables. Keep secrets in its secrets.',
        !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && 'The name has characters that environment variables rarely have.',
      ),
    };
  },

  run: ({ script, name, default: given, required }, { platform, signal }) =>
    platform.edgeScripts.addVariable(script.Id, { Name: name, Required: required, DefaultValue: given }, { signal }),

  render({ answer }, { name }) {
    if (answer === undefined) return message();
    return message(
      answer.Name !== undefined && answer.Name !== name && mrkdwn`⚠️ The platform calls it ${code(answer.Name)}.`,
      fields([
        ['Id', code(answer.Id)],
        ['Required', yesNo(answer.Required)],
        ['Default value', answer.DefaultValue === undefined ? undefined : code(shownValue(name, answer.DefaultValue))],
      ]),
    );
  },
});

/** For a message that others may read. */
export function shownValue(name: string, value: string): string {
  return value !== '' && isSecretName(name) ? MASK : value;
}
