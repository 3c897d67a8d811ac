import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { code, escaped } from '../../src/blocks/mrkdwn.ts';
import { Secret } from '../../src/platform/secret.ts';
import { createSecretFilter } from '../../src/slack/secrets.ts';

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
    '{"url":"https://api.example.com:8080","by":"ada@example.com"}',
    'https://ada@example.com/, short names are no tokens',
    'the bearer of this letter, and the bearer token',
    'mailto:ada@example.com',
    '2026-11-21T12:00:00.000Z',
  ])('leaves %s alone', (text) => {
    expect(createSecretFilter([Secret.of('another-secret')]).hide(text)).toBe(text);
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
