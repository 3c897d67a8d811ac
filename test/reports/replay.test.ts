import { expect, test } from 'vitest';
import { alarmLines, INCIDENTS, replayWeek } from './replaying.ts';

test('in a week of traffic both reports tell each of three incidents, and next to nothing else', async () => {
  // `npm run replay` does the same hour by hour.
  const { alarms, messages } = await replayWeek(6);
  const told = alarmLines(alarms).join('\n');
  for (const incident of INCIDENTS) {
    expect(
      alarms.some((alarm) => alarm.incident === incident && alarm.report === 'daily-statistics'),
      told,
    ).toBe(true);
  }
  for (const incident of INCIDENTS.filter(({ kind }) => kind !== 'broken-deploy')) {
    expect(
      alarms.some((alarm) => alarm.incident === incident && alarm.report === 'error-summary'),
      told,
    ).toBe(true);
  }
  expect(alarms.filter(({ incident }) => incident === undefined).length, told).toBeLessThanOrEqual(1);
  expect(told).toMatch(/4xx \+.*from docs, 9:00 AM to 1:00 PM/);
  expect(messages['daily-statistics']).toBe(7);
}, 60_000);
