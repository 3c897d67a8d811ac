import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainName } from '../../src/blocks/mrkdwn.ts';

describe('A name of somebody’s', () => {
  it.each([
    'shop',
    'main-site.example.com',
    'Shop EU 2',
    'bücher-straße',
    'ışık',
    'магазин',
    'shop-магазин',
    'μαγαζί',
    '東京shop',
    'مخزن',
    '',
  ])('is shown as it is: %s', (name) => {
    expect(plainName(name)).toBe(name);
  });

  it.each([
    ['sh\u043ep', 'sh[U+043E]p'],
    ['\u0455\u04bb\u043e\u0440', '[U+0455][U+04BB][U+043E][U+0440]'],
    ['sh\u03bfp', 'sh[U+03BF]p'],
    ['shop-\u0435u', 'shop-[U+0435]u'],
    ['\u0251pi', '[U+0251]pi'],
    ['\uff53hop', '[U+FF53]hop'],
    ['\u{1d42c}hop', '[U+1D42C]hop'],
    ['\ufb01les', '[U+FB01]les'],
    ['shop\u2800', 'shop[U+2800]'],
    ['shop\u3164', 'shop[U+3164]'],
    ['shop\u00a0', 'shop[U+00A0]'],
    ['shop\u200b', 'shop[U+200B]'],
    ['shop\n', 'shop[U+000A]'],
    ['\u202epohs', '[U+202E]pohs'],
    ['main\u2011site', 'main[U+2011]site'],
    ['main\u2013site', 'main[U+2013]site'],
    ['shop (1)', '“shop (1)”'],
    ['shop (308002)\u200b', '“shop (308002)[U+200B]”'],
    ['shop, shield zone 12', '“shop, shield zone 12”'],
    ['“shop” (1)', '““shop” (1)”'],
    [' shop', '“ shop”'],
    ['shop  eu', '“shop  eu”'],
  ])('is marked where it could be taken for another one: %j', (name, shown) => {
    expect(plainName(name)).toBe(shown);
  });

  it('is never that of another one, with the id behind it', () => {
    const piece = fc.constantFrom('shop', ' ', ' (', '1', ')', '“', '”', ', shield zone 1', '\u043e', '\u2800');
    const name = fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(name, name, fc.constantFrom(1, 11), fc.constantFrom(1, 11), (one, other, id, otherId) => {
        const isSame = one === other && id === otherId;
        expect(`${plainName(one)} (${id})` === `${plainName(other)} (${otherId})`).toBe(isSame);
      }),
    );
  });
});
