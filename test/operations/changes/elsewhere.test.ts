import { describe, expect, it } from 'vitest';
import { createElsewhere } from '../../../src/operations/changes/elsewhere.ts';
import { PlatformError } from '../../../src/platform/errors.ts';
import type { UserAuditEntry } from '../../../src/platform/resources/user-audit.ts';
import type { PlatformPart } from '../performing.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOON = Date.UTC(2026, 10, 21, 12);

describe('the audit of the platform, read for all who ask', () => {
  function reader() {
    const world = {
      now: NOON,
      logs: [] as UserAuditEntry[],
      asked: [] as { from: number; to: number }[],
      status: 200,
      isCut: false,
      add: (minute: number, Action: string) =>
        world.logs.push({ at: new Date(NOON + minute * MINUTE), Action, fields: [] }),
    };
    const platform: PlatformPart = {
      userAudit: {
        async between({ from, to }) {
          world.asked.push({ from: from.getTime(), to: to.getTime() });
          const { status } = world;
          if (status !== 200)
            throw new PlatformError('no', { status, service: 'management', method: 'GET', path: '/' });
          return { entries: world.logs.filter(({ at }) => at >= from && at < to), isCut: world.isCut };
        },
      },
    };
    const elsewhere = createElsewhere({ platform: platform as never, now: () => new Date(world.now) });
    const read = async (back = 5 * MINUTE) =>
      (await elsewhere.read(new Date(world.now - back)))?.entries.map(({ Action }) => Action).sort();
    return { world, elsewhere, read };
  }

  it('is a day at first, then the last half an hour, with what came late', async () => {
    const { world, read } = reader();
    world.add(-20 * 60, 'early');
    world.add(-1, 'now');
    expect(await read()).toEqual(['early', 'now']);
    world.now += 5 * MINUTE;
    world.add(-25, 'late');
    expect(await read()).toEqual(['early', 'late', 'now']);
    expect(world.asked.map(({ from }) => (NOON - from) / MINUTE)).toEqual([24 * 60, 30]);
  });

  it('is asked once by many who come at the same time', async () => {
    const { world, read } = reader();
    await Promise.all([read(), read(), read(HOUR)]);
    world.now += 5_000;
    await read();
    expect(world.asked).toHaveLength(1);
  });

  it('is asked further back by who wants that', async () => {
    const { world, read } = reader();
    world.add(-40 * 60, 'long ago');
    expect(await read()).toEqual([]);
    expect(await read(48 * HOUR)).toEqual(['long ago']);
  });

  it('that is too long for a day is whole for who asks for less', async () => {
    const { world, elsewhere } = reader();
    world.add(-60, 'oldest that is read');
    const isCut = async (minutes: number) => (await elsewhere.read(new Date(world.now - minutes * MINUTE)))?.isCut;
    world.isCut = true;
    expect([await isCut(90), await isCut(60), await isCut(5)]).toEqual([true, false, false]);
    world.isCut = false;
    world.now += 5 * MINUTE;
    expect(await isCut(5)).toBe(false);
    expect(world.asked.map(({ from }) => (NOON - from) / MINUTE)).toEqual([24 * 60, 30]);
  });

  it('has an entry ahead of the bot’s clock, and forgets what is older than a day', async () => {
    const { world, read } = reader();
    world.add(2, 'ahead');
    expect(await read()).toEqual(['ahead']);
    for (let minute = 0; minute < 25 * 60; minute += 20) {
      world.now += 20 * MINUTE;
      await read();
    }
    expect(await read()).toEqual([]);
  });

  it.each([401, 403, 404])('goes off by itself for an hour where the key may not read it: %d', async (status) => {
    const { world, elsewhere, read } = reader();
    world.status = status;
    expect(elsewhere.refused()).toBeUndefined();
    expect([await read(), await read()]).toEqual([undefined, undefined]);
    expect(world.asked).toHaveLength(1);
    expect(elsewhere.refused()).toMatch(String(status));
    world.status = 200;
    world.now += HOUR;
    expect(await read()).toEqual([]);
    expect(elsewhere.refused()).toBeUndefined();
  });

  it('fails where the platform fails, and is asked again at once', async () => {
    const { world, read } = reader();
    world.status = 500;
    await expect(read()).rejects.toThrow('no');
    world.status = 200;
    expect(await read()).toEqual([]);
  });
});
