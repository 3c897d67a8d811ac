import { describe, expect, it } from 'vitest';
import { hoursClaimed } from './judge/daily.ts';
import { countInterval, wilson } from './judge/intervals.ts';
import { sharesSaid } from './judge/shares.ts';
import { startsSaid, zonesNamed } from './judge/words.ts';
import { judgeWeek, type Post, type Run } from './judge.ts';
import type { Label } from './model.ts';

const MINUTE = 60_000;
const at = (clock: string) => Date.parse(`2026-03-04T${clock}:00Z`);

const OUTAGE: Label = {
  id: '1-0',
  kind: 'one region',
  zones: ['atlas-shop'],
  start: at('10:00'),
  end: at('11:00'),
  firstSeen: at('10:00'),
  noticeable: at('10:00'),
  shares: { 'atlas-shop': Array.from({ length: 60 }, () => 0.2) },
  region: 'DE',
  cause: 'the origin refuses connections',
  accept: /refus/i,
  has5xx: true,
  isAsked: true,
};

function runWith(posts: Post[], more: Partial<Run> = {}): Run {
  return {
    seed: 1,
    kind: 'incidents',
    from: Date.parse('2026-03-02T00:00:00Z'),
    to: Date.parse('2026-03-09T00:00:00Z'),
    posts,
    labels: [OUTAGE],
    zones: ['atlas-shop', 'billing-api', 'live-hls'],
    happenings: () => [],
    shownAt: ({ start }) => start + 2 * MINUTE,
    ...more,
  };
}

const post = (clock: string, text: string, more: Partial<Post> = {}): Post => ({
  at: at(clock),
  channel: 'ops',
  text,
  ...more,
});

describe('the words of a message', () => {
  it('zones are named by whole names only, in their order', () => {
    expect(zonesNamed('live-hls and atlas-shop, not atlas-shop-2 or xlive-hls', ['atlas-shop', 'live-hls'])).toEqual([
      'live-hls',
      'atlas-shop',
    ]);
  });

  it.each([
    ['5xx since 10:02 UTC', '10:02'],
    ['began at about 9:58', '09:58'],
    ['since 10.01', '10:01'],
    ['started 10:05 am', '10:05'],
    ['since <!date^1772618460^{time}|then>', '10:01'],
    ['since about <!date^1772618460^{time}|then>', '10:01'],
    ['failing for 25 minutes', '10:00'],
    ['since 2026-03-04 10:03', '10:03'],
  ])('“%s” says %s', (text, clock) => {
    expect(startsSaid(text, at('10:25'))).toEqual([at(clock)]);
  });

  it('a clock time that is still to come was yesterday', () => {
    expect(startsSaid('since 23:50', at('00:10'))).toEqual([at('00:00') - 10 * MINUTE]);
  });

  it('clock times are in the time zone of the channel unless they say UTC', () => {
    expect(startsSaid('since 11:02', at('10:25'), 'Europe/Berlin')).toEqual([at('10:02')]);
    expect(startsSaid('since 10:02 UTC', at('10:25'), 'Europe/Berlin')).toEqual([at('10:02')]);
  });

  it('numbers that are no start are none', () => {
    expect(startsSaid('5xx 12.5 % of 4,000 requests', at('10:25'))).toEqual([]);
  });

  it('hours are read from a line of a morning report', () => {
    expect(hoursClaimed('between 06:00 and 18:30')).toEqual([0.25, 18.5 / 24]);
    expect(hoursClaimed('+30 % requests all day')).toBeUndefined();
  });
});

describe('a share that is said', () => {
  // From ten in the morning a tenth fails, from half past a half.
  const failing = (_: string, from: number, to: number) => {
    const bad = Math.max(0, to - Math.max(from, at('10:30')));
    return (0.1 * (to - from - bad) + 0.5 * bad) / (to - from);
  };
  const isRight = (clock: string, text: string) =>
    sharesSaid(text, at(clock), { zones: ['atlas-shop'], failing }).map((one) => one.isRight);

  it.each([
    ['10:20', '🔴 atlas-shop: refused, 10% of requests fail, since 10:00 UTC', [true]],
    ['10:20', '🔴 atlas-shop: refused, 40% of requests fail, since 10:00 UTC', [false]],
    ['10:40', '🔴 atlas-shop: refused, 48% of requests fail, since 10:00 UTC', [true]],
    ['10:40', '🔴 atlas-shop: refused, 20% of requests fail, since 10:00 UTC', [true]],
    ['10:40', '🔴 atlas-shop: refused, 5% of requests fail, since 10:00 UTC', [false]],
    ['10:40', 'No zone fails\nlive: 90% of requests fail', []],
  ])('at %s in “%s” is right: %s', (clock, text, expected) => {
    expect(isRight(clock, text)).toEqual(expected);
  });
});

describe('what posts are worth', () => {
  it('the first post that names the zone tells; delay counts from when the platform shows it', () => {
    const [incident] = judgeWeek(
      runWith([post('10:09', 'atlas-shop: origin refuses connections in DE, 20 % since 10:03')]),
    ).incidents;
    expect(incident).toMatchObject({ delay: 7 * MINUTE, start: 'right', isCauseNamed: true, isPlaceNamed: true });
  });

  it('a start, a cause and a region that are not right are seen', () => {
    const [incident] = judgeWeek(runWith([post('10:40', 'atlas-shop: timeouts in FR since 10:25')])).incidents;
    expect(incident).toMatchObject({ start: 'wrong', isCauseNamed: false, isPlaceNamed: false });
  });

  it('a message that has no new fact says nothing new, whatever its counts', () => {
    const { posts } = judgeWeek(
      runWith([
        post('10:09', 'atlas-shop: refused connections, 20 % (900 requests) since 10:00'),
        post('10:24', 'atlas-shop: refused connections, 22 % (2,300 requests) since 10:00'),
        post('10:39', 'atlas-shop: refused connections, 61 % since 10:00'),
        post('11:10', 'atlas-shop: it is over'),
      ]),
    );
    expect(posts.map(({ verdict }) => verdict)).toEqual(['tells', 'says nothing new', 'tells', 'tells']);
  });

  it('replies belong to the zone of their thread, and edits are no messages', () => {
    const first = post('10:09', 'atlas-shop: refused', {
      id: 'a',
      edits: [{ at: at('10:20'), text: 'atlas-shop: refused since 10:00' }],
    });
    const [incident] = judgeWeek(runWith([first, post('10:30', 'now also in FR', { thread: 'a' })])).incidents;
    expect(incident?.messages).toBe(2);
  });

  it('a post about another zone is false, with what was there as its reason', () => {
    const campaign = {
      kind: 'campaign' as const,
      zone: 'live-hls',
      start: at('08:00'),
      end: at('12:00'),
      isTellableOnce: false,
      words: 'a campaign',
    };
    const { posts, incidents } = judgeWeek(
      runWith([post('10:20', 'live-hls: more requests')], {
        happenings: (zone) => (zone === 'live-hls' ? [campaign] : []),
      }),
    );
    expect(posts[0]).toMatchObject({ verdict: 'false', reason: 'live-hls: campaign, a campaign' });
    expect(incidents[0]?.reason).toContain('never told');
  });

  it('a lasting change may be told once', () => {
    const shift = { kind: 'level shift' as const, zone: 'live-hls', words: 'more', isTellableOnce: true };
    const { posts } = judgeWeek(
      runWith([post('10:20', 'live-hls: more requests'), post('12:20', 'live-hls: still more requests')], {
        happenings: () => [{ ...shift, start: at('09:00'), end: at('23:00') }],
      }),
    );
    expect(posts.map(({ verdict }) => verdict)).toEqual(['neutral', 'false']);
  });

  it('that something could not be read is right only while it could not be', () => {
    const text = 'The access log could not be read.';
    const faulty = judgeWeek(runWith([post('20:00', text)], { isFaulty: () => true }));
    expect(faulty.posts[0]?.verdict).toBe('neutral');
    expect(judgeWeek(runWith([post('20:00', text)])).posts[0]?.verdict).toBe('false');
  });

  it('who posts all the time tells by chance too', () => {
    const posts = Array.from({ length: 7 * 24 }, (_, i) => ({
      at: Date.parse('2026-03-02T00:30:00Z') + i * 60 * MINUTE,
      channel: 'ops',
      text: 'atlas-shop: something',
    }));
    expect(judgeWeek(runWith(posts)).chance).toEqual({ told: 4, of: 4 });
  });
});

describe('intervals', () => {
  it("are Wilson's for shares and Byar's for counts", () => {
    expect(wilson(9, 10).map((value) => value.toFixed(3))).toEqual(['0.596', '0.982']);
    expect(wilson(0, 34)[1].toFixed(3)).toBe('0.102');
    expect(countInterval(0, 1)[1].toFixed(1)).toBe('3.7');
  });
});
