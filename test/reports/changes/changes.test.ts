import { describe, expect, it } from 'vitest';
import { commandButton } from '../../../src/blocks/buttons.ts';
import type { Changed } from '../../../src/changed.ts';
import { PlatformConnectionError } from '../../../src/platform/errors.ts';
import { changes } from '../../../src/reports/changes/changes.ts';
import type { ReportContext } from '../../../src/reports/report.ts';
import { contextOf, say, UTC, zone } from '../asking.ts';

const MINUTE = 60_000;
const NOON = Date.UTC(2026, 10, 21, 12);
const at = (minute: number) => new Date(NOON + minute * MINUTE);

const made = (minute: number, more: Partial<Extract<Changed, { by: 'somebody else' }>> = {}): Changed => ({
  ...{ by: 'somebody else', at: at(minute), key: `${minute} ${JSON.stringify(more)}`, zones: [1] },
  ...{ actor: 'Somebody else (User 5)', done: 'changed shop (1)' },
  ...more,
});

describe('the report of changes made elsewhere', () => {
  let line: Changed[] = [];
  const window = (from: number, to: number, more: Partial<ReportContext> = {}): ReportContext => ({
    ...contextOf({}, [zone(1, 'shop')], { from: at(from), to: at(to) }),
    timeLine: async ({ from: since, to: until }) => ({
      changes: line.filter((one) => one.at >= since && one.at < until!).reverse(),
      isCut: false,
    }),
    ...more,
  });
  const stateOf = async (context: ReportContext) => changes.state!(await changes.collect({}, context));

  it('says what was changed, in one message, folded by who and what', async () => {
    line = [
      made(1, { done: 'switched force HTTPS on → off', back: commandButton('Put back', 'ssl force a on') }),
      made(2, {
        done: 'switched force HTTPS off → on',
        back: commandButton('Put back', 'ssl force a off'),
      }),
      made(3, { actor: 'Somebody else (User 6)' }),
    ];
    const said = await say(changes, window(0, 5));
    expect(said?.text).toMatch(
      /Somebody else \(User 5\) made 2 changes:\n• switched force HTTPS on → off, .*\n• switched force HTTPS off → on, /,
    );
    expect(said?.text).toMatch(/Somebody else \(User 6\) changed shop \(1\), /);
    expect(JSON.stringify(said?.blocks).match(/"value":"ssl force[^"]*"/g)).toEqual([
      '"value":"ssl force a on"',
      '"value":"ssl force a off"',
    ]);
    expect(JSON.stringify(said?.blocks)).toContain('changes list 1');
  });

  it('is silent where nothing was changed, on other zones, or by the bot', async () => {
    line = [made(1, { zones: [2] }), { by: 'bot', at: at(2), zones: [1], entry: {} as never }];
    expect(await say(changes, window(0, 5))).toBeUndefined();
  });

  it('tells what concerns no zone to those who watch all', async () => {
    line = [made(1, { zones: [] })];
    expect(await say(changes, window(0, 5))).toBeDefined();
    expect(await say(changes, window(0, 5, { whole: false }))).toBeUndefined();
  });

  it('tells what comes late once, and nothing twice, also of two that are alike', async () => {
    line = [made(1), made(1)];
    const last = await stateOf(window(0, 5));
    expect(await say(changes, window(5, 10, { last }))).toBeUndefined();
    line = [made(1), made(1), made(1), made(4, { done: 'deleted shop (1)' })];
    const said = await say(changes, window(5, 10, { last }));
    expect(said?.text).toMatch(/made 2 changes:\n• changed shop \(1\), .*\n• deleted shop \(1\), /);
    const after = await stateOf(window(5, 10, { last }));
    expect(await say(changes, window(10, 15, { last: after }))).toBeUndefined();
  });

  it('tells nothing again, however much it was', async () => {
    line = Array.from({ length: 600 }, (_, index) => made(1, { key: String(index) }));
    const last = await stateOf(window(0, 5));
    expect(await say(changes, window(5, 10, { last }))).toBeUndefined();
  });

  it('names few of many, and says how many there are', async () => {
    line = Array.from({ length: 40 }, (_, index) => made(1, { key: String(index) }));
    expect((await changes.render(await changes.collect({}, window(0, 5)), {}, UTC))?.text).toMatch(
      /And 28 other changes: `?\/edge changes list`? shows all/,
    );
  });

  it('is tried again where the platform does not answer, and says so where the key may not read', async () => {
    const failure = new PlatformConnectionError('gone', {
      service: 'management',
      method: 'GET',
      path: '/',
      applied: 'no',
    });
    const failed = window(0, 5, { timeLine: async () => ({ changes: [], isCut: false, unread: 'x', failure }) });
    await expect(changes.collect({}, failed)).rejects.toThrow(failure);
    const off = window(0, 5, { timeLine: async () => ({ changes: [], isCut: false, unread: 'it may not' }) });
    expect(changes.unread?.(await changes.collect({}, off))).toEqual([
      'Changes made elsewhere are not known: it may not.',
    ]);
  });
});
