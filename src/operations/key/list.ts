import { commandButton } from '../../blocks/buttons.ts';
import { count } from '../../blocks/format.ts';
import { actions, message, note } from '../../blocks/message.ts';
import { mrkdwn } from '../../blocks/mrkdwn.ts';
import { numberCell, right, table } from '../../blocks/table.ts';
import { flagged, number } from '../arguments/plain.ts';
import { defineOperation } from '../operation.ts';

const lastPage = 2_147_483_647;

const line = (page: number, perPage: number | undefined) =>
  `key list --page ${page}${perPage === undefined ? '' : ` --per-page ${perPage}`}`;

/** `GET /apikey`. Shows only the last four characters of keys. */
export const listKeys = defineOperation({
  name: 'key list',
  summary: 'List the API keys of the account, masked',
  synonyms: { nouns: 'keys, api, api keys, access keys, credentials' },
  effect: 'read',
  args: {
    page: flagged(number('Page', { minimum: 1, maximum: lastPage })),
    perPage: flagged(number('Keys per page', { minimum: 5, maximum: 1_000, also: ['keys'] })),
  },
  examples: ['key list', 'key list --page 2 --per-page 50'],

  target: () => 'API keys',

  run: ({ page, perPage }, { platform, signal }) => platform.apiKeys.list({ page, perPage }, { signal }),

  render(answer, { page, perPage }, reader) {
    const current = answer.CurrentPage ?? page ?? 1;
    const total = answer.TotalItems === undefined ? 'an unknown number' : count(answer.TotalItems, reader);
    const next = answer.HasMoreItems === true && current < lastPage;
    return message(
      table({
        caption: 'API keys',
        columns: [right('Id'), 'Roles', 'Key'],
        rows: answer.Items.map((key) => [
          numberCell(key.Id),
          key.Roles.length === 0 ? '–' : key.Roles.join(', '),
          key.Key?.masked(),
        ]),
      }),
      note(mrkdwn`Page ${current} · ${answer.Items.length} of ${total}`),
      actions(
        current > 1 && commandButton('Previous page', line(current - 1, perPage)),
        next && commandButton('Next page', line(current + 1, perPage)),
      ),
    );
  },
});
