import { z } from 'zod';
import { PlatformError } from '../errors.ts';
import { textId } from '../ids.ts';
import { createReach } from '../pages.ts';
import { arrayOf, type Done, type Listed, listOf, maybe, maybeNumber, maybeString } from '../shapes.ts';
import type { CallOptions, Transport } from '../transport.ts';

/** The parameter that takes a cursor back (spec part 4: row 11 has none). Source: platform.md 8.1. */
const CURSOR_PARAMETER = 'nextCursor';

const app = z.object({
  id: z.string(),
  name: maybeString,
  description: maybeString,
  displayEndpoint: maybe(z.object({ id: maybeString, address: maybeString, type: maybeString })),
  status: maybeString,
});

const meta = maybe(z.object({ totalItems: maybeNumber }));
const appPage = z.object({ items: arrayOf(app), meta, cursor: maybeString });

const volumeInstance = z.object({
  id: maybeString,
  attachedPods: listOf(z.string()),
  attachedContainers: listOf(z.string()),
  region: maybeString,
  status: maybeString,
  size: maybeNumber,
  usage: maybeNumber,
  set: maybeString,
});

const volume = z.object({
  name: maybeString,
  id: z.string(),
  size: maybeNumber,
  totalUsage: maybeNumber,
  totalInstancesCount: maybeNumber,
  attachedInstancesCount: maybeNumber,
  containersCount: maybeNumber,
  volumeInstances: listOf(volumeInstance),
});

const volumeList = z
  .object({
    items: arrayOf(volume),
    meta,
    cursor: maybeString,
    summary: maybe(z.object({ totalPods: maybeNumber, totalContainers: maybeNumber, totalStorage: maybeNumber })),
  })
  .transform(({ cursor, ...list }) => ({ ...list, hasMore: Boolean(cursor) }));

/** The pull zone of an endpoint comes as text; 0 and nothing mean none (platform.md 8.2). */
const pullZoneId = maybe(z.union([z.string(), z.number()]).transform((id) => Number(id) || undefined));
const endpoint = z.object({ id: maybeString, displayName: maybeString, type: maybeString, pullZoneId });
const endpointList = z.object({ items: arrayOf(endpoint) }).transform(({ items }) => items);

// The specification shows no answer: whatever an object says is for `extra`.
const unknownAnswer = z.object({});

/** A container application (spec 2.9). `status` is open, and its case varies (platform.md 8.1). */
export type App = z.output<typeof app>;
/** A volume template with its instances (spec 2.9). Sizes and usages are numbers of GB, not integers (platform.md 8.3). */
export type Volume = z.output<typeof volume>;
export type VolumeInstance = z.output<typeof volumeInstance>;
/** Row 13. `hasMore`: the platform has more volumes than it gave, and no way to ask for them. */
export type VolumeList = z.output<typeof volumeList>;
/** An endpoint of an application; a CDN endpoint has a pull zone that stays when the application goes (platform.md 8.2). */
export type AppEndpoint = z.output<typeof endpoint>;

const appPath = (id: string) => `/mc/apps/${textId(id, 'app')}`;

export function createApps(transport: Transport) {
  function fetchPage(cursor: string | undefined, options?: CallOptions) {
    return transport.read(
      {
        service: 'management',
        method: 'GET',
        path: '/mc/apps',
        ...(cursor === undefined ? {} : { query: { [CURSOR_PARAMETER]: cursor } }),
      },
      appPage,
      options,
    );
  }

  return {
    /** Row 11. The first request has no query; a non-empty cursor leads on, and one seen before ends the list. */
    async list(options?: CallOptions): Promise<Listed<App>> {
      const reach = createReach(options);
      const first = await fetchPage(undefined, reach.options);
      const apps = new Map(first.items.map((one) => [one.id, one]));
      const total = first.meta?.totalItems;
      const seen = new Set<string>();
      let cursor = first.cursor;
      let refused = false;
      while (cursor && !seen.has(cursor) && !reach.isOver() && !refused) {
        seen.add(cursor);
        try {
          const page = await fetchPage(cursor, reach.options);
          for (const one of page.items) apps.set(one.id, one);
          cursor = page.cursor;
        } catch (error) {
          // The specification has no query here: a platform that refuses it still gave a first page, which is shown.
          if (!(error instanceof PlatformError) || (error.status !== 400 && error.status !== 404)) throw error;
          refused = true;
        }
      }
      const items = [...apps.values()];
      const hasMore = refused || Boolean(cursor && !seen.has(cursor)) || (total ?? 0) > items.length;
      return { items, hasMore, ...(total === undefined ? {} : { totalItems: total }) };
    },

    /** Row 12. Accepted means marked for deletion: the app is gone when it has left the list. Any 2xx is success. */
    async delete(id: string, options?: CallOptions): Promise<Done<object>> {
      return transport.write(
        { service: 'management', method: 'DELETE', path: appPath(id), open: true },
        unknownAnswer,
        options,
      );
    },

    /** Row 13. Takes no query; a cursor in the answer says that more exist. */
    async volumes(id: string, options?: CallOptions): Promise<VolumeList> {
      return transport.read(
        { service: 'management', method: 'GET', path: `${appPath(id)}/volumes` },
        volumeList,
        options,
      );
    },

    /** The endpoints of an application, for the pull zones that its deletion leaves. Source: platform.md 8.2. */
    async endpoints(id: string, options?: CallOptions): Promise<AppEndpoint[]> {
      return transport.read(
        { service: 'management', method: 'GET', path: `${appPath(id)}/endpoints` },
        endpointList,
        options,
      );
    },
  };
}
