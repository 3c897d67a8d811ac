import { describe, expect, test } from 'vitest';
import { withoutQuery } from '../../src/logs/record.ts';
import { line, parseLine } from './lines.ts';

const plain = {
  cache: 'HIT',
  status: 200,
  time: Date.UTC(2026, 4, 20, 10, 15),
  bytes: 100,
  zone: 1337,
  ip: '203.0.113.0',
  referer: undefined,
  url: 'https://cdn.example.com/a.png',
  edge: 'DE',
  agent: 'Mozilla/5.0',
  requestId: '322b688bd63fb63f2babe9de30a5d262',
  country: 'FR',
};

describe('a v1 line', () => {
  test('of twelve fields is a record', () => {
    expect(parseLine(line())).toEqual(plain);
    expect(parseLine(`${line()}\r\n`)).toEqual(plain);
  });

  test('of fifteen fields is the same record, without the authorization', () => {
    expect(parseLine(`${line()}|95|bytes=0-99|Bearer abc`)).toEqual(plain);
    expect(parseLine(`${line()}|95`)).toEqual(plain);
  });

  test.each([
    ['the URL', { url: 'https://cdn.example.com/a|b|c.png' }],
    ['the URL, encoded', { url: 'https://cdn.example.com/a%7Cb.png' }],
    ['the agent', { agent: 'Mozilla|5.0|x' }],
    ['the referer', { referer: 'https://example.com/x|y' }],
    ['all three', { referer: 'https://example.com/x|y', url: 'https://cdn.example.com/?q=a|b', agent: 'a|b' }],
  ])('may have pipes in %s', (_, given) => {
    const read = parseLine(line(given));
    expect(read).toEqual({ ...plain, ...given });
    expect(parseLine(`${line(given)}|95|-|Basic x|y`.slice(0, -2))).toEqual({ ...plain, ...given });
  });

  test('has dashes for what is not there', () => {
    const read = parseLine(line({ cache: '-', agent: '-', country: '-', edge: '-', ip: '-' }));
    expect(read).toEqual({
      ...plain,
      cache: '-',
      agent: undefined,
      country: undefined,
      edge: undefined,
      ip: undefined,
    });
  });

  test.each([
    '',
    'hello',
    '|||||||||||',
    line({ status: 'x' }),
    line({ time: '' }),
    line().split('|').slice(1).join('|'),
  ])('is none: %j', (text) => {
    expect(parseLine(text)).toBeUndefined();
  });
});

test('addresses are shown without their queries and credentials', () => {
  expect(withoutQuery('https://a.example/b?token=1#c')).toBe('https://a.example/b?…');
  expect(withoutQuery('https://me:secret@a.example/b')).toBe('https://a.example/b');
  expect(withoutQuery('/b#c')).toBe('/b');
});
