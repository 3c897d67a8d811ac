import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { message } from '../../src/blocks/message.ts';
import { watchOnce } from '../../src/changes/after.ts';
import { ask } from '../../src/changes/ask.ts';
import { confirm } from '../../src/changes/confirm.ts';
import { commandOf } from '../../src/changes/permission.ts';
import type { Services } from '../../src/changes/services.ts';
import { putBackDue } from '../../src/changes/undo.ts';
import { createRunner } from '../../src/jobs.ts';
import { choice, watch } from '../../src/operations/arguments/plain.ts';
import { createElsewhere } from '../../src/operations/changes/elsewhere.ts';
import { createTimeLine } from '../../src/operations/changes/time-line.ts';
import { operations as everything } from '../../src/operations/index.ts';
import { defineOperation } from '../../src/operations/operation.ts';
import type { Platform } from '../../src/platform/client.ts';
import { parsePolicy } from '../../src/policy/document.ts';
import { createFixedDirectory } from '../../src/policy/names.ts';
import { createPolicy } from '../../src/policy/policy.ts';
import { createSelf } from '../../src/store/jobs.ts';
import { createStore } from '../../src/store/store.ts';
import { catalogueOf, zoneOf } from '../operations/performing.ts';
import { type OpenStore, onEachKind } from '../store/replicas.ts';
import { asProcess } from '../support/as-process.ts';
import { changeServices } from '../support/services.ts';
import { ADA, asked, PLACE } from './fixture.ts';

const MINUTE = 60_000;
const POLICY = "roles: { operators: { people: [UADA], allow: ['*'] } }";
const log = pino({ level: 'silent' });
const SHOP = zoneOf(1, 'shop');

onEachKind(({ prepare, several }) =>
  describe('a watched change, with twenty processes that look at the same moment', () => {
    let store: OpenStore;
    let now: number;
    let made: string[];
    /** When the zone began to fail, and when somebody changed something elsewhere, by the platform’s clock. */
    let failsSince: number;
    let elsewhere: number[];
    /** The platform’s clock is two minutes behind. */
    const behind = 2 * MINUTE;
    let begun: number;
    let replicas: Services[];
    let id: string;

    beforeEach(async () => {
      begun = Date.UTC(2026, 10, 21, 12);
      now = begun;
      [made, elsewhere, failsSince] = [[], [], Number.POSITIVE_INFINITY];
      store = await prepare();
      const clock = () => new Date(now);
      const databases = [await store.open(clock), ...(several ? [await store.open(clock)] : [])];
      replicas = Array.from({ length: 20 }, (_, index) => {
        const database = databases[index % databases.length]!;
        return replicaOn(createStore(asProcess(database, createSelf(several))), clock);
      });
      const [first] = replicas;
      const reader = { locale: 'en', timezone: 'UTC', now: clock() };
      const given = { power: 'on', watch: 'true' };
      const question = await ask(first!, { operation: first!.operations[0]!, given, actor: ADA, place: PLACE, reader });
      id = asked(question).confirmation.id;
      expect((await confirm(first!, id, { actor: ADA, reader })).kind).toBe('done');
    });
    afterEach(() => store.close());

    function replicaOn(own: Services['store'], clock: () => Date): Services {
      const flip = defineOperation({
        name: 'zone flip',
        summary: 'Flip a switch of the zone',
        effect: 'write',
        args: {
          power: {
            ...choice('Power', ['on', 'off']),
            names: { of: { zone: (word) => word }, read: () => ({ zone: [['1']] }) },
          },
          watch: watch(),
        },
        target: () => 'shop (1)',
        preview: ({ power }) => ({ before: { power: made.at(-1) ?? 'off' }, after: { power } }),
        run: async ({ power }) => void made.push(power),
        render: () => message('It is flipped.'),
        undo: ({ before }) => ({ power: String(before.power) }),
      });
      const platform = {
        accessLogs: {
          query: async (_: number, { from, to, status }: { from: Date; to: Date; status?: unknown }) => {
            const times = Array.from({ length: 200 }, (_, part) => +from + (part * (+to - +from)) / 200);
            const records = times.map((at) => ({
              timestamp: new Date(at).toISOString(),
              statusCode: at >= failsSince ? 502 : 200,
            }));
            return {
              data: records.filter(({ statusCode }) => status === undefined || statusCode > 499),
              hasMore: false,
            };
          },
        },
        userAudit: {
          between: async () => ({
            entries: [
              ...(made.length === 0 ? [] : [{ at: begun - behind, ActorId: '1' }]),
              ...elsewhere.map((at) => ({ at, ActorId: '2' })),
            ].map(({ at, ActorId }) => ({
              ...{ at: new Date(at), fields: [], ResourceType: 'PullZone', ResourceId: '1' },
              ...{ Action: 'Update', ActorType: 'User', ActorId },
            })),
            isCut: false,
          }),
        },
        fenced: () => platform,
      } as unknown as Platform;
      const catalogue = catalogueOf({ zones: [SHOP] });
      const reads = createElsewhere({ platform, now: clock });
      const policy = createPolicy(
        parsePolicy({ text: POLICY, commands: [flip, ...everything].map(commandOf), admins: [] }),
        createFixedDirectory(),
      );
      const timeLine = createTimeLine({ operations: [flip], ...own, catalogue, elsewhere: reads, now: clock });
      return changeServices({
        ...{ operations: [flip], store: own, policy, now: clock, log, platform, catalogue, timeLine },
        hours: async () => ({ hours: {}, at: now }),
      });
    }

    /** All of them look for what is due at the same moment, until nothing is. */
    async function pass(minutes: number): Promise<number> {
      let undone = 0;
      for (const end = now + minutes * MINUTE; now < end; now += 2 * MINUTE) {
        const runners = replicas.map((services) => {
          const reversal = async () => {
            await watchOnce(services, id);
            const reader = { locale: 'en', timezone: 'UTC', now: new Date(now) };
            if ((await putBackDue(services, id, reader)) !== undefined) undone += 1;
            return services.store.reversals.dueIn(id);
          };
          return createRunner(services.store.jobs, [{ reversal }], log);
        });
        await Promise.all(runners.map((one) => one.tick()));
        await Promise.all(runners.map((one) => one.stop()));
      }
      return undone;
    }

    it('is taken back once', async () => {
      failsSince = now;
      expect(await pass(6)).toBe(1);
      expect(made).toEqual(['on', 'off']);
    });

    it('is left where somebody changed something else since, by a clock that is two minutes behind', async () => {
      failsSince = now;
      elsewhere = [now - behind + MINUTE];
      expect(await pass(6)).toBe(0);
      expect(made).toEqual(['on']);
    });

    it('is taken back whatever a mark says, which anybody with the token for marks can leave', async () => {
      failsSince = now;
      await replicas[0]!.store.marks.add({ text: 'deploy', zone: 1, url: null });
      expect(await pass(6)).toBe(1);
    });

    it('is taken back where that was long before, and left where the zone is well', async () => {
      elsewhere = [now - 10 * MINUTE];
      expect(await pass(4)).toBe(0);
      failsSince = begun;
      expect(await pass(6)).toBe(1);
      expect(made).toEqual(['on', 'off']);
    });
  }),
);
