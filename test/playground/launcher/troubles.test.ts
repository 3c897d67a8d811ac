import { expect, it } from 'vitest';
import { createTroubles } from '../../../playground/launcher/troubles.ts';
import { seedZones } from '../../../playground/platform/account/zones.ts';
import { createLogStore } from '../../../playground/platform/traffic/log-store.ts';

const START = Date.parse('2026-11-23T14:10:00Z');
const MINUTE = 60_000;

/** The demonstration at a moment, and the share of the requests that failed in ten minutes before it. */
function demonstration() {
  let at = START;
  const now = () => new Date(at);
  const troubles = createTroubles({ seed: 1, troubles: {}, demo: true, now });
  const logs = createLogStore(1, now, undefined, troubles.incidents);
  const zones = seedZones(1);
  return {
    ...troubles,
    after(minutes: number) {
      at = START + minutes * MINUTE;
    },
    failing(name: string) {
      const zone = zones.find(({ Name }) => Name === name)!;
      const records = [...logs.between(zone, at - 10 * MINUTE, at, 'asc')].flat();
      return records.filter(({ statusCode }) => statusCode >= 500).length / records.length;
    },
  };
}

it('the origin of one zone fails when the demonstration begins, and that of another when people break it, until they heal it', () => {
  const { failing, after, switchOrigin } = demonstration();
  expect([failing('shop') > 0.3, failing('main-site') < 0.05]).toEqual([true, true]);
  expect(switchOrigin()).toMatch(/^The origin of main-site is down now/);
  after(10);
  expect(failing('main-site')).toBeGreaterThan(0.3);
  expect(switchOrigin()).toMatch(/^The origin of main-site works again/);
  after(20);
  expect(failing('main-site')).toBeLessThan(0.05);
  switchOrigin();
  after(30);
  expect(failing('main-site')).toBeGreaterThan(0.3);
});
