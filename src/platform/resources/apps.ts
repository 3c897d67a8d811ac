import * as z from 'zod';
import { PlatformError } from '../errors.ts';
import { createReach } from '../pages.ts';
import { listOf, maybe, maybeNumber, maybeString, recordsOf, shortText, textId } from '../shapes.ts';
import { type CallOptions, endpoint, forOne, type Transport } from '../transport.ts';

const app = z.object({
  id: shortText,
  name: maybeString,
  description: maybeString,
  displayEndpoint: maybe(z.object({ id: maybeString, address: maybeString, type: maybeString })),
  status: maybeString,
});

const meta = maybe(z.object({ totalItems: maybeNumber }));
const appPage = z.object({ items: recordsOf(app), meta, cursor: maybeString });

const volumeInstance = z.object({
  id: maybeString,
  attachedPods: listOf(shortText),
  attachedContainers: listOf(shortText),
  region: maybeString,
  status: maybeString,
  size: maybeNumber,
  usage: maybeNumber,
  set: maybeString,
});

const volume = z.object({
  name: maybeString,
  id: maybeString,
  size: maybeNumber,
  totalUsage: maybeNumber,
  totalInstancesCount: maybeNumber,
  attachedInstancesCount: maybeNumber,
  containersCount: maybeNumber,
  volumeInstances: listOf(volumeInstance),
});

const volumeList = z
  .object({
    items: recordsOf(volume),
    meta,
    cursor: maybeString,
    summary: maybe(z.object({ totalPods: maybeNumber, totalContainers: maybeNumber, totalStorage: maybeNumber })),
  })
  .transform(({ cursor, ...list }) => ({ ...list, hasMore: Boolean(cursor) }));

/** The platform sends text. 0 and empty mean none. */
const pullZoneId = maybe(z.union([z.string(), z.number()]).transform((id) => Number(id) || undefined));
const appEndpoint = z.object({ id: maybeString, displayName: maybeString, type: maybeString, pullZoneId });
const endpointList = z
  .object({ items: recordsOf(appEndpoint), cursor: maybeString })
  .transform(({ cursor, ...list }) => ({ ...list, hasMore: Boolean(cursor) }));

/** Without the environment variables, which stand there in clear text. */
const shownApp = app.extend({
  containerTemplates: listOf(
    z.object({ name: maybeString, image: maybeString, imageTag: maybeString, imageDigest: maybeString }),
  ),
});

const indicator = maybe(z.object({ indicator: maybeNumber }).transform((one) => one.indicator));
const container = z.object({
  numberOfRestarts: maybeNumber,
  exitCode: maybeNumber,
  reason: maybeString,
  message: maybeString,
});
const pod = z.object({ name: maybeString, status: maybeString, message: maybeString, containers: listOf(container) });
const overview = z.object({
  status: maybeString,
  activeInstances: indicator,
  desiredInstances: maybeNumber,
  regions: listOf(z.object({ region: maybeString, pods: listOf(pod) })),
});

/** `status` may be any word, in any case (docs/platform.md, Applications). */
export type App = z.output<typeof app>;
export type Pod = z.output<typeof pod>;
/** Sizes are in GB, with fractions. */
export type Volume = z.output<typeof volume>;
/** `hasMore`: there are more volumes, and no way to fetch them. */
export type VolumeList = z.output<typeof volumeList>;
/** A CDN endpoint's pull zone stays when the app is deleted. */
export type AppEndpoint = z.output<typeof appEndpoint>;
export type EndpointList = z.output<typeof endpointList>;

export function createApps(transport: Transport) {
  const one = forOne(transport, (id: string) => textId(id, 'app'));
  return {
    /** A repeated cursor ends the list. */
    async list(options?: CallOptions) {
      const reach = createReach(options);
      // `nextCursor` is an extension.
      const fetchPage = (nextCursor?: string) =>
        transport.read({ ...endpoint('GET /mc/apps'), query: { nextCursor } }, appPage, reach.options);
      const first = await fetchPage();
      const apps = new Map(first.items.map((one) => [one.id, one]));
      const total = first.meta?.totalItems;
      const seen = new Set<string>();
      let cursor = first.cursor;
      let refused = false;
      while (cursor && !seen.has(cursor) && !reach.isOver() && !refused) {
        seen.add(cursor);
        try {
          const page = await fetchPage(cursor);
          for (const one of page.items) apps.set(one.id, one);
          cursor = page.cursor;
        } catch (error) {
          // If the platform refuses the cursor, the pages so far are shown.
          if (!(error instanceof PlatformError) || (error.status !== 400 && error.status !== 404)) throw error;
          refused = true;
        }
      }
      const items = [...apps.values()];
      const hasMore = refused || Boolean(cursor && !seen.has(cursor)) || (total ?? 0) > items.length;
      return { items, hasMore, ...(total === undefined ? {} : { totalItems: total }) };
    },

    /** Marks the app for deletion. It is gone when it has left the list. */
    delete: one.change('DELETE /mc/apps/{appId}'),
    get: one.read('GET /mc/apps/{appId}', shownApp),
    overview: one.read('GET /mc/apps/{appId}/overview', overview),
    /** All its pods, one after another or at once: the platform does not say. */
    restart: one.change('POST /mc/apps/{appId}/restart'),
    volumes: one.read('GET /mc/apps/{appId}/volumes', volumeList),
    /** To name the pull zones that stay. */
    endpoints: one.read('GET /mc/apps/{appId}/endpoints', endpointList),
  };
}
