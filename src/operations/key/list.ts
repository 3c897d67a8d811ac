import { commandButton } from '../../blocks/buttons.ts';
import { count } from '../../blocks/format.ts';
import { actions, message, note } from '../../blocks/message.ts';
import { mrkdwn } from '../../blocks/mrkdwn.ts';
import { numberCell, right, table } from '../../blocks/table.ts';
import { API_KEY_BOUNDS } from '../../platform/resources/api-keys.ts';
import { flagged, number } from '../arguments/plain.ts';
import { defineOperation } from '../operation.ts';

const [FIRST_PAGE, LAST_PAGE] = API_KEY_BOUNDS.page;
const [FEWEST, MOST] = API_KEY_BOUNDS.perPage;

const line = (page: number, perPage: number | undefined) =>
  `key list --page ${page}${perPage === undefined ? '' : ` --per-page ${perPage}`}`;

/** `GET /apikey`. Shows only the last four characters of keys. */
export const listKeys = defineOperation({
  name: 'key list',
  summary: 'List the API keys of the account, masked',
  synonyms: { nouns: 'keys, api, api keys, access keys, credentials' },
  effect: 'read',
  args: {
    page: flagged(number('Page', { minimum: FIRST_PAGE, maximum: LAST_PAGE })),
    perPage: flagged(number('Keys per page', { minimum: FEWEST, maximum: MOST, also: ['keys'] })),
  },
  examples: ['key list', 'key list --page 2 --per-page 50'],

  target: () => 'API keys',

  run: ({ page, perPage }, { platform, signal }) => platform.apiKeys.list({ page, perPage }, { signal }),

  render(answer, { page, perPage }, reader) {
    const current = answer.CurrentPage ?? page ?? FIRST_PAGE;
    const total = answer.TotalItems === undefined ? 'an unknown number' : count(answer.TotalItems, reader);
    const next = answer.HasMoreItems === true && current < LAST_PAGE;
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
        current > FIRST_PAGE && commandButton('Previous page', line(current - 1, perPage)),
        next && commandButton('Next page', line(current + 1, perPage)),
      ),
    );
  },
});
