import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mrkdwnOf } from '../../../src/blocks/mrkdwn.ts';
import { createKnownValues } from '../../../src/slack/out/secrets.ts';

const SHOWN = '[secret]';

/** Knows these, and hides them. */
function knowing(...values: string[]) {
  const known = createKnownValues();
  for (const value of values) expect(known.learn(value)).toBe(true);
  return (text: string) => known.hide(text, SHOWN);
}

/** Letters and numbers of a key, none of which stands in what is written around it. */
const key = fc
  .array(fc.constantFrom(...'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'), { minLength: 24, maxLength: 60 })
  .map((characters) => characters.join(''));

describe('values that are known', () => {
  it('are hidden wherever they stand, and what is around them stays', () => {
    const hide = knowing('AKEY-OF-A-CUSTOMER', 'x.y~z+1/2=3%4-_');
    expect(hide('before AKEY-OF-A-CUSTOMER, behind')).toBe(`before ${SHOWN}, behind`);
    expect(hide('pre-AKEY-OF-A-CUSTOMER-post')).toBe(`pre-${SHOWN}-post`);
    expect(hide('AKEY-OF-A-CUSTOMERAKEY-OF-A-CUSTOMER')).toBe(`${SHOWN}${SHOWN}`);
    expect(hide('of x.y~z+1/2=3%4-_ too')).toBe(`of ${SHOWN} too`);
    expect(hide('akey-of-a-customer, AKEY OF A CUSTOMER')).toBe('akey-of-a-customer, AKEY OF A CUSTOMER');
  });

  it('are learnt when they are long enough, and of characters that are written in one way only', () => {
    const known = createKnownValues();
    expect(known.hide('1234567 and 12345678', SHOWN)).toBe('1234567 and 12345678');
    expect(known.learn('1234567')).toBe(false);
    for (const odd of ['two words', 'quoted"value', 'grüße-und-so', 'ampersand&more', ' 12345678', '12345678 '])
      expect(known.learn(odd)).toBe(false);
    expect(known.learn('12345678')).toBe(true);
    expect(known.hide('1234567 and 12345678', SHOWN)).toBe(`1234567 and ${SHOWN}`);
  });

  it('are hidden where mrkdwn shows them as code', () => {
    const hide = knowing('KEY_OF_A_CUSTOMER~');
    expect(hide(mrkdwnOf('a (KEY_OF_A_CUSTOMER~)!'))).toBe(`a (\`${SHOWN}\`)!`);
    expect(hide('snake_case_name')).toBe('snake_case_name');
  });

  it('are hidden in addresses, and in base 64 wherever they begin and whatever stands beside them', () => {
    const odd = 'a+key/of=a%customer';
    expect(knowing(odd)(`?k=${encodeURIComponent(odd)}&x`)).toBe(`?k=${SHOWN}&x`);
    fc.assert(
      fc.property(
        key,
        fc.stringMatching(/^[a-z]{0,5}$/),
        fc.stringMatching(/^[a-z]{0,5}$/),
        (value, before, behind) => {
          const hide = knowing(value);
          for (const writing of ['base64', 'base64url'] as const) {
            const shown = hide(Buffer.from(`${before}${value}${behind}`).toString(writing));
            expect(shown).toContain(SHOWN);
            // What is left of it, beside what stands there anyway, is no more than the characters that are shared with it.
            expect(shown.replace(SHOWN, '').length).toBeLessThanOrEqual(
              Math.ceil(((before.length + behind.length) * 8) / 6) + 7,
            );
          }
        },
      ),
      { numRuns: 100 },
    );
    // Three characters are four in base 64: nothing is shared with a neighbour, and nothing is left.
    for (const writing of ['base64', 'base64url'] as const)
      expect(knowing('ABCDEFGHIJKL')(Buffer.from('ABCDEFGHIJKL').toString(writing))).toBe(SHOWN);
    // With signs that the two kinds of base 64 write differently.
    const signs = '~~~???>>>~~~???>>>'.replaceAll(/[?>]/g, '~');
    for (const writing of ['base64', 'base64url'] as const)
      for (const before of ['', 'x', 'xy'])
        expect(knowing(signs)(Buffer.from(before + signs).toString(writing))).toContain(SHOWN);
  });

  it('are hidden when they were cut, as long as twelve characters of the beginning are there', () => {
    const long = knowing('ABCDEFGHIJKLMNOPQRSTUVWXYZ0123');
    expect(long('ABCDEFGHIJKLMNO …')).toBe(`${SHOWN} …`);
    expect(long('ABCDEFGHIJKL …')).toBe(`${SHOWN} …`);
    expect(long('ABCDEFGHIJK …')).toBe('ABCDEFGHIJK …');
    expect(long('see:ABCDEFGHIJKLMNOPQRSTUVWXYZ012')).toBe(`see:${SHOWN}`);
    expect(long('pre-ABCDEFGHIJKLMNO …')).toBe(`pre-${SHOWN} …`);
    expect(long('pre-ABCDEFGHIJK …')).toBe('pre-ABCDEFGHIJK …');
    expect(long('ABCDEFGHIJKLMNOPQX')).toBe('ABCDEFGHIJKLMNOPQX');
    expect(long('ABCDEFGHIJKLMNOPQ-and-more')).toBe('ABCDEFGHIJKLMNOPQ-and-more');
    const short = knowing('ABCDEFGHIJKLMNOP');
    expect(short('ABCDEFGHIJKL')).toBe(SHOWN);
    expect(short('ABCDEFGHIJK')).toBe('ABCDEFGHIJK');
  });

  it('are hidden as a whole where one begins like another', () => {
    const hide = knowing('SAMEBEGIN-1', 'SAMEBEGIN-1-AND-MORE', 'SAMEBEGIN-2');
    expect(hide('SAMEBEGIN-1-AND-MORE SAMEBEGIN-2 SAMEBEGIN-1 SAMEBEGIN-3')).toBe(
      `${SHOWN} ${SHOWN} ${SHOWN} SAMEBEGIN-3`,
    );
  });

  it('are known by their first four thousand characters', () => {
    const value = 'Q'.repeat(4_096) + 'R'.repeat(904);
    expect(knowing(value)(value)).toBe(`${SHOWN}${'R'.repeat(904)}`);
  });

  it('are forgotten, the oldest first, when there are too many; those that are for good are not', () => {
    const known = createKnownValues();
    known.learn('FOR-GOOD-0000', true);
    // Alike in their beginning: one is forgotten without the other.
    known.learn('PASSING-OLDEST');
    known.learn('PASSING-FOR-GOOD', true);
    // Learnt once more in passing, it stays.
    known.learn('FOR-GOOD-0000');
    for (let index = 0; index < 20_000; index += 1) known.learn(`key${String(index).padStart(9, '0')}`);
    expect(known.hide('FOR-GOOD-0000 PASSING-OLDEST PASSING-FOR-GOOD', SHOWN)).toBe(`${SHOWN} PASSING-OLDEST ${SHOWN}`);
    expect(known.hide('key000019999 key000000000', SHOWN)).toBe(`${SHOWN} key000000000`);
    // What was forgotten can be learnt again.
    expect(known.learn('PASSING-OLDEST')).toBe(true);
    expect(known.hide('PASSING-OLDEST', SHOWN)).toBe(SHOWN);
  });

  it('are kept as long as there is room for them', () => {
    const known = createKnownValues();
    for (let index = 0; index < 4_000; index += 1) known.learn(`key${String(index).padStart(9, '0')}`);
    expect(known.hide('key000000000 key000003999', SHOWN)).toBe(`${SHOWN} ${SHOWN}`);
  });
});
