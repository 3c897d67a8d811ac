import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { inTime, TIME_LIMIT } from '../../src/changes/context.ts';

describe('work that has ten minutes', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const untilAborted = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

  it('leaves no timer behind, which would hold its interaction for ten minutes', async () => {
    expect(await inTime(async () => 'the answer')).toBe('the answer');
    await expect(inTime(() => Promise.reject(new Error('a fault')))).rejects.toThrow('a fault');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('ends with the reason that is given, or as any timeout does', async () => {
    const ends = expect(inTime(untilAborted, () => new Error('It took too long.'))).rejects.toThrow(
      'It took too long.',
    );
    const others = expect(inTime(untilAborted)).rejects.toMatchObject({ name: 'TimeoutError' });
    await vi.advanceTimersByTimeAsync(TIME_LIMIT);
    await ends;
    await others;
  });
});
