import { createHash } from 'node:crypto';
import type { App } from '../account/account.ts';
import { type Answer, problem, validationProblem } from '../answers.ts';
import { integerIn } from '../requests.ts';
import type { Incoming } from '../server.ts';
import type { Simulation, SimulationRoute } from '../simulation.ts';

/** How long a deleted application stays listed, unless the fault `deletion` says otherwise. */
const DELETION_MS = 3_000;

/** The routes of container applications. */
export const appRoutes: SimulationRoute[] = [
  { method: 'GET', path: '/mc/apps', spec: true, answer: listApps },
  { method: 'DELETE', path: '/mc/apps/{app}', spec: true, answer: deleteApp },
  { method: 'GET', path: '/mc/apps/{app}/volumes', spec: true, answer: listVolumes },
  { method: 'GET', path: '/mc/apps/{app}', answer: showApp },
  { method: 'GET', path: '/mc/apps/{app}/endpoints', answer: listEndpoints },
  { method: 'GET', path: '/mc/apps/{app}/overview', answer: showOverview },
  { method: 'POST', path: '/mc/apps/{app}/restart', answer: restart },
];

/** `GET /mc/apps`: pages by cursor. */
function listApps(simulation: Simulation, { query, path }: Incoming): Answer {
  const refuse = (field: string, message: string) => validationProblem(path, [{ field, message }]);
  const limit = integerIn(query, 'limit', { low: 1, high: 1000, default: 20 }, refuse);
  const apps = presentApps(simulation);
  const cursor = query.get('nextCursor') ?? '';
  const start = cursor === '' ? 0 : startAfter(apps, cursor);
  if (start === undefined) {
    return refuse('nextCursor', 'The cursor is not valid.');
  }
  const items = apps.slice(start, start + limit);
  const hasMore = start + limit < apps.length;
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
      cursor: hasMore ? cursorOf(items.at(-1)) : null,
    },
  };
}

/** `DELETE /mc/apps/{app}`: accepted at once and done later. */
function deleteApp(simulation: Simulation, request: Incoming): Answer {
  const app = appIn(simulation, request);
  if (!app) {
    return unknownApp(request);
  }
  if (app.status === 'suspended') {
    return problem(403, 'The user has an invalid card or is suspended.', request.path);
  }
  app.status = 'progressing';
  app.deletedAt ??= simulation.now();
  return { status: 200 };
}

/** `GET /mc/apps/{app}/volumes` */
function listVolumes(simulation: Simulation, request: Incoming): Answer {
  const app = appIn(simulation, request);
  if (!app) {
    return unknownApp(request);
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
}

/** `GET /mc/apps/{app}` */
function showApp(simulation: Simulation, request: Incoming): Answer {
  const app = appIn(simulation, request);
  if (!app) {
    return unknownApp(request);
  }
  const { id, name, displayEndpoint, status, image, volumes, password } = app;
  const [registry = '', imageNamespace = '', tagged = ''] = image.split('/');
  const [imageName = '', imageTag = ''] = tagged.split(':');
  const digest = createHash('sha256').update(image).digest('hex');
  const template = {
    ...{ id: `${id}-main`, name, packageId: 'default', image, imageName, imageNamespace, imageTag },
    ...{ imageRegistryId: registry, imageDigest: `sha256:${digest}`, imagePullPolicy: 'always' },
    ...{ entryPoint: {}, probes: {}, endpoints: [], volumeMounts: [] },
    // In clear text, as on the platform.
    environmentVariables: [{ name: 'API_PASSWORD', value: password }],
  };
  const containerInstances = podsOf(app).map((podId) => {
    return { id: `${podId}/main`, templateId: template.id, podId, nodeIpAddress: '203.0.113.77' };
  });
  return {
    status: 200,
    body: {
      ...{ id, name, ...(displayEndpoint ? { displayEndpoint } : {}), status, runtimeType: 'shared' },
      regionSettings: { allowedRegionIds: ['DE'], requiredRegionIds: ['DE'] },
      ...{ containerTemplates: [template], containerInstances },
      volumes: volumes.map((volume) => ({ name: volume.name, size: volume.size })),
    },
  };
}

const podsOf = ({ name, instances, restarts }: App): string[] =>
  Array.from({ length: instances }, (_, at) => `${name}-${restarts}${at}`);

/** `GET /mc/apps/{app}/overview` */
function showOverview(simulation: Simulation, request: Incoming): Answer {
  const app = appIn(simulation, request);
  if (!app) {
    return unknownApp(request);
  }
  const { name, status, image, instances, restarts } = app;
  const isFailing = status === 'failing';
  const container = {
    ...{ id: `${name}/main`, name, cpuUsage: 12.5, ramUsage: 31.25, image, imageDisplay: image },
    ...{ numberOfRestarts: restarts, exitCode: isFailing ? 137 : null, status: isFailing ? 'notStarted' : 'ready' },
    ...{ reason: isFailing ? 'OOMKilled' : '', message: '' },
  };
  const pods = podsOf(app).map((pod) => ({
    ...{ name: pod, status: isFailing ? 'scheduled' : 'ready', lastHeartBeat: simulation.now().toISOString() },
    ...{ cpuUsage: 12.5, ramUsage: 31.25, containers: [container], message: null },
  }));
  return {
    status: 200,
    body: {
      ...{ status, desiredInstances: instances, activeInstances: { indicator: isFailing ? 0 : instances } },
      ...{ activeRegions: { indicator: instances > 0 ? 1 : 0 }, monthlyCost: instances * 4.5 },
      regions: instances > 0 ? [{ region: 'DE', isRequired: true, instances, pods }] : [],
    },
  };
}

/** `POST /mc/apps/{app}/restart` */
function restart(simulation: Simulation, request: Incoming): Answer {
  const app = appIn(simulation, request);
  if (!app) {
    return unknownApp(request);
  }
  if (app.status === 'suspended') {
    return problem(403, 'The user has an invalid card or is suspended.', request.path);
  }
  app.restarts += 1;
  return { status: 200 };
}

/** `GET /mc/apps/{app}/endpoints` */
function listEndpoints(simulation: Simulation, request: Incoming): Answer {
  const app = appIn(simulation, request);
  if (!app) {
    return unknownApp(request);
  }
  const { displayEndpoint } = app;
  const items = displayEndpoint ? [{ ...displayEndpoint, pullZoneId: String(app.pullZoneId ?? 0) }] : [];
  return { status: 200, body: { items, meta: { totalItems: items.length }, cursor: null } };
}

/** The applications that are left: those whose deletion is done are removed first. */
function presentApps({ account, faults, now }: Simulation): App[] {
  const delay = Number(faults.setting('deletion') ?? DELETION_MS);
  const time = now().getTime();
  account.apps = account.apps.filter((app) => app.deletedAt === undefined || time - app.deletedAt.getTime() < delay);
  return account.apps;
}

function appIn(simulation: Simulation, { params }: Incoming): App | undefined {
  return presentApps(simulation).find((app) => app.id === params.app);
}

function unknownApp({ path }: Incoming): Answer {
  return problem(404, 'The application was not found.', path);
}

const cursorOf = (app: App | undefined): string => Buffer.from(`after:${app?.id ?? ''}`).toString('base64url');

/** The index at which the page after the cursor starts; undefined for a cursor that was never given out. */
function startAfter(apps: readonly App[], cursor: string): number | undefined {
  const match = /^after:(.+)$/.exec(Buffer.from(cursor, 'base64url').toString('utf8'));
  const index = match ? apps.findIndex((app) => app.id === match[1]) : -1;
  return index === -1 ? undefined : index + 1;
}
