import type { HealthView, PartState } from './operations/context.ts';
import type { Platform } from './platform/client.ts';
import { problemOf } from './problem.ts';
import type { Route } from './slack/in/http-server.ts';
import { type Presence, presenceWords } from './slack/in/presence.ts';
import type { Database } from './store/database.ts';

/** The checks that `status` shows. Every one answers within the platform client's own time limits. */
export function createHealth(parts: {
  platform: Platform;
  database: Database;
  presence: Presence;
  /** The state of the policy: names that Slack does not have, and the like. */
  policy: () => { ok: boolean; detail: string };
  startedAt: Date;
}): HealthView {
  const checked = async (name: string, check: () => Promise<string>) => {
    try {
      return { name, ok: true, detail: await check() };
    } catch (error) {
      return { name, ok: false, detail: problemOf(error).summary };
    }
  };
  return {
    read: () =>
      Promise.all([
        Promise.resolve(slackState(parts.presence)),
        checked('Platform', async () => {
          const { TotalItems } = await parts.platform.apiKeys.list({ perPage: 5 });
          return `answers, ${TotalItems ?? 'some'} keys`;
        }),
        checked('Store', async () => {
          await parts.database.execute('SELECT 1');
          return 'answers';
        }),
        Promise.resolve({ name: 'Policy', ...parts.policy() }),
        Promise.resolve({ name: 'Running since', ok: true, detail: parts.startedAt }),
      ]),
  };
}

function slackState(presence: Presence): PartState {
  const { connections, away } = presence;
  return { name: 'Slack', ok: connections > 0, detail: presenceWords(presence), away };
}

/**
 * `GET /health/live` and `/health/ready`: whether the process runs, and whether it takes payloads and has its store, which
 * `database` gives once it is open.
 */
export function healthRoutes({
  database,
  presence,
}: {
  database: () => Database | undefined;
  presence: Presence;
}): [string, Route][] {
  return [
    ['GET /health/live', (_, response) => void response.writeHead(200).end('alive')],
    [
      'GET /health/ready',
      async (_, response) => {
        const store = database();
        await store?.execute('SELECT 1');
        const isReady = presence.connections > 0 && !presence.isStopping;
        const says =
          store === undefined && !presence.isStopping
            ? 'not ready: the store is not open yet'
            : readiness(presence, isReady);
        response.writeHead(isReady ? 200 : 503).end(says);
      },
    ],
  ];
}

function readiness(presence: Presence, isReady: boolean): string {
  if (presence.isStopping) return 'stopping';
  const since = presence.since.toISOString();
  return isReady ? `ready: ${presenceWords(presence)}, since ${since}` : `not ready: away from Slack since ${since}`;
}
