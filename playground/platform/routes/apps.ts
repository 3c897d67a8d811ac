import type { App } from '../account/account.ts';
import { problem, validationProblem } from '../answers.ts';
import { integerIn } from '../requests.ts';
import type { Incoming, Route } from '../server.ts';
import type { Simulation } from '../simulation.ts';

/** How long a deleted application stays listed, unless the fault `deletion` says otherwise. */
const DELETION_MS = 3_000;

/** Rows 11 to 13, and what shows applications. Deletion is accepted at once and done later. */
export function appRoutes({ account, faults, now }: Simulation): Route[] {
  /** The applications that are left: those whose deletion is done are removed first. */
  function present(): App[] {
    const delay = Number(faults.setting('deletion') ?? DELETION_MS);
    const time = now().getTime();
    account.apps = account.apps.filter((app) => app.deletedAt === undefined || time - app.deletedAt.getTime() < delay);
    return account.apps;
  }
  const appIn = (request: Incoming): App | undefined => present().find((app) => app.id === request.params.app);
  const unknown = (request: Incoming) => problem(404, 'The application was not found.', request.path);

  return [
    {
      method: 'GET',
      path: '/mc/apps',
      spec: true,
      answer({ query, path }) {
        const refuse = (field: string, message: string) => validationProblem(path, [{ field, message }]);
        const limit = integerIn(query, 'limit', { low: 1, high: 1000, default: 20 }, refuse);
        const apps = present();
        const cursor = query.get('nextCursor') ?? '';
        const start = cursor === '' ? 0 : startAfter(apps, cursor);
        if (start === undefined) {
          return refuse('nextCursor', 'The cursor is not valid.');
        }
        const items = apps.slice(start, start + limit);
        const more = start + limit < apps.length;
        return {
          status: 200,
          body: {
            items: items.map(({ id, name, description, displayEndpoint, status }) => ({
              id,
              name,
              description,
              ...(displayEndpoint ? { displayEndpoint } : {}),
              status,
            })),
            meta: { totalItems: apps.length },
            cursor: more ? cursorOf(items.at(-1)) : null,
          },
        };
      },
    },
    {
      method: 'DELETE',
      path: '/mc/apps/{app}',
      spec: true,
      answer(request) {
        const app = appIn(request);
        if (!app) {
          return unknown(request);
        }
        if (app.status === 'suspended') {
          return problem(403, 'The user has an invalid card or is suspended.', request.path);
        }
        app.status = 'progressing';
        app.deletedAt ??= now();
        return { status: 200 };
      },
    },
    {
      method: 'GET',
      path: '/mc/apps/{app}/volumes',
      spec: true,
      answer(request) {
        const app = appIn(request);
        if (!app) {
          return unknown(request);
        }
        const instances = app.volumes.flatMap((volume) => volume.volumeInstances);
        return {
          status: 200,
          body: {
            summary: {
              totalPods: new Set(instances.flatMap((instance) => instance.attachedPods)).size,
              totalContainers: new Set(instances.flatMap((instance) => instance.attachedContainers)).size,
              totalStorage: instances.reduce((sum, instance) => sum + instance.size, 0),
            },
            items: app.volumes,
            meta: { totalItems: app.volumes.length },
            cursor: null,
          },
        };
      },
    },
    {
      method: 'GET',
      path: '/mc/apps/{app}',
      answer(request) {
        const app = appIn(request);
        if (!app) {
          return unknown(request);
        }
        const { id, name, description, displayEndpoint, status } = app;
        return { status: 200, body: { id, name, description, displayEndpoint: displayEndpoint ?? null, status } };
      },
    },
    {
      method: 'GET',
      path: '/mc/apps/{app}/endpoints',
      answer(request) {
        const app = appIn(request);
        if (!app) {
          return unknown(request);
        }
        const { displayEndpoint } = app;
        const items = displayEndpoint ? [{ ...displayEndpoint, pullZoneId: String(app.pullZoneId ?? 0) }] : [];
        return { status: 200, body: { items, meta: { totalItems: items.length }, cursor: null } };
      },
    },
  ];
}

const cursorOf = (app: App | undefined): string => Buffer.from(`after:${app?.id ?? ''}`).toString('base64url');

/** Where the page after the cursor starts; undefined: it is not a cursor that was given out. */
function startAfter(apps: readonly App[], cursor: string): number | undefined {
  const match = /^after:(.+)$/.exec(Buffer.from(cursor, 'base64url').toString('utf8'));
  const index = match ? apps.findIndex((app) => app.id === match[1]) : -1;
  return index === -1 ? undefined : index + 1;
}
