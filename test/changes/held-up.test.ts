import diagnostics from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { message } from '../../src/blocks/message.ts';
import { ask } from '../../src/changes/ask.ts';
import { confirm } from '../../src/changes/confirm.ts';
import { type Recovered, recover } from '../../src/changes/recover.ts';
import type { Services } from '../../src/changes/services.ts';
import { type AnyOperation, defineOperation } from '../../src/operations/operation.ts';
import { createPlatform } from '../../src/platform/client.ts';
import { DEFAULT_TIMEOUT } from '../../src/platform/request.ts';
import { Secret } from '../../src/secret.ts';
import type { Database } from '../../src/store/database.ts';
import { KEPT } from '../../src/store/jobs.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { changeServices } from '../support/services.ts';
import { ADA, asked, createFixture, type Fixture, PLACE, shown } from './fixture.ts';

/** A process that is stopped so long (SIGSTOP, a machine that sleeps) has lost its lease. */
const SLEEP = 75_000;
const POLICY = 'roles:\n  operators:\n    people: [UADA]\n    allow: ["*"]\n';
const reader = { locale: 'en-GB', timezone: 'UTC', now: new Date('2026-11-21T12:00:00Z') };

/** The platform of these tests: one switch, and what was asked of it. */
let platform: Server;
let received: string[];
let isOn: boolean;

/** The steps of the process that is held up, in order, and the one at which it sleeps. */
let steps: string[];
let sleepAt: string | undefined;
let elapsed: number;
let fixture: Fixture;
/** Whoever is alive: the same store, another process. */
let other: Services;
let repeated: string[];
let others: Promise<void> | undefined;
let isOther: boolean;

const flip: AnyOperation = defineOperation({
  name: 'zone flip',
  summary: 'Flip the switch of a zone',
  effect: 'write',
  args: {},
  target: () => 'shop',
  preview: () => ({ before: { ForceSSL: isOn }, after: { ForceSSL: true } }),
  async run(_, context) {
    if (!isOther) await step('in the operation');
    await context.platform.pullZones.setForceSSL(1, { Hostname: 'shop.example.com', ForceSSL: true });
  },
  render: () => message('It is on.'),
});

/** What another process finds left. */
async function recovered(): Promise<Recovered[]> {
  const found: Recovered[] = [];
  for (const { key } of await other.store.jobs.claim(9, ['change'])) {
    const one = await recover(other, key.slice('change:'.length));
    if (one !== undefined) found.push(one);
  }
  return found;
}

/** While the other sleeps: what it left is told, and the person who reads that it does not show it does it once more. */
async function goOn(): Promise<void> {
  isOther = true;
  try {
    for (const found of await recovered()) {
      const words = 'message' in found ? shown(found.message).join(' ') : '';
      if (/may still be working on it|Nothing was done|Not done/.test(words)) {
        const { confirmation } = asked(
          await ask(other, { operation: flip, given: {}, actor: ADA, place: PLACE, reader }),
        );
        repeated.push((await confirm(other, confirmation.id, { actor: ADA, reader })).kind);
      }
    }
  } finally {
    isOther = false;
  }
}

function sleep(): void {
  fixture.pass(SLEEP);
  elapsed += SLEEP;
  others = goOn();
}

async function step(name: string): Promise<void> {
  if (isOther) return;
  steps.push(name);
  if (name !== sleepAt) return;
  sleep();
  await others;
}

async function begin(): Promise<void> {
  [received, isOn, steps, elapsed, repeated, others, isOther] = [[], false, [], 0, [], undefined, false];
  fixture = await createFixture(
    {},
    {
      async open(clock): Promise<Database> {
        const opened = await openDatabase({ url: ':memory:', clock });
        let count = 0;
        const stepping = async <T>(run: () => Promise<T>): Promise<T> => {
          if (!isOther) count += 1;
          const name = `statement ${count}`;
          await step(`before ${name}`);
          const result = await run();
          await step(`after ${name}`);
          return result;
        };
        const stepped: Database = {
          ...opened,
          execute: (sql, args) => stepping(() => opened.execute(sql, args)),
          together: (statements) => stepping(() => opened.together(statements)),
          inTurn: (key, work) => opened.inTurn(key, () => work(stepped)),
        };
        return stepped;
      },
    },
  );
  fixture.operations.push(flip);
  fixture.ruledBy(POLICY);
  const clientOf = () =>
    createPlatform({
      apiUrl: `http://127.0.0.1:${(platform.address() as AddressInfo).port}`,
      accessKey: Secret.of('key'),
    });
  fixture.restart({ platform: clientOf() });
  const { store, operations, changes, now } = fixture;
  other = changeServices({ operations, store, policy: changes.policy, now, platform: clientOf() });
}

/** Asks, then presses the button with the process asleep at a step. */
async function press(at: string | undefined): Promise<{ kind: string; words: string }> {
  sleepAt = undefined;
  await begin();
  const { confirmation } = asked(await fixture.type('zone flip'));
  steps = [];
  sleepAt = at;
  const outcome = await fixture.press(confirmation.id);
  await others;
  return { kind: outcome.kind, words: shown(outcome.message).join(' ') };
}

const connecting = () => {
  if (isOther || sleepAt !== 'while it connects') return;
  sleepAt = undefined;
  sleep();
};

describe('a process that is held up in the middle of a change', () => {
  beforeEach(async () => {
    const real = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => real() + elapsed);
    diagnostics.subscribe('undici:client:beforeConnect', connecting);
    platform = createServer((request, response) => {
      received.push(`${request.method} ${request.url}`);
      isOn = true;
      response.writeHead(204).end();
    });
    platform.listen(0, '127.0.0.1');
    await once(platform, 'listening');
  });
  afterEach(() => {
    vi.restoreAllMocks();
    diagnostics.unsubscribe('undici:client:beforeConnect', connecting);
    platform.close();
    platform.closeAllConnections();
  });

  it('sends the change once, wherever it sleeps and whatever others tell the person meanwhile', async () => {
    await press(undefined);
    expect(received).toHaveLength(1);
    const all = ['while it connects', ...steps];
    expect(all).toContain('in the operation');
    for (const at of all) {
      await press(at);
      expect(received, `asleep ${at}`).toHaveLength(1);
    }
  });

  it('says that it was not sent, and so does the audit', async () => {
    const { kind, words } = await press('in the operation');
    expect(repeated).toEqual(['done']);
    expect(kind).toBe('not-done');
    expect(words).toMatch(/Edgewise was held up for too long, so the request was not sent\./);
    expect((await fixture.audit()).map(({ outcome }) => outcome)).toEqual(['unknown', 'done', 'failed']);
  });

  it('is not given up by anybody before its fence and the time of its request are over', async () => {
    expect(KEPT / 2 + DEFAULT_TIMEOUT).toBeLessThan(KEPT);
    await begin();
    const { confirmation } = asked(await fixture.type('zone flip'));
    await fixture.store.confirmations.claim(confirmation.id, ADA);
    await fixture.store.confirmations.send(confirmation.id);
    fixture.pass(KEPT / 2 + DEFAULT_TIMEOUT);
    expect(await recovered()).toEqual([]);
    fixture.pass(KEPT);
    expect(await recovered()).toHaveLength(1);
  });
});
