import { describe, expect, it } from 'vitest';
import type { Trouble } from '../../src/reports/report.ts';
import { type Storm, stormStep } from '../../src/runner/storms.ts';

const at = (minute: number) => new Date(Date.UTC(2026, 10, 21, 12, minute));
const trouble = (kind: string, place = 'shop', hourly = 100): Trouble => ({ kind, place, hourly });

/** What becomes of these stretches of 15 minutes: `calm`, `told`, `kept`, `updated`, `over` or `usual`. */
function weather(stretches: readonly (readonly Trouble[])[]): string[] {
  let storm: Storm | undefined;
  return stretches.map((troubles, index) => {
    const step = stormStep(storm, troubles, { from: at(15 * index), to: at(15 * (index + 1)) });
    if (step.is !== 'calm') storm = step.is === 'over' || step.is === 'usual' ? undefined : { ...step.storm, ts: '1' };
    return step.is;
  });
}

const times = (count: number, troubles: readonly Trouble[]) => Array.from({ length: count }, () => troubles);

describe('a storm', () => {
  it('is told once, brought up to date at growing intervals, and over after half an hour without it', () => {
    expect(weather([[], ...times(14, [trouble('a')]), [], [], []])).toEqual([
      'calm',
      'told',
      'updated',
      'updated',
      'kept',
      'updated',
      'kept',
      'kept',
      'updated',
      ...times(5, []).map(() => 'kept'),
      'updated',
      'kept',
      'over',
      'calm',
    ]);
  });

  it('goes on when it pauses for a quarter of an hour', () => {
    expect(weather([[trouble('a')], [], [trouble('a')], [], []])).toEqual(['told', 'kept', 'updated', 'kept', 'over']);
  });

  it('is told anew for another kind elsewhere and for ten times as many, not for another kind of the same place', () => {
    const [a, b, elsewhere] = [trouble('a'), trouble('b'), trouble('c', 'api')];
    expect(weather([[a], [a, b], [a, elsewhere], [a, elsewhere], [trouble('a', 'docs')]])).toEqual([
      'told',
      'updated',
      'told',
      'updated',
      'updated',
    ]);
    const sized = (hourly: number) => [trouble('a', 'shop', hourly)];
    // It rises for three quarters of an hour; what comes ten times as often after that is another storm.
    expect(weather([sized(10), sized(150), sized(200), sized(1900), sized(2000)])).toEqual([
      'told',
      'updated',
      'updated',
      'kept',
      'told',
    ]);
  });

  it('of more than a day is told once a day, and after almost three days is the usual', () => {
    const steps = weather(times(4 * 70, [trouble('a')]));
    expect(steps.flatMap((step, index) => (step === 'told' ? [index / 4] : []))).toEqual([0, 23.75, 47.5]);
    expect(steps.at(-1)).toBe('usual');
    expect(steps.filter((step) => step === 'updated').length).toBeLessThan(40);
  });
});
