import { beforeEach, describe, expect, it } from 'vitest';
import { ALLOWANCE, type Allowances, createAllowances } from '../../../src/slack/in/allowance.ts';

describe('what one person may have begun', () => {
  let now: number;
  let allowances: Allowances;
  beforeEach(() => {
    now = 0;
    allowances = createAllowances(ALLOWANCE, () => now);
  });
  const began = (person: string, count: number, isEnded = true) =>
    Array.from({ length: count }, () => {
      const admission = allowances.begin(person);
      if (admission === 'begun' && isEnded) allowances.end(person);
      return admission;
    });

  it('is twenty things at once, and two a second after that', () => {
    expect(began('ben', 21)).toEqual([...Array(20).fill('begun'), 'refused']);
    now += 1_000;
    expect(began('ben', 3)).toEqual(['begun', 'begun', 'told']);
    expect(began('ada', 20)).toEqual(Array(20).fill('begun'));
    now += 60_000;
    expect(began('ben', 21).filter((one) => one === 'begun')).toHaveLength(20);
  });

  it('is ten things under way', () => {
    expect(began('ben', 11, false)).toEqual([...Array(10).fill('begun'), 'refused']);
    allowances.end('ben');
    expect(began('ben', 2, false)).toEqual(['begun', 'told']);
  });

  it('is said to be over once in ten seconds', () => {
    began('ben', 10, false);
    expect(began('ben', 3)).toEqual(['refused', 'told', 'told']);
    now += 9_999;
    expect(began('ben', 1)).toEqual(['told']);
    now += 1;
    expect(began('ben', 2)).toEqual(['refused', 'told']);
  });
});
