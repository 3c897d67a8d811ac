import { commandButton } from '../../blocks/buttons.ts';
import { count, countOf } from '../../blocks/format.ts';
import { actions, message, note, section } from '../../blocks/message.ts';
import { bullets, code, mrkdwn, type Words } from '../../blocks/mrkdwn.ts';
import type { PlatformFailure } from '../../platform/errors.ts';
import type { AppEndpoint, EndpointList, Volume, VolumeList } from '../../platform/resources/apps.ts';
import type { PullZone } from '../../platform/resources/pull-zones.ts';
import { force } from '../arguments/plain.ts';
import { app } from '../arguments/resources/kinds.ts';
import { nameWithId, typeable } from '../arguments/resources/look-up.ts';
import { maySeeZone } from '../arguments/resources/zones.ts';
import { defineOperation, warningsOf, wordsWith } from '../operation.ts';
import { tried } from '../unreadable.ts';

/** A failed read is shown, and does not block the decision. */
type Read<T> = { value: T } | { failure: PlatformFailure };

const endpointName = ({ displayName, id }: AppEndpoint) => displayName ?? id ?? 'without a name';

function stayingLines(endpoints: Read<EndpointList>, zones: readonly PullZone[]): Words[] {
  if ('failure' in endpoints)
    return ['Its endpoints could not be read. Pull zones created for it stay, and are still billed.'];
  const { items, hasMore } = endpoints.value;
  const lines: Words[] = items.flatMap((endpoint) => {
    const { pullZoneId } = endpoint;
    if (pullZoneId === undefined) return [];
    const name = zones.find((zone) => zone.Id === pullZoneId)?.Name;
    const zone = mrkdwn`${code(pullZoneId)}${name === undefined ? '' : ` (${name})`}`;
    return [mrkdwn`Pull zone ${zone} of the endpoint ${endpointName(endpoint)} stays, and is still billed.`];
  });
  return hasMore ? [...lines, 'There are more endpoints than are read here; their pull zones stay too.'] : lines;
}

function endpointLines(endpoints: Read<EndpointList>): Words[] {
  if ('failure' in endpoints) return [];
  return endpoints.value.items.map(
    (endpoint) =>
      mrkdwn`Endpoint ${code(endpointName(endpoint))}${endpoint.type === undefined ? '' : ` (${endpoint.type})`}.`,
  );
}

/** Sizes are GB. */
function useOf({ size, totalUsage, totalInstancesCount: all, attachedInstancesCount: attached }: Volume): string {
  const each = size === undefined ? undefined : `${count(size)} GB`;
  const facts = [
    all === undefined ? each : `${countOf(all, 'instance')}${each === undefined ? '' : ` of ${each}`}`,
    attached === undefined ? undefined : `${count(attached)} attached`,
    totalUsage === undefined ? undefined : `${count(totalUsage)} GB used in all`,
  ].filter((fact) => fact !== undefined);
  return facts.length === 0 ? '' : ` (${facts.join(', ')})`;
}

function volumeLines(volumes: Read<VolumeList>): Words[] {
  if ('failure' in volumes) return ['Its volumes could not be read.'];
  const { items, hasMore } = volumes.value;
  return [
    ...items.map(
      (volume) => mrkdwn`Volume ${code(volume.name ?? volume.id ?? '–')}${useOf(volume)} and everything on it.`,
    ),
    ...(hasMore ? ['There are more volumes than these.'] : []),
  ];
}

export const deleteApp = defineOperation({
  name: 'app delete',
  summary: 'Delete a container application',
  synonyms: {
    verbs: 'remove, del, rm, destroy, drop, kill, get rid, tear down, nuke',
    nouns: 'apps, application, applications, container, containers',
  },
  effect: 'destructive',
  args: {
    app: app(),
    force: force(),
  },
  examples: ['app delete shop-api'],

  typed: ({ app }) => typeable(app),

  words: ({ target }) => ({
    ...wordsWith('Delete', 'deleted', mrkdwn`the application ${code(target)}`),
    done: mrkdwn`marked the application ${code(target)} for deletion`,
  }),

  preview: ({ app }) => ({
    // Not compared, because the status changes by itself. An app that is still listed may already be marked.
    before: undefined,
    after: { application: 'marked for deletion, then gone' },
    warnings: warningsOf(app.unlisted && 'This application is not in any list: only its id is known.'),
  }),

  async preflight({ app }, context) {
    const { platform, catalogue, signal } = context;
    const [endpoints, volumes, zones] = await Promise.all([
      tried(platform.apps.endpoints(app.id, { signal })),
      tried(platform.apps.volumes(app.id, { signal })),
      catalogue.zones(),
    ]);
    const { status, displayEndpoint: { address } = {} } = app;
    const seen = zones.items.filter((zone) => maySeeZone(zone, context));
    const staying = stayingLines(endpoints, seen);
    const going = [...endpointLines(endpoints), ...volumeLines(volumes)];
    return {
      details: message(
        mrkdwn`${nameWithId(app)}${status === undefined ? '' : mrkdwn`, status ${code(status)}`}${
          address === undefined ? '' : mrkdwn`, at ${code(address)}`
        }`,
        staying.length > 0 && section(mrkdwn`*What stays*\n${bullets(staying)}`),
        going.length > 0 && section(mrkdwn`*What is deleted with it*\n${bullets(going)}`),
      ),
    };
  },

  run: ({ app }, { platform, signal }) => platform.apps.delete(app.id, { signal }),

  render: (_, { app }) =>
    message(
      mrkdwn`${nameWithId(app)}: *marked for deletion; cleanup runs in the background*.`,
      note('Once it leaves the list, it is gone.'),
      actions(commandButton('Is it gone?', 'app list')),
    ),

  whenUnknown: () =>
    message(
      note('If the deletion worked, the application soon leaves the list. Deleting it again does no harm.'),
      actions(commandButton('Is it gone?', 'app list')),
    ),
});
