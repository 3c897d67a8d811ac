import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { code, escaped, mrkdwnOf } from '../../../src/blocks/mrkdwn.ts';
import { Secret } from '../../../src/secret.ts';
import { createSecretFilter } from '../../../src/slack/out/secrets.ts';

/** A value that nobody would type by accident, of what keys and tokens are made of, and of worse. */
const secretValue = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9_-]{16,60}$/),
  fc.stringMatching(/^[!-~]{16,60}$/),
  fc.string({ unit: 'grapheme', minLength: 12, maxLength: 40 }).map((text) => `k€y-${text}`),
);
const withSecret = secretValue.map((value) => ({ value, filter: createSecretFilter([Secret.of(value)]) }));

/** Every string in a value, keys too. */
function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => [key, ...stringsIn(item)]);
}

describe('the secret filter', () => {
  it('leaves a code its end where a secret crosses it', () => {
    const { hide } = createSecretFilter([Secret.of('<odd>\tand two')]);
    expect(hide('only `&lt;odd&gt;\tand` two; `rest`')).toBe('only `[secret]`; `rest`');
  });

  it('leaves no secret anywhere in a value, keys and depths included', () => {
    const place = fc.constantFrom('key', 'value', 'within', 'item');
    const spot = fc.record({
      place,
      before: fc.string(),
      after: fc.string(),
      path: fc.array(fc.string(), { maxLength: 8 }),
    });
    fc.assert(
      fc.property(
        withSecret,
        fc.jsonValue(),
        fc.array(spot, { minLength: 1, maxLength: 4 }),
        ({ value, filter }, other, spots) => {
          const planted = spots.map(({ place, before, after, path }): unknown => {
            const text = `${before}${value}${after}`;
            const leaf: unknown =
              place === 'key'
                ? { [text]: other }
                : place === 'item'
                  ? [other, [text]]
                  : place === 'within'
                    ? { a: text, other }
                    : text;
            return path.reduce((inner, key) => ({ [key]: inner, other }), leaf);
          });
          const left = stringsIn(filter.hideIn({ planted, other }));
          // What the rest holds by chance is not the secret.
          fc.pre(!stringsIn(other).some((text) => text.includes(value)));
          expect(left.filter((text) => text.includes(value))).toEqual([]);
          expect(left.some((text) => text.includes('[secret]'))).toBe(true);
        },
      ),
    );
  });

  it.each<[string, (value: string) => string]>([
    ['JSON', (value) => JSON.stringify({ key: value })],
    ['JSON within JSON', (value) => JSON.stringify({ line: JSON.stringify({ key: value }) })],
    ['an address', (value) => `https://api.example.com/?k=${encodeURIComponent(value)}`],
    ['mrkdwn', (value) => escaped(`the key ${value} is wrong`)],
    ['inline code', (value) => code(value).value],
  ])('knows a secret in %s too', (_, written) => {
    const value = fc.stringMatching(/^[A-Za-z0-9][!-~]{16,50}[A-Za-z0-9]$/);
    fc.assert(
      fc.property(value, (text) => {
        expect(createSecretFilter([Secret.of(text)]).hide(written(text))).toContain('[secret]');
      }),
    );
  });

  it('hides what it has learnt since, and the longer of two that overlap', () => {
    const filter = createSecretFilter([Secret.of('12345678')]);
    expect(filter.hide('abcdefgh 12345678')).toBe('abcdefgh [secret]');
    filter.learn(Secret.of('abcdefgh'));
    filter.learn(Secret.of('abcdefgh-12345678-ijkl'));
    expect(filter.hide('abcdefgh')).toBe('[secret]');
    expect(filter.hide('abcdefgh-12345678-ijkl.')).toBe('[secret].');
    for (const odd of ['päßwörd!', 'päßwörd! and more']) filter.learn(Secret.of(odd));
    expect(filter.hide('päßwörd! and more, päßwörd!')).toBe('[secret], [secret]');
  });

  it.each([
    ['a bot token', 'token xoxb-1234567890-abcdefghij', 'token [secret]'],
    ['an app token', 'xapp-1-A012-345-abcdef', '[secret]'],
    ['a JWT', 'is eyJhbGciOiJFZERTQSJ9.eyJpYXQiOjE3.c2lnbmF0dXJl, and', 'is [secret], and'],
    ['a cut JWT', 'eyJhbGciOiJFZERTQSJ9.eyJpYXQiOjE3MDAw…', '[secret]…'],
    ['credentials in an address', 'libsql://me:pass@db.example.com/x', 'libsql://[secret]@db.example.com/x'],
    ['a password alone', 'redis://:pass@cache:6379', 'redis://[secret]@cache:6379'],
    ['a token in a query', 'GET /x?a=1&authToken=abc&b=2', 'GET /x?a=1&authToken=[secret]&b=2'],
    ['a header', 'Authorization: Bearer abcdefgh12345', 'Authorization: Bearer [secret]'],
    ['basic credentials', 'authorization: Basic dXNlcjpwYXNz', 'authorization: Basic [secret]'],
    ['a header in JSON', '{"AccessKey":"abcdefgh12345"}', '{"AccessKey":"[secret]"}'],
    [
      'an address that answers a command',
      'https://hooks.slack-gov.com/commands/T0/1/abc',
      'https://hooks.slack-gov.com/commands/[secret]',
    ],
    ['a password with an @', 'libsql://me:p@ss@db.example.com/x', 'libsql://[secret]@db.example.com/x'],
    ['a token alone in an address', 'https://abcdefghij0123456789@git.example.com', 'https://[secret]@git.example.com'],
    ['a bearer without a header', 'with Bearer abcdefghij.0123456789+/=-_~ in it', 'with Bearer [secret] in it'],
    ['a token behind an entity', '/x?a=1&amp;authToken=abc&amp;b=2', '/x?a=1&amp;authToken=[secret]&amp;b=2'],
    ['a signed address', '/a?X-Amz-Signature=abc&X=1', '/a?X-Amz-Signature=[secret]&X=1'],
    [
      'what a query names so',
      '?secret=a&password=b&passwd=c&sig=d&signature=e&token=f',
      '?secret=[secret]&password=[secret]&passwd=[secret]&sig=[secret]&signature=[secret]&token=[secret]',
    ],
    ['a password in JSON', '{"password":"abcdefgh"}', '{"password":"[secret]"}'],
    [
      'a password in JSON in JSON',
      '{\\\\\\"passwd\\\\\\":\\\\\\"abcdefgh\\\\\\"}',
      '{\\\\\\"passwd\\\\\\":\\\\\\"[secret]\\\\\\"}',
    ],
    [
      'what JSON names so',
      `'client_secret'  :  'abcdefgh', "token": "abcdefgh", "apiKey":"abcdefgh", "access-key":"abcdefgh"`,
      `'client_secret'  :  '[secret]', "token": "[secret]", "apiKey":"[secret]", "access-key":"[secret]"`,
    ],
    [
      'words in code spans of their own',
      mrkdwnOf('"private_key": "abcd~fgh", Bearer abcdefghij~0123456789, Authorization: Basic ab:cdefghij'),
      '"private_key": `"[secret]"`, Bearer `[secret]`, Authorization: Basic `[secret]`',
    ],
    [
      'a password of a connection',
      'Server=db;Password=abcd;Pwd=defg|passwd=hijk',
      'Server=db;Password=[secret];Pwd=[secret]|passwd=[secret]',
    ],
    ['a key of a cloud', 'with AKIAABCDEFGH01234567 and ASIAABCDEFGH01234567.', 'with [secret] and [secret].'],
    ['a token of a forge', 'ghp_abcdefghijklmnop, gho_abcdefghijklmnop', '[secret], [secret]'],
    ['more of them', 'github_pat_abcdefghij_klmnop glpat-abcdefghijklmnop', '[secret] [secret]'],
    ['a key of a bank', 'sk_live_abcdefghijklmnop rk_test-abcdefghijklmnop', '[secret] [secret]'],
    ['a private key', 'a -----BEGIN PRIVATE KEY-----\nMIIE\nvQ==\n-----END PRIVATE KEY----- b', 'a [secret] b'],
    [
      'a private key of a kind',
      'a -----BEGIN RSA PRIVATE KEY-----\nMI\n-----END RSA PRIVATE KEY----- b',
      'a [secret] b',
    ],
    ['a private key that was cut', '-----BEGIN EC PRIVATE KEY-----\nMIIE', '[secret]'],
    ['a header far from its value', 'authorization   =   Basic   abcdefgh', 'authorization   =   Basic   [secret]'],
    ['a header without a scheme', 'accesskey:abcdefgh', 'accesskey:[secret]'],
    ['a bearer further on', 'Bearer   abcdefghij0123456789', 'Bearer   [secret]'],
    [
      'an address to post to',
      'https://hooks.slack.com/services/T0/B0/a-b',
      'https://hooks.slack.com/services/[secret]',
    ],
    ['a header in JSON in JSON', '{\\"accesskey\\":\\"abcdefgh12345\\"}', '{\\"accesskey\\":\\"[secret]\\"}'],
  ])('knows %s by its shape', (_, text, shown) => {
    const filter = createSecretFilter([]);
    expect(filter.hide(text)).toBe(shown);
    expect(filter.hideIn({ deep: [text] })).toEqual({ deep: [shown] });
  });

  it.each([
    'ssl force cdn.example.com on',
    'https://cdn.example.com:8080/path@2x.png',
    'The token is read only.',
    'xox marks the spot',
    'a password=abc is short, password: required, the password is abcdefgh',
    'xAKIAABCDEFGH01234567 AKIAABCDEFGH012345678 AKIA0123',
    'xghp_abcdefghijklmnop ghp_abc ghx_abcdefghijklmnop',
    '-----BEGIN CERTIFICATE-----',
    '"tokens":"abcdefgh", "token":"short"',
    '{"url":"https://api.example.com:8080","by":"ada@example.com"}',
    'https://ada@example.com/, short names are no tokens',
    'the bearer of this letter, and the bearer token',
    'mailto:ada@example.com',
    '2026-11-21T12:00:00.000Z',
  ])('leaves %s alone', (text) => {
    expect(createSecretFilter([Secret.of('another-secret')]).hide(text)).toBe(text);
  });

  it('hides signs of any alphabet in JSON, addresses and CSV', () => {
    const value = 'k€y-Schlüssel-\n"ключ"\\👍`<&>`';
    const filter = createSecretFilter([Secret.of('k€y'), Secret.of(value), Secret.of('another €uro key')]);
    for (const text of [
      value,
      JSON.stringify(value),
      JSON.stringify(JSON.stringify(value)),
      encodeURIComponent(value),
      `"${value.replaceAll('"', '""')}"`,
      value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('`', 'ˋ'),
      mrkdwnOf(`a ${value}`).slice(2),
    ])
      expect(filter.hide(`>${text}<`), text).toMatch(/^>[^k]*\[secret\][^k]*<$/);
    expect(filter.hide(`the ${value}, the ${value} and another €uro key`)).toBe(
      'the [secret], the [secret] and [secret]',
    );
    expect(filter.hide('k€y')).toBe('k€y');
    const half = createSecretFilter([Secret.of('half of \ud83d is no sign')]);
    expect(half.hide('half of \ud83d is no sign')).toBe('[secret]');
  });

  it('takes no notice of values that are too short to be secrets', () => {
    const filter = createSecretFilter([Secret.of('1234567'), Secret.of('12345678'), Secret.of('€234567')]);
    for (const value of ['abcdefg', '€bcdefg']) filter.learn(Secret.of(value));
    expect(filter.hide('1234567 abcdefg €bcdefg €234567')).toBe('1234567 abcdefg €bcdefg €234567');
    expect(filter.hide('12345678')).toBe('[secret]');
  });

  it('forgets the oldest of a hundred odd values that it has learnt, and never what is in the settings', () => {
    const filter = createSecretFilter([Secret.of('of the settings')]);
    filter.learn(Secret.of('of the settings'));
    for (let number = 100; number < 201; number += 1) filter.learn(Secret.of(`learnt € ${number}`));
    filter.learn(Secret.of('learnt € 200'));
    expect(filter.hide('learnt € 100, learnt € 101, learnt € 200, of the settings')).toBe(
      'learnt € 100, [secret], [secret], [secret]',
    );
    const long = `€${'x'.repeat(999)}`;
    filter.learn(Secret.of(`${long}rest`));
    expect(filter.hide(`${long}rest`)).toBe('[secret]rest');
  });

  it('hides only what is in the settings where a new token has to stand', () => {
    const filter = createSecretFilter([Secret.of('of-the-settings')]);
    filter.learn(Secret.of('learnt-later'));
    expect(filter.hideSettingsIn({ a: ['of-the-settings learnt-later'] })).toEqual({ a: ['[secret] learnt-later'] });
    expect(createSecretFilter([]).hideSettingsIn(['anything'])).toEqual(['anything']);
  });

  it('leaves what is no text as it is, beside a secret', () => {
    const filter = createSecretFilter([Secret.of('hidden-secret')]);
    const bytes = Buffer.from('hidden-secret');
    const given = { n: 1, no: null, yes: true, none: undefined, bytes, 'a hidden-secret': ['hidden-secret', 2] };
    expect(filter.hideIn(given)).toEqual({
      n: 1,
      no: null,
      yes: true,
      none: undefined,
      bytes,
      'a [secret]': ['[secret]', 2],
    });
    expect(filter.hideIn('hidden-secret')).toBe('[secret]');
    expect(filter.hideIn(undefined)).toBeUndefined();
  });

  it('shows what lies as deep as Slack takes, and says what lies deeper', () => {
    const nested = (depth: number, list: boolean): unknown =>
      depth === 0 ? 'end' : list ? [nested(depth - 1, list)] : { a: nested(depth - 1, list) };
    const filter = createSecretFilter([Secret.of('hidden-secret')]);
    for (const list of [true, false]) {
      expect(filter.hideIn(['hidden-secret', nested(20, list)])).toEqual(['[secret]', nested(20, list)]);
      expect(JSON.stringify(filter.hideIn(['hidden-secret', nested(21, list)]))).toContain('[too deep]');
      const deep = nested(21, list);
      expect(filter.hideIn(deep)).toBe(deep);
      expect(JSON.stringify(filter.hideIn(nested(22, list)))).toContain('[too deep]');
    }
  });

  it('gives back the very same value when nothing is to be hidden', () => {
    const value = { blocks: [{ text: 'fine' }], file: Buffer.from('bytes') };
    expect(createSecretFilter([]).hideIn(value)).toBe(value);
  });

  it('never lets through what lies too deep to be looked at', () => {
    let value: unknown = 'hidden-secret';
    for (let depth = 0; depth < 50; depth += 1) value = [value];
    expect(JSON.stringify(createSecretFilter([Secret.of('hidden-secret')]).hideIn(value))).not.toContain(
      'hidden-secret',
    );
  });

  it.each([
    ['a.', 'dots'],
    ['eyJ-', 'beginnings of JWTs'],
    ['eyJ', 'more of them'],
    ['a://b:', 'beginnings of credentials'],
    ['authorization: ', 'headers'],
    ['xoxb-', 'beginnings of tokens'],
  ])('takes no long time over a long text of %s (%s)', (piece) => {
    const filter = createSecretFilter([Secret.of('a-secret-of-some-length')]);
    const started = performance.now();
    filter.hide(piece.repeat(100_000 / piece.length));
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});
