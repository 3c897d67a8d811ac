import { count, countOf } from '../../blocks/format.ts';
import { message, note, nothing } from '../../blocks/message.ts';
import { table } from '../../blocks/table.ts';
import { defineOperation } from '../operation.ts';

export const listApps = defineOperation({
  name: 'app list',
  summary: 'List container applications',
  synonyms: { verbs: 'run, all, show', nouns: 'apps, application, container, magic containers' },
  effect: 'read',
  args: {},
  examples: ['app list'],

  target: () => 'applications',

  run: (_, { platform, signal }) => platform.apps.list({ signal }),

  render: ({ items, hasMore, totalItems }, _, reader) =>
    items.length === 0
      ? nothing('There are no applications.', hasMore && note('The platform says that there are, but shows none.'))
      : message(
          table({
            caption: countOf(totalItems ?? items.length, 'application', reader),
            columns: ['Name', 'ID', 'Status', 'Endpoint', 'Type', 'Description'],
            rows: items.map(({ name, id, status, displayEndpoint, description }) => [
              name,
              id,
              status,
              displayEndpoint?.address,
              displayEndpoint?.type,
              description,
            ]),
          }),
          hasMore &&
            note(`These are ${count(items.length, reader)}; the platform has more and does not give them here.`),
        ),
});
