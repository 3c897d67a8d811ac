import { countOf } from './blocks/format.ts';
import type { HealthView, PartState } from './operations/context.ts';
import type { Platform } from './platform/client.ts';
import { problemOf } from './problem.ts';
import type { Route } from './slack/in/http-server.ts';
import { latenessWords, type Presence, presenceWords } from './slack/in/presence.ts';
import type { Database } from './store/database.ts';
import { MINUTE } from './time.ts';

const PARTS = ['store', 'scheduler', 'platform'] as const;

export type SeenPart = (typeof PARTS)[number];

interface Seen {
  ok: boolean;
  since: Date;
  at: Date;
}

/** Opened after the first probes are answered. */
export interface HealthParts {
  platform: Platform;
  database: Database;
  /** Such as names that Slack does not have. */
  policy(): Promise<{ ok: boolean; detail: string }>;
}

export interface Health extends HealthView {
  routes: [string, Route][];
  /** How its last work went. */
  saw(part: SeenPart, ok: boolean): void;
  opened(parts: HealthParts): void;
  /** The bot takes work. */
  started(): void;
  isReady(): boolean;
  /** Of the parts that were seen. */
  seen(): readonly (readonly [part: SeenPart, ok: boolean, at: Date])[];
}

interface State {
  readonly presence: Presence;
  readonly now: () => Date;
  readonly seen: Map<SeenPart, Seen>;
  readonly since: Date;
  parts?: HealthParts;
  isStarted: boolean;
  /** `lookedAt` is of `performance.now()`. */
  looking: Promise<void> | undefined;
  lookedAt: number;
}

/** Nothing is logged here: probes come every few seconds. */
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

/** At most once in two seconds; a store that hangs is not waited for. */
async function lookAtStore(state: State): Promise<void> {
  const { parts, lookedAt } = state;
  if (parts === undefined) return;
  const waited = performance.now() - lookedAt;
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
  // Whoever probes has a time limit.
  const left = Math.max(0, 1_000 - (performance.now() - state.lookedAt));
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(() => resolve(saw(state, 'store', false)), left);
  });
  await Promise.race([looking, late]);
  clearTimeout(timer);
}

/** `null`: not seen yet. Anybody may read it: no names, no errors. */
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

function schedulerIsWell(seen: Seen | undefined, now: Date): boolean | undefined {
  if (seen === undefined) return undefined;
  // The scheduler looks every minute.
  return seen.ok && now.getTime() - seen.at.getTime() < 3 * MINUTE;
}

/** For whoever asks by hand. */
function words({ presence, seen, parts }: State): string {
  const since = presence.since.toISOString();
  const store = seen.get('store');
  if (presence.isStopping) return 'stopping';
  if (parts === undefined) return 'not ready: the store is not open yet';
  if (presence.connections === 0) return `not ready: away from Slack since ${since}`;
  if (store?.ok === false) return `not ready: the store does not answer, since ${store.since.toISOString()}`;
  return `ready: ${presenceWords(presence)}, since ${since}`;
}

/** For `status`. Platform and store answer within their limits. */
async function checks({ presence, parts, seen, since, now }: State): Promise<PartState[]> {
  const checked = async (name: string, check: () => Promise<string>): Promise<PartState> => {
    try {
      return { name, ok: true, detail: await check() };
    } catch (error) {
      const { outcome, summary } = problemOf(error);
      // No reference: nothing is logged.
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
