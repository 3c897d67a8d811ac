import { bytes, countOf } from '../../blocks/format.ts';
import { message, note, nothing } from '../../blocks/message.ts';
import { table } from '../../blocks/table.ts';
import { PlatformError } from '../../platform/errors.ts';
import type { Database } from '../../platform/resources/databases.ts';
import { CONFIGURED } from '../arguments/resources/databases.ts';
import { defineOperation } from '../operation.ts';

const hostOf = (url: string | undefined) => (url !== undefined && URL.canParse(url) ? new URL(url).host : '–');

/** `12 MB of 1 GB`; the platform's own words where it gives no numbers. */
function sizeOf(database: Database, reading: { locale: string }): string {
  const { current_size_bytes, size_max_bytes, current_size, size_max } = database;
  const used = current_size_bytes === undefined ? current_size : bytes(current_size_bytes, reading);
  const most = size_max_bytes === undefined ? size_max : bytes(size_max_bytes, reading);
  return [used, most].filter((size) => size !== undefined).join(' of ') || '–';
}

export const listDatabases = defineOperation({
  name: 'database list',
  summary: 'List databases',
  synonyms: { verbs: 'have', nouns: 'databases, db, dbs' },
  effect: 'read',
  args: {},
  examples: ['database list'],

  target: () => 'databases',

  async run(_, { platform, configuredDatabase, signal }) {
    const configured = configuredDatabase === undefined ? undefined : hostOf(configuredDatabase.url);
    try {
      return { ...(await platform.databases.list({ signal })), configured, missing: undefined };
    } catch (error) {
      // The settings' database needs no control plane.
      if (!(error instanceof PlatformError) || configured === undefined) throw error;
      return { items: [], hasMore: false, totalItems: undefined, configured, missing: error.message };
    }
  },

  render: ({ items, hasMore, totalItems, configured, missing }, _, reader) =>
    (items.length === 0 ? nothing : message)(
      items.length === 0 && missing === undefined && 'There are no databases.',
      items.length > 0 &&
        table({
          caption: countOf(totalItems ?? items.length, 'database', reader),
          columns: ['Name', 'ID', 'Host', 'Size', 'Regions', 'Replicas', 'Blocked'],
          rows: items.map((database) => [
            database.name,
            database.id,
            hostOf(database.url),
            sizeOf(database, reader),
            database.primary_regions.join(', ') || database.storage_region || '–',
            database.replicas_regions.join(', ') || '–',
            [database.block_reads && 'reads', database.block_writes && 'writes'].filter(Boolean).join(' and ') || 'no',
          ]),
        }),
      hasMore && note('There are more than these.'),
      missing !== undefined && `The platform gives no list of databases here: ${missing}`,
      configured !== undefined && note(`The database in the settings is at ${configured}; it is named ${CONFIGURED}.`),
    ),
});
