import { describe, expect, it } from 'vitest';
import { baselinePosts } from './baselines.ts';
import { groupByDrain, groupByMask, scoreGrouping } from './grouping.ts';
import { judgeDaily, printedDaily } from './judge/daily.ts';
import { runOf } from './judge/run.ts';
import { printed } from './judge/table.ts';
import { judgeWeek } from './judge.ts';
import { MESSAGE_KINDS, messages } from './messages.ts';
import { createModel, KINDS } from './model.ts';
import { SCENARIOS } from './scenarios.ts';
import { WEEKS, weeksOf } from './seeds.ts';

const SHORT = {
  seed: 79,
  from: new Date('2026-03-02T00:00:00Z'),
  kind: 'incidents' as const,
  kinds: ['outage', 'silence', 'slow origin'] as const,
  days: 2,
  zones: 5,
};

describe('a short week', () => {
  const model = createModel(SHORT);

  it('is the same for the same seed, and another for another', () => {
    const again = createModel(SHORT);
    expect(again.labels()).toEqual(model.labels());
    const zone = model.zones[3]!;
    const hours = (one: typeof model) => one.totals(one.zones[3]!, one.world.from - 600, one.world.from + 600);
    expect(hours(again)).toEqual(hours(model));
    expect(createModel({ ...SHORT, seed: 80 }).zones[3]).not.toEqual(zone);
  });

  it('has the incidents that were asked for, and labels that the counts bear out', () => {
    expect(
      model
        .labels()
        .map(({ kind }) => kind)
        .sort(),
    ).toEqual(['outage', 'silence', 'slow origin']);
    const outage = model.labels().find(({ kind }) => kind === 'outage')!;
    const zone = model.zones.find(({ name }) => name === outage.zones[0])!;
    const during = model.totals(zone, outage.start / 60_000, outage.end / 60_000);
    const before = model.totals(zone, outage.start / 60_000 - 120, outage.start / 60_000);
    const share = (totals: typeof during) => totals.serverErrors / totals.requests;
    expect(share(during)).toBeGreaterThan(1.5 * share(before) + 0.005);
    const silence = model.labels().find(({ kind }) => kind === 'silence')!;
    const silent = model.zones.find(({ name }) => name === silence.zones[0])!;
    expect(model.totals(silent, silence.firstSeen / 60_000 + 3, silence.end / 60_000).requests).toBe(0);
  });

  it('baselines find what they can find, and the judge sees it', () => {
    const posts = baselinePosts(model);
    const judged = Object.entries(posts).map(([name, all]) => [name, judgeWeek(runOf(SHORT, model, all))] as const);
    const told = Object.fromEntries(
      judged.map(([name, week]) => [
        name,
        week.incidents.filter(({ toldAt }) => toldAt !== undefined).map(({ label }) => label.kind),
      ]),
    );
    expect(told['5xx > 1 %']).toContain('outage');
    expect(told['5xx > 1 %']).not.toContain('silence');
    expect(told['EWMA, 3 sigma']).toEqual(expect.arrayContaining(['silence', 'slow origin']));
    const text = printed('EWMA', [judged[1]![1]]);
    expect(text).toContain('false posts (');
    for (const [, week] of judged) {
      for (const { start } of week.incidents.filter(({ toldAt }) => toldAt !== undefined))
        expect(start).not.toBe('not said');
    }
  });
});

describe('seeds', () => {
  it('no week is in both halves, and each half has fourteen incidents of every kind', () => {
    expect(new Set(WEEKS.map(({ seed }) => seed)).size).toBe(WEEKS.length);
    for (const half of ['tuning', 'unseen'] as const) {
      const kinds = weeksOf(half).flatMap((week) => week.kinds);
      for (const kind of KINDS) expect(kinds.filter((one) => one === kind)).toHaveLength(14);
      expect(weeksOf(half, 'quiet')).toHaveLength(12);
    }
  });

  it('a week for morning reports has changes, a quiet one nothing at all', () => {
    const week = weeksOf('tuning', 'daily')[0]!;
    const model = createModel(week);
    expect(model.labels()).toEqual([]);
    const changes = model.dayLabels();
    expect(changes.length).toBeGreaterThan(3);
    const [change] = changes;
    const told = `${change!.zone}: ${change!.kind === 'requests' ? 'requests' : 'hit rate, 4xx, 5xx, response time'} changed`;
    const result = judgeDaily({
      ...runOf(week, model, []),
      posts: [{ at: change!.end, channel: 'ops', text: told, day: change!.day }],
      changes,
    });
    expect(result.changes.filter(({ line }) => line !== undefined)).toHaveLength(1);
    expect(result.calmLines).toEqual([]);
    expect(printedDaily('daily', [result])).toContain('missed');
    expect(createModel(weeksOf('unseen', 'quiet')[0]!).labels()).toEqual([]);
  });

  it('more than twenty scenarios of faults have names of their own', () => {
    expect(new Set(SCENARIOS.map(({ name }) => name)).size).toBe(SCENARIOS.length);
    expect(SCENARIOS.length).toBeGreaterThan(20);
    for (const { faults } of SCENARIOS) expect(faults({ at: SHORT.from.getTime(), zone: 1 })).toBeInstanceOf(Array);
  });
});

describe('messages', () => {
  it('are some hundreds, each kind in one half, and the halves are alike', () => {
    expect(messages().length).toBeGreaterThan(300);
    expect(new Set(MESSAGE_KINDS.map(({ kind }) => kind)).size).toBe(MESSAGE_KINDS.length);
    const [tuning, unseen] = [messages({ half: 'tuning' }), messages({ half: 'unseen' })];
    const kinds = new Set(tuning.map(({ kind }) => kind));
    expect(unseen.some(({ kind }) => kinds.has(kind))).toBe(false);
    expect(Math.abs(tuning.length - unseen.length)).toBeLessThan(20);
    for (const { text } of messages({ copies: 2 })) expect(text).not.toMatch(/\{(ip|host|path|num|id|d)\}|¦/);
  });

  it('values differ from copy to copy', () => {
    const texts = messages({ copies: 2 }).map(({ text }) => text);
    expect(new Set(texts).size).toBeGreaterThan(messages().length * 1.4);
  });

  it('groups are scored by whether they are exactly one kind', () => {
    const score = scoreGrouping(['a', 'a', 'b', 'b', 'c'], ['1', '1', '2', '3', '3']);
    expect(score).toMatchObject({ kinds: 3, groups: 3, accuracy: 0.4, mixed: [{ group: '3', kinds: ['b', 'c'] }] });
    expect(score.fga).toBeCloseTo(1 / 3);
    expect(score.split).toEqual([{ kind: 'b', groups: 2 }]);
  });

  it('numbers are masked, and Drain joins what is alike', () => {
    const texts = ['read of 12 bytes failed at 10.0.0.1', 'read of 94 bytes failed at 10.0.0.9', 'no route to host'];
    for (const group of [groupByMask, groupByDrain]) {
      const [first, second, third] = group(texts);
      expect(first).toBe(second);
      expect(third).not.toBe(first);
    }
  });
});
