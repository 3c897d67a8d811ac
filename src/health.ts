import { countOf } from './blocks/format.ts';
import type { HealthView, PartState } from './operations/context.ts';
import type { Platform } from './platform/client.ts';
import { problemOf } from './problem.ts';
import type { Route } from './slack/in/http-server.ts';
import { latenessWords, type Presence, presenceWords } from './slack/in/presence.ts';
import type { Database } from './store/database.ts';
import { MINUTE, within } from './time.ts';

const PARTS = ['store', 'scheduler', 'platform'] as const;

export type SeenPart = (typeof PARTS)[number];

/** Known only after the first probes were answered. */
export interface HealthParts {
  platform: Platform;
  database: Database;
  /** Why something that the platform’s key may not read is off, by its name. */
  refused?: Readonly<Record<string, () => string | undefined | Promise<string | undefined>>>;
  /** Problems are, for example, names that Slack does not have. */
  policy(): Promise<{ ok: boolean; detail: string }>;
}

export interface Health extends HealthView {
  routes: [string, Route][];
  /** Whether the part’s last work succeeded. */
  saw(part: SeenPart, ok: boolean): void;
  opened(parts: HealthParts): void;
  /** Called once the bot takes work. */
  started(): void;
  isReady(): boolean;
  seen(): readonly (readonly [part: SeenPart, ok: boolean, at: Date])[];
}

/** Logs nothing, because probes come every few seconds. */
export function createHealth(presence: Presence, now: () => Date): Health {
  const since = now();
  const seen = new Map<SeenPart, { ok: boolean; since: Date; at: Date }>();
  let parts: HealthParts | undefined;
  let isStarted = false;
  let looking: Promise<void> | undefined;
  /** By `performance.now()`. */
  let lookedAt = Number.NEGATIVE_INFINITY;

  function saw(part: SeenPart, ok: boolean): void {
    const [at, before] = [now(), seen.get(part)];
    seen.set(part, { ok, at, since: before?.ok === ok ? before.since : at });
  }

  /** At most once in two seconds. Does not wait for a store that hangs. */
  async function lookAtStore(): Promise<void> {
    if (parts === undefined || (looking === undefined && performance.now() - lookedAt < 2_000)) return;
    if (looking === undefined) {
      lookedAt = performance.now();
      looking = parts.database
        .execute('SELECT 1')
        .then(
          () => saw('store', true),
          () => saw('store', false),
        )
        .finally(() => {
          looking = undefined;
        });
    }
    // Probes have a time limit.
    const left = Math.max(0, 1_000 - (performance.now() - lookedAt));
    if (!(await within(left, looking))) saw('store', false);
  }

  /** The scheduler works every minute. Undefined: it has not worked yet. */
  function schedulerIsWell(): boolean | undefined {
    const last = seen.get('scheduler');
    return last?.ok && now().getTime() - last.at.getTime() < 3 * MINUTE;
  }

  /** Public, so it has no names and no errors. `null`: not seen yet. */
  function report(): object {
    const { mode, connections, lateness } = presence;
    const { store, scheduler, platform } = Object.fromEntries(
      PARTS.map((part) => [part, { ok: null, since, ...seen.get(part) }]),
    );
    return {
      runningSince: since,
      parts: {
        slack: { ok: connections > 0, since: presence.since, mode, connections, lateBy: lateness },
        store,
        scheduler: { ...scheduler, ok: schedulerIsWell() ?? null },
        platform,
      },
    };
  }

  /** For people. */
  function words(): string {
    const away = presence.since.toISOString();
    const store = seen.get('store');
    if (presence.isStopping) return 'stopping';
    if (parts === undefined) return 'not ready: the store is not open yet';
    if (presence.connections === 0) return `not ready: disconnected from Slack since ${away}`;
    if (store?.ok === false) return `not ready: the store has not answered since ${store.since.toISOString()}`;
    return `ready: ${presenceWords(presence)}, since ${away}`;
  }

  const answer = (route: string, isWell: () => boolean): [string, Route] => [
    `GET /health/${route}`,
    async (_, response) => {
      if (route === 'ready') await lookAtStore();
      const body = JSON.stringify({ says: words(), ...report() });
      response.writeHead(isWell() ? 200 : 503, { 'content-type': 'application/json' }).end(`${body}\n`);
    },
  ];
  const isReady = () => presence.connections > 0 && !presence.isStopping && seen.get('store')?.ok === true;
  return {
    routes: [answer('live', () => true), answer('startup', () => isStarted), answer('ready', isReady)],
    isReady,
    seen: () =>
      PARTS.flatMap((part) => {
        const last = seen.get(part);
        const ok = part === 'scheduler' ? schedulerIsWell() : last?.ok;
        return last === undefined || ok === undefined ? [] : [[part, ok, last.at] as const];
      }),
    saw,
    opened(given) {
      parts = given;
    },
    started() {
      isStarted = true;
    },
    // The limits of platform and store bound the time.
    async read() {
      if (parts === undefined) return [];
      const { platform, database, policy, refused = {} } = parts;
      const off = Object.entries(refused).map(async ([name, why]) => ({ name, why: await why() }));
      return Promise.all([
        {
          name: 'Slack',
          ok: presence.connections > 0,
          detail: `${presenceWords(presence)}${latenessWords(presence)}`,
          away: presence.away,
        },
        checked('Platform', async () => {
          const { TotalItems } = await platform.apiKeys.list({ perPage: 5 });
          return `answers, ${TotalItems === undefined ? 'some keys' : countOf(TotalItems, 'key')}`;
        }),
        checked('Store', async () => {
          const asked = performance.now();
          await database.execute('SELECT 1');
          const took = Math.round(performance.now() - asked);
          return took < 100 ? 'answers' : `answers after ${took} ms`;
        }),
        {
          name: 'Reports last checked',
          ok: schedulerIsWell() ?? true,
          detail: seen.get('scheduler')?.at ?? 'not yet',
        },
        policy().then((state) => ({ name: 'Policy', ...state })),
        ...(await Promise.all(off)).flatMap(({ name, why }) =>
          why === undefined ? [] : [{ name, ok: true, detail: `off: ${why}` }],
        ),
        { name: 'Running since', ok: true, detail: since },
      ]);
    },
  };
}

async function checked(name: string, check: () => Promise<string>): Promise<PartState> {
  try {
    return { name, ok: true, detail: await check() };
  } catch (error) {
    const { outcome, summary } = problemOf(error);
    // No reference, because nothing is logged.
    const { code } = error as { code?: unknown };
    const away = `does not answer${typeof code === 'string' ? ` (${code})` : ''}`;
    return { name, ok: false, detail: outcome === 'error' ? away : summary };
  }
}
