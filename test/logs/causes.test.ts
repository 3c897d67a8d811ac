import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CAUSES, causeIn } from '../../src/logs/causes.ts';
import { messageTemplate } from '../../src/logs/template.ts';
import { groupByDrain, scoreGrouping } from '../check/signal/grouping.ts';
import { messages } from '../check/signal/messages.ts';

test.each([
  ['connect() failed (111: Connection refused) while connecting to upstream, client: 192.0.2.7', 'refused'],
  ['Error: connect ECONNREFUSED 192.0.2.7:443', 'refused'],
  ['SQLSTATE[HY000] [2002] Connection refused', 'db-down'],
  ['192.0.2.7:51 [x] web app/a 0/0/1/-1/9 504 2 - - sH-- 1/1/0/0/0 0/0 "GET / HTTP/1.1"', 'answer-timeout'],
  ['192.0.2.7:51 [x] web app/a 0/0/1/-1/9 502 2 - - SH-- 1/1/0/0/0 0/0 "GET / HTTP/1.1"', 'closes-early'],
  ['REMOTE-CERTIFICATE INVALID: NotTimeValid', 'cert-expired'],
  ['dns_lookup', 'dns-missing'],
  // Nobody who names a page like an error makes one, and a word within another is not that word.
  ['the parcel is here, request: "GET /connection/refused HTTP/1.1"', undefined],
  ['disconnection refusedly', undefined],
  ['the parcel is here', undefined],
  ['', undefined],
])('what %j says is wrong is %s', (message, id) => {
  expect(causeIn(message)?.id).toBe(id);
});

test('each cause has an id of its own, a sentence, and something to look at', () => {
  expect(new Set(CAUSES.map(({ id }) => id)).size).toBe(CAUSES.length);
  expect(new Set(CAUSES.map(({ means }) => means)).size).toBe(CAUSES.length);
  for (const { id, means, look } of CAUSES) {
    expect(id).toMatch(/^[a-z\d-]{2,20}$/);
    expect(means).toMatch(/^[A-Z].{8,70}[^.]$/);
    expect(look).toMatch(/^.{4,100}[^.]$/);
  }
});

describe('messages of programs, labelled by who has read none of this, in the half that rules may be tuned on', () => {
  const all = messages({ half: 'tuning', copies: 3 });
  const kinds = all.map(({ kind }) => kind);
  const keyOf = (text: string) => causeIn(text)?.id ?? messageTemplate(text);

  test('are grouped by what is one problem, where words alone tear it apart', () => {
    const score = scoreGrouping(
      kinds,
      all.map(({ text }) => keyOf(text)),
    );
    const drain = scoreGrouping(kinds, groupByDrain(all.map(({ text }) => text)));
    expect(score.fga).toBeGreaterThan(0.95);
    expect(score.mixed).toEqual([]);
    expect(drain.fga).toBeLessThan(0.3);
  });

  test('have a cause that is their own: nothing that was read before counts', () => {
    const alone = new Map(all.map(({ text }) => [text, keyOf(text)]));
    fc.assert(
      fc.property(fc.shuffledSubarray([...alone.keys()], { minLength: 1, maxLength: 40 }), (some) => {
        for (const text of some) expect(keyOf(text)).toBe(alone.get(text));
      }),
      { numRuns: 20 },
    );
  });
});
