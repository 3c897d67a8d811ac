import type { Logger } from 'pino';
import type { Observe } from '../observe.ts';
import type { Actor, NamesView, Place, SeenPlace } from '../operations/context.ts';
import type { Channels } from '../operations/reports-view.ts';
import { isChannelId } from '../policy/names.ts';
import type { Secret } from '../secret.ts';
import type { ChannelMoves } from '../store/channel-moves.ts';
import type { ChannelPace } from '../store/channel-pace.ts';
import { unlessAborted } from '../time.ts';
import { createChannels } from './channels.ts';
import { createClients, identify } from './clients.ts';
import { createDirectory, type References } from './directory.ts';
import { hostsOf } from './hosts.ts';
import { fetchFile } from './in/files.ts';
import { createOutgoing, type Outward } from './out/outgoing.ts';
import { createPosts } from './out/posts.ts';
import type { SecretFilter } from './out/secrets.ts';
import { type Pauses, untilSlackAnswers } from './patience.ts';
import { actorNow, createPeople, describedIn, type People } from './people.ts';

function createNames({ people, channels, teamId }: { people: People; channels: Channels; teamId: string }): NamesView {
  return {
    async person(id) {
      const { actor, handle } = await people.find(id, teamId);
      return actor.name === undefined ? undefined : { name: actor.name, handle, ids: people.idsOf(id) };
    },
    channel: async (id) => (isChannelId(id) ? channels.nameOf(id) : id.startsWith('D') ? 'direct message' : 'Home tab'),
  };
}

export interface Opening {
  botToken: Secret;
  apiUrl: string;
  references: References;
  /** People whom the policy names, also the built-in one. */
  admitted: readonly string[];
  secrets: SecretFilter;
  store: Outward['store'] & { pace: ChannelPace; channelMoves: Pick<ChannelMoves, 'idOf'> };
  observe: Observe;
  log: Logger;
  now: () => Date;
  wait(milliseconds: number, signal?: AbortSignal): Promise<void>;
  pauses: Pauses;
  signal: AbortSignal;
}

export type Workspace = Awaited<ReturnType<typeof openWorkspace>>;

/** Throws SlackRefusedError. */
export async function openWorkspace(services: Opening) {
  const { botToken, apiUrl, references, admitted, store, log, now, wait, observe } = services;
  const hosts = hostsOf(apiUrl);
  const { interactive: client, background } = createClients(
    botToken,
    apiUrl,
    log,
    now,
    observe,
    store.channelMoves.idOf,
  );
  // Slack’s library is silent, because errors are logged here.
  const asking = createClients(botToken, apiUrl, undefined, now);
  const identity = await untilSlackAnswers(() => identify(asking), {
    ...services,
    method: 'auth.test',
    token: 'SLACK_BOT_TOKEN',
  });
  const { teamId } = identity;
  const people = createPeople({ client, teamId, now, log, named: () => [...admitted, ...directory.members()] });
  const directory = createDirectory({
    client,
    teamId,
    references,
    idOf: people.idOf,
    channelOf: store.channelMoves.idOf,
    now,
    wait,
    log,
  });
  await unlessAborted(directory.refresh(), services.signal);
  const channels = createChannels({ client, now, log, channelOf: store.channelMoves.idOf });
  const outgoing = createOutgoing({ ...services, userId: identity.userId, interactive: client, background, hosts });
  return {
    identity,
    client,
    directory,
    channels,
    people,
    described: describedIn(people, teamId),
    actorNow: (actor: Actor) => actorNow({ people, directory }, actor),
    seePlace: async (place: Place, options?: { fresh: boolean }): Promise<SeenPlace> => ({
      ...place,
      external: await channels.external(place.channelId, options),
    }),
    names: createNames({ people, channels, teamId }),
    outgoing,
    poster: createPosts({ outgoing, pace: store.pace, now, wait, log }),
    file(id: string, maxBytes: number, { user, channel }: { user: string; channel: string }) {
      const by = { users: people.idsOf(user), channel: store.channelMoves.idOf(channel) };
      return fetchFile({ client, token: botToken, hosts, wait }, id, maxBytes, by);
    },
  };
}
