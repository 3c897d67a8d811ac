import type { NamesView } from '../operations/names.ts';
import type { Channels } from '../operations/reports-view.ts';
import { isChannelId } from '../policy/names.ts';
import type { People } from './people.ts';

/** The names of people and channels, for operations and reports. */
export function createNames({
  people,
  channels,
  teamId,
}: {
  people: People;
  channels: Channels;
  teamId: string;
}): NamesView {
  return {
    async person(id) {
      const { actor, handle } = await people.find(id, teamId);
      return actor.name === undefined ? undefined : { name: actor.name, handle };
    },
    channel: async (id) => (isChannelId(id) ? channels.nameOf(id) : id.startsWith('D') ? 'direct message' : 'Home tab'),
  };
}
