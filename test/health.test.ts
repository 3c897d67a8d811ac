import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createHealth, type Health } from '../src/health.ts';
import type { Platform } from '../src/platform/client.ts';
import { createPresence, type Presence, sawConnections } from '../src/slack/in/presence.ts';

const START = new Date('2026-11-21T12:34:56.000Z');
const LATER = new Date('2026-11-21T12:35:56.000Z');

let now: Date;
let presence: Presence;
let health: Health;
let statements: string[];
let execute: () => Promise<unknown>;
let keys: () => unknown;

beforeEach(() => {
  vi.useFakeTimers({ now: START });
  [now, statements, execute, keys] = [START, [], async () => undefined, () => ({ TotalItems: 7 })];
  presence = createPresence('socket', now);
  health = createHealth(presence, () => now);
});
afterEach(() => {
  vi.useRealTimers();
});

function open(): void {
  sawConnections(presence, 2, now);
  health.opened({
    platform: { apiKeys: { list: async () => keys() } } as unknown as Platform,
    database: {
      execute: async (sql: string) => {
        statements.push(sql);
        return execute();
      },
    } as never,
    policy: async () => ({ ok: false, detail: 'nobody is listed' }),
  });
}

/** The answer to a probe, when the clock has gone on by so many milliseconds. */
async function probe(what: string, wait = 0): Promise<{ status: number; body: Record<string, unknown> }> {
  let status = 0;
  let text = '';
  const response = {
    writeHead(code: number) {
      status = code;
      return response;
    },
    end(body: string) {
      text = body;
    },
  };
  const [, route] = health.routes.find(([path]) => path === `GET /health/${what}`)!;
  const answered = route({} as never, response as unknown as ServerResponse);
  await vi.advanceTimersByTimeAsync(wait);
  await answered;
  return { status, body: JSON.parse(text) };
}

describe('a probe', () => {
  it('tells each part, and since when it is so', async () => {
    open();
    health.saw('scheduler', true);
    health.saw('platform', true);
    now = LATER;
    health.saw('platform', false);
    health.saw('scheduler', true);
    presence.lateness = 4_000;
    expect(await probe('ready')).toEqual({
      status: 200,
      body: {
        says: `ready: Socket Mode, 2 connections, since ${START.toISOString()}`,
        runningSince: START.toISOString(),
        parts: {
          slack: { ok: true, since: START.toISOString(), mode: 'socket', connections: 2, lateBy: 4_000 },
          store: { ok: true, since: LATER.toISOString(), at: LATER.toISOString() },
          scheduler: { ok: true, since: START.toISOString(), at: LATER.toISOString() },
          platform: { ok: false, since: LATER.toISOString(), at: LATER.toISOString() },
        },
      },
    });
  });

  it('finds it alive from the first moment, started once it does what is due, and ready once Slack reaches it', async () => {
    const states = async () =>
      Promise.all(['live', 'startup', 'ready'].map(async (what) => (await probe(what)).status));
    expect(await states()).toEqual([200, 503, 503]);
    expect((await probe('ready')).body).toMatchObject({
      says: 'not ready: the store is not open yet',
      parts: { store: { ok: null }, scheduler: { ok: null }, platform: { ok: null } },
    });
    open();
    expect(await states()).toEqual([200, 503, 200]);
    health.started();
    expect(await states()).toEqual([200, 200, 200]);
    sawConnections(presence, 0, LATER);
    expect(await states()).toEqual([200, 200, 503]);
    sawConnections(presence, 1, LATER);
    presence.isStopping = true;
    expect(await states()).toEqual([200, 200, 503]);
  });

  it('waits a second for a store that hangs, and asks it once', async () => {
    open();
    execute = () => new Promise(() => undefined);
    const first = await probe('ready', 1_000);
    expect(first.status).toBe(503);
    expect(first.body.says).toMatch(/^not ready: the store has not answered since 2026-/);
    expect((await probe('ready', 0)).status).toBe(503);
    expect((await probe('ready', 0)).status).toBe(503);
    expect(statements).toHaveLength(1);
  });

  it('asks the store once in two seconds, whoever probes, and sees that it is back', async () => {
    open();
    execute = async () => {
      throw new Error('no disk');
    };
    expect((await probe('ready')).status).toBe(503);
    execute = async () => undefined;
    expect((await probe('ready', 1_900)).status).toBe(503);
    await vi.advanceTimersByTimeAsync(100);
    expect((await probe('ready')).status).toBe(200);
    for (let count = 0; count < 100; count += 1) await probe('ready');
    for (const what of ['live', 'startup']) await probe(what);
    expect(statements).toHaveLength(2);
  });

  it('says so when the scheduler has not looked for three minutes', async () => {
    open();
    health.saw('scheduler', true);
    now = new Date(START.getTime() + 180_000);
    expect((await probe('ready')).body).toMatchObject({ parts: { scheduler: { ok: false } } });
  });
});

describe('Whether all is well', () => {
  it('is said part by part', async () => {
    open();
    health.saw('scheduler', true);
    expect(await health.read()).toEqual([
      { name: 'Slack', ok: true, detail: 'Socket Mode, 2 connections', away: undefined },
      { name: 'Platform', ok: true, detail: 'answers, 7 keys' },
      { name: 'Store', ok: true, detail: 'answers' },
      { name: 'Reports last checked', ok: true, detail: START },
      { name: 'Policy', ok: false, detail: 'nobody is listed' },
      { name: 'Running since', ok: true, detail: START },
    ]);
    expect(statements).toEqual(['SELECT 1']);
  });

  it('is said of each part on its own, also when one fails', async () => {
    open();
    presence.lateness = 12_400;
    keys = () => ({});
    execute = async () => {
      throw Object.assign(new Error('no disk'), { code: 'SQLITE_FULL' });
    };
    const [slack, platform, store, scheduler] = await health.read();
    expect([slack?.detail, platform?.detail]).toEqual(['Socket Mode, 2 connections, 12 s late', 'answers, some keys']);
    expect(store).toEqual({ name: 'Store', ok: false, detail: 'does not answer (SQLITE_FULL)' });
    expect(scheduler).toMatchObject({ ok: true, detail: 'not yet' });
  });

  it('tells how long a slow store takes', async () => {
    open();
    execute = () => new Promise((resolve) => setTimeout(resolve, 250));
    const read = health.read();
    await vi.advanceTimersByTimeAsync(250);
    expect((await read)[2]).toEqual({ name: 'Store', ok: true, detail: 'answers after 250 ms' });
  });
});
