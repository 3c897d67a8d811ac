import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import {
  BOT_ACTIONS,
  CACHE_STATUSES,
  EXECUTION_MODES,
  labelOf,
  parseBotAction,
  parseBotCategory,
  parseCacheStatus,
} from '../../src/platform/enums.ts';

describe('bot categories', () => {
  it.each([
    ['None', 0],
    ['0', 0],
    ['seo', 1],
    ['AIScraper', 2],
    ['ai scraper', 2],
    ['AI_TOOL', 3],
    ['tool', 4],
    ['ADS', 5],
    ['Preview', 6],
    ['social', 7],
    ['7', 7],
  ])('are known as %s', (text, category) => {
    expect(parseBotCategory(text)).toBe(category);
  });

  it.each(['255', 'System', 'system'])('cannot be %s, with the reason', (text) => {
    expect(() => parseBotCategory(text)).toThrow(/System \(255\) cannot be set.*0 to 7/);
  });

  it.each(['8', '-1', '1.5', 'bots', ''])('cannot be “%s”', (text) => {
    expect(() => parseBotCategory(text)).toThrow(UsageError);
  });
});

it('bot categories that begin with what was typed are offered', () => {
  expect(() => parseBotCategory('ai')).toThrow(expect.objectContaining({ instead: ['AIScraper', 'AITool'] }));
  expect(() => parseBotCategory('')).toThrow(expect.objectContaining({ instead: [] }));
});

describe('bot actions', () => {
  it.each([
    ['none', 0],
    ['BLOCK', 1],
    ['Allow', 2],
    ['2', 2],
  ])('are known as %s', (text, action) => {
    expect(parseBotAction(text)).toBe(action);
  });

  it.each(['ignore', 'Ignore', '3'])('cannot be %s for a category, with the reason', (text) => {
    expect(() => parseBotAction(text)).toThrow(/single bots only/);
  });

  it('cannot be another word', () => {
    expect(() => parseBotAction('deny')).toThrow(UsageError);
  });
});

describe('labels', () => {
  it('show the number where the meaning is unknown', () => {
    expect(labelOf(EXECUTION_MODES, 1)).toBe('Block');
    expect(labelOf(EXECUTION_MODES, 9)).toBe('9');
    expect(labelOf(BOT_ACTIONS, 2)).toBe('Allow');
  });
});

describe('cache statuses', () => {
  it('are the seven of the specification', () => {
    expect(Object.keys(CACHE_STATUSES)).toEqual(['HIT', 'MISS', 'BYPASS', 'REVALIDATED', 'STALE', 'UPDATING', '-']);
  });

  it.each([
    ['hit', 'HIT'],
    ['Revalidated', 'REVALIDATED'],
    ['-', '-'],
    ['–', '-'],
    ['—', '-'],
  ])('are known as %s', (text, status) => {
    expect(parseCacheStatus(text)).toBe(status);
  });

  it('refuse other words with the list', () => {
    expect(() => parseCacheStatus('warm')).toThrow(UsageError);
  });
});
