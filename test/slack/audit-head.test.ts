import type { WebClient } from '@slack/web-api';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import type { Poster } from '../../src/reports/post.ts';
import { publishHead, recallHead } from '../../src/slack/audit-head.ts';
import type { Seen } from '../../src/store/audit-chain.ts';

const log = pino({ level: 'silent' });
const HASH = 'a'.repeat(64);

describe('the head of the audit in its channel', () => {
  /** Reads a channel of many messages, of which the one at `place` has the head. */
  async function recalled(place: number): Promise<Seen | undefined> {
    let read = async (): Promise<Seen | undefined> => undefined;
    const history = async ({ cursor = '0', limit }: { cursor?: string; limit: number }) => {
      const from = Number(cursor);
      const slot = { slot: `audit head 2026-11-25 7 ${HASH}` };
      const messages = Array.from({ length: limit }, (_, at) =>
        from + at + 1 === place ? { user: 'UBOT', metadata: { event_payload: slot } } : { user: 'UADA' },
      );
      return { messages, response_metadata: { next_cursor: String(from + limit) } };
    };
    const audit = {
      list: async () => [{}],
      expect: async (one: typeof read) => {
        read = one;
      },
    };
    const client = { conversations: { history } } as unknown as WebClient;
    const services = { store: { audit } as never, client, identity: { userId: 'UBOT' }, log, now: () => new Date() };
    await recallHead(services, 'C0AUDIT');
    return read();
  }

  it.each([1, 200, 10_000])('is found among the newest 10,000 messages: at %d', async (place) => {
    expect(await recalled(place)).toEqual({ number: 7, hash: HASH });
  });

  it('is not looked for beyond them, and is missed then', async () => {
    await expect(recalled(10_001)).rejects.toThrow('no head of the audit was found in its channel');
  });
});

describe('the head of the audit', () => {
  it.each([
    [0, ['2026-11-25T10', '2026-11-26T00', '2026-11-27T00']],
    [2, ['2026-11-25T12', '2026-11-26T00', '2026-11-27T00']],
    [15, ['2026-11-26T01', '2026-11-27T00']],
  ])(
    'is posted at the start, and once on each day after that, or when Slack takes it: after %d refusals',
    async (refusals, times) => {
      let now = new Date('2026-11-25T10:00:00Z');
      const posted: string[] = [];
      let left = refusals;
      const poster: Pick<Poster, 'post'> = {
        async post({ key }) {
          left -= 1;
          if (left >= 0) throw new Error('channel_is_archived');
          expect(key.slice(0, 21)).toBe(`audit head ${now.toISOString().slice(0, 10)}`);
          posted.push(now.toISOString().slice(0, 13));
          return { ts: '1' };
        },
      };
      const verified = { entries: 7, newest: { number: 7, hash: HASH }, problems: [] };
      const store = { audit: { verify: async () => verified } } as never;
      while (now < new Date('2026-11-27T12:00:00Z'))
        now = new Date(
          now.getTime() + (await publishHead({ store, poster, log, now: () => now, auditChannel: 'C0AUDIT' })),
        );
      expect(posted).toEqual(times);
    },
  );
});
