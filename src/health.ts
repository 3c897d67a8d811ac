import { countOf } from './blocks/format.ts';
import type { HealthView, PartState } from './operations/context.ts';
import type { Platform } from './platform/client.ts';
import { problemOf } from './problem.ts';
import type { Route } from './slack/in/http-server.ts';
import { latenessWords, type Presence, presenceWords } from './slack/in/presence.ts';
import type { Database } from './store/database.ts';
import { MINUTE } from './time.ts';

const PARTS = ['store', 'scheduler', 'platform'] as const;

/** The parts that are known by how their last work went. */
export type SeenPart = (typeof PARTS)[number];

/** How a part is, since when it is so, and when that was last seen. */
interface Seen {
  ok: boolean;
  since: Date;
  at: Date;
}

/** The checks are made with these, which are opened after the first probes are answered. */
export interface HealthParts {
  platform: Platform;
  database: Database;
  /** The state of the policy: names that Slack does not have, and the like. */
  policy(): Promise<{ ok: boolean; detail: string }>;
}

/** How the bot is: for probes, and for `status`. */
export interface Health extends HealthView {
  /** `GET /health/live`, `/health/startup` and `/health/ready`. */
  routes: [string, Route][];
  /** The work of a part went well, or did not. */
  saw(part: SeenPart, ok: boolean): void;
  /** From now on there are these. */
  opened(parts: HealthParts): void;
  /** The bot takes what comes, and does what is due. */
  started(): void;
  isReady(): boolean;
  /** When the work of a part was last seen, and whether it went well; of those that were seen. */
  seen(): readonly (readonly [part: SeenPart, ok: boolean, at: Date])[];
}

interface State {
  readonly presence: Presence;
  readonly now: () => Date;
  readonly seen: Map<SeenPart, Seen>;
  readonly since: Date;
  parts?: HealthParts;
  isStarted: boolean;
  /** The look at the store that is under way, and when the last one began, in milliseconds of `performance.now()`. */
  looking: Promise<void> | undefined;
  lookedAt: number;
}

/** Nothing is logged here: probes come every few seconds, and what is wrong is logged where it happens. */
export function createHealth(presence: Presence, now: () => Date): Health {
  const state: State = {
    ...{ presence, now, since: now(), seen: new Map(), isStarted: false },
    ...{ looking: undefined, lookedAt: Number.NEGATIVE_INFINITY },
  };
  const answer = (route: string, isWell: () => boolean): [string, Route] => [
    `GET /health/${route}`,
    async (_, response) => {
      if (route === 'ready') await lookAtStore(state);
      const body = JSON.stringify({ says: words(state), ...report(state) });
      response.writeHead(isWell() ? 200 : 503, { 'content-type': 'application/json' }).end(`${body}\n`);
    },
  ];
  const isReady = () => presence.connections > 0 && !presence.isStopping && state.seen.get('store')?.ok === true;
  return {
    routes: [answer('live', () => true), answer('startup', () => state.isStarted), answer('ready', isReady)],
    isReady,
    seen: () =>
      PARTS.flatMap((part) => {
        const last = state.seen.get(part);
        const ok = part === 'scheduler' ? schedulerIsWell(last, now()) : last?.ok;
        return last === undefined || ok === undefined ? [] : [[part, ok, last.at] as const];
      }),
    saw: (part, ok) => saw(state, part, ok),
    opened(parts) {
      state.parts = parts;
    },
    started() {
      state.isStarted = true;
    },
    read: () => checks(state),
  };
}

function saw({ seen, now }: State, part: SeenPart, ok: boolean): void {
  const [at, before] = [now(), seen.get(part)];
  seen.set(part, { ok, at, since: before?.ok === ok ? before.since : at });
}

/** Asks the store, unless it was asked a moment ago or is being asked. One that hangs is not asked again, and not waited for. */
async function lookAtStore(state: State): Promise<void> {
  const { parts, lookedAt } = state;
  if (parts === undefined) return;
  const waited = performance.now() - lookedAt;
  // However many probe, the store is asked once in two seconds.
  if (state.looking === undefined && waited < 2_000) return;
  if (state.looking === undefined) {
    state.lookedAt = performance.now();
    state.looking = parts.database
      .execute('SELECT 1')
      .then(
        () => saw(state, 'store', true),
        () => saw(state, 'store', false),
      )
      .finally(() => {
        state.looking = undefined;
      });
  }
  const { looking } = state;
  // Whatever probes has a time limit of its own.
  const left = Math.max(0, 1_000 - (performance.now() - state.lookedAt));
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(() => resolve(saw(state, 'store', false)), left);
  });
  await Promise.race([looking, late]);
  clearTimeout(timer);
}

/** Each part, whether it is well (`null`: nothing was seen of it yet), and since when. Anybody may know it: no names, no errors. */
function report({ presence, seen, since, now }: State): object {
  const { mode, connections, lateness } = presence;
  const { store, scheduler, platform } = Object.fromEntries(
    PARTS.map((part) => [part, { ok: null, since, ...seen.get(part) }]),
  );
  return {
    runningSince: since,
    parts: {
      slack: { ok: connections > 0, since: presence.since, mode, connections, lateBy: lateness },
      store,
      scheduler: { ...scheduler, ok: schedulerIsWell(seen.get('scheduler'), now()) ?? null },
      platform,
    },
  };
}

/** It looked a short while ago, and could. */
function schedulerIsWell(seen: Seen | undefined, now: Date): boolean | undefined {
  if (seen === undefined) return undefined;
  // The scheduler looks every minute.
  return seen.ok && now.getTime() - seen.at.getTime() < 3 * MINUTE;
}

/** The state in a few words, for whoever asks by hand. */
function words({ presence, seen, parts }: State): string {
  const since = presence.since.toISOString();
  const store = seen.get('store');
  if (presence.isStopping) return 'stopping';
  if (parts === undefined) return 'not ready: the store is not open yet';
  if (presence.connections === 0) return `not ready: away from Slack since ${since}`;
  if (store?.ok === false) return `not ready: the store does not answer, since ${store.since.toISOString()}`;
  return `ready: ${presenceWords(presence)}, since ${since}`;
}

/** The checks that `status` shows. Every one answers within the limits of the platform's client and of the store. */
async function checks({ presence, parts, seen, since, now }: State): Promise<PartState[]> {
  const checked = async (name: string, check: () => Promise<string>): Promise<PartState> => {
    try {
      return { name, ok: true, detail: await check() };
    } catch (error) {
      const { outcome, summary } = problemOf(error);
      // Nobody could find a reference here: nothing is logged.
      const { code } = error as { code?: unknown };
      const away = `does not answer${typeof code === 'string' ? ` (${code})` : ''}`;
      return { name, ok: false, detail: outcome === 'error' ? away : summary };
    }
  };
  if (parts === undefined) return [];
  const scheduler = seen.get('scheduler');
  return Promise.all([
    {
      name: 'Slack',
      ok: presence.connections > 0,
      detail: `${presenceWords(presence)}${latenessWords(presence)}`,
      away: presence.away,
    },
    checked('Platform', async () => {
      const { TotalItems } = await parts.platform.apiKeys.list({ perPage: 5 });
      return `answers, ${TotalItems === undefined ? 'some keys' : countOf(TotalItems, 'key')}`;
    }),
    checked('Store', async () => {
      const asked = performance.now();
      await parts.database.execute('SELECT 1');
      const took = Math.round(performance.now() - asked);
      return took < 100 ? 'answers' : `answers after ${took} ms`;
    }),
    {
      name: 'Due reports looked for',
      ok: schedulerIsWell(scheduler, now()) ?? true,
      detail: scheduler?.at ?? 'not yet',
    },
    parts.policy().then((policy) => ({ name: 'Policy', ...policy })),
    { name: 'Running since', ok: true, detail: since },
  ]);
}
