import { yesNo } from '../../blocks/format.ts';
import { message } from '../../blocks/message.ts';
import { numberCell, right, table } from '../../blocks/table.ts';
import { toType } from '../../own-name.ts';
import { script } from '../arguments/resources/kinds.ts';
import { nameWithId } from '../arguments/resources/look-up.ts';
import { defineOperation } from '../operation.ts';
import { shown } from '../unreadable.ts';
import { shownValue } from './add.ts';

export const listVariables = defineOperation({
  name: 'variable list',
  summary: 'List the variables of an edge script',
  synonyms: { nouns: 'var, vars, variables, env, environment, env vars' },
  effect: 'read',
  args: { script: script() },
  examples: ['variable list router'],

  async run({ script }, { platform, signal }) {
    const hint = `${toType(`variable add ${script.Id} …`)} still works.`;
    const { EdgeScriptVariables } = await shown('the variables of a script', hint, () =>
      platform.edgeScripts.get(script.Id, { signal }),
    );
    return EdgeScriptVariables ?? [];
  },

  render(variables, { script }) {
    return message(
      table({
        caption: `Variables of ${nameWithId(script)}`,
        columns: ['Name', right('Id'), 'Required', 'Default value'],
        rows: variables.map((variable) => [
          variable.Name,
          numberCell(variable.Id),
          yesNo(variable.Required),
          shownValue(variable.Name ?? '', variable.DefaultValue ?? ''),
        ]),
      }),
    );
  },
});
