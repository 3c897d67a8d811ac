import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { messageTemplate, pathTemplate, templateId } from '../../src/logs/template.ts';
import { groupingAccuracy, labelledLogs } from './labelled-logs.ts';
import { catalogueLogs } from './message-catalogues.ts';

/** What the rules look for, half of it open. */
const PIECES = [
  'a, a: ',
  ', a: "',
  'a=b, c',
  ' a=<',
  '<a.',
  '{a=',
  '[a, ',
  '((',
  ' (a b',
  'x[',
  "'",
  '\\"',
  'C:\\a ',
  'a -> ',
  ':',
  '0:',
  'a:b ',
];

test.each([
  ['Connection to 10.0.0.1:443 timed out after 60 s', 'Connection to <*> timed out after <*>'],
  ['No such host: origin-7.shop.example.com:8443', 'No such host: <*>'],
  ['User "ada" was  not\nfound in \'people\'', 'User <*> was not found in <*>'],
  ['user ada does not exist', 'user <*> does not exist'],
  ['the user is not known', 'the user is not known'],
  ["it's the origin's fault", "it's the origin's fault"],
  ['GET https://a.example/b?token=1 failed', 'GET <*> failed'],
  ['"GET /a HTTP/1.1" failed', 'GET <*> failed'],
  ['request 0c4396cd7361f9da, trace 7f0c1b9e-1111-2222-3333-444455556666', 'request <*> trace <*>'],
  ['the facade is defaced', 'the facade is defaced'],
  ['1,234.5 of 7 at 2001:db8::1', '<*> of <*> at <*>'],
  ['got "a \\"quoted\\" b" from it', 'got <*> from it'],
  ['tickTime set to 2000', 'tickTime set to <*>'],
  ['on Fri Jun 17 07:07:00 2005', 'on <*>'],
  ['ids 1, 2, 3 and 4', 'ids <*> and <*>'],
  ['App.OrderException: no order', 'App.OrderException: no order'],
  ['Killed process 28473 (httpd).', 'Killed process <*>'],
  ['Login OK: [ada] (from client r2 port 0)', 'Login OK: <*> (from client <*> port <*>'],
  ['the queue is full', 'the queue is full'],
  ['Invalid address ada.l@mail.example.org', 'Invalid address <*>'],
  ['Not Found: /api/orders?page=31', 'Not Found: <*>'],
  ['closing the log at C:\\logs\\squid - now', 'closing the log at <*> now'],
  ['Back-off of container web in pod web', 'Back-off of container <*> in pod <*>'],
  ['Undefined variable: undefined', 'Undefined variable: <*>'],
  ['drive C is full, see a --verbose run', 'drive <*> is full, see a <*> run'],
  ['status:502 took:31', 'status: <*> took: <*>'],
  ['mac ca:e7:73:2c:d1:00 is gone', 'mac <*> is gone'],
  ['action android.intent.action.SCREEN_ON came', 'action android.intent.action.SCREEN_ON came'],
  ['Failed password for uucp from 10.0.0.1', 'Failed password for <*> from <*>'],
  ['', ''],
])('the message %j has the template %j', (message, template) => {
  expect(messageTemplate(message)).toBe(template);
});

test.each([
  ['/users/42/avatar-7.png?v=1', '/users/<n>/avatar-<n>.png'],
  ['https://cdn.example.com/a/7f0c1b9e-1111-2222-3333-444455556666', '/a/<id>'],
  ['/assets/app.3f2a9c1b.js', '/assets/app.<hex>.js'],
  ['/v1/live/channel-5/index.m3u8', '/v1/live/channel-<n>/index.m3u8'],
  [`/blog/${'a-long-title-'.repeat(5)}.html`, '/blog/<name>.html'],
  ['/blog/how-to-purge-a-cache', '/blog/<name>'],
  ['/watch/dQw4w9WgXcQ', '/watch/<id>'],
  ['/npm/react@18/index.js', '/npm/react@<n>/index.js'],
  ['https://cdn.example.com?x=1', '/'],
  ['/pt-BR/docs', '/<locale>/docs'],
  ['/users/ada@example.com/orders', '/users/<email>/orders'],
])('the path %j has the template %j', (path, template) => {
  expect(pathTemplate(path)).toBe(template);
});

describe('with one set of rules for all', () => {
  const sets = labelledLogs(1500);
  const accuracies = sets.map(([name, messages]) => {
    const groups = messages.map(({ message }) => messageTemplate(message));
    const labels = messages.map(({ label }) => label);
    return [name, groupingAccuracy(labels, groups)] as const;
  });

  test.each(accuracies)('messages like those of the %s are grouped as people would (accuracy %f)', (_, accuracy) => {
    expect(accuracy).toBeGreaterThan(0.6);
  });

  test('the mean accuracy is past 0.9', () => {
    expect(accuracies.reduce((sum, [, accuracy]) => sum + accuracy, 0) / accuracies.length).toBeGreaterThan(0.9);
  });

  test('an accuracy falls when kinds are taken together or torn apart', () => {
    expect(groupingAccuracy([1, 1, 2, 2], ['a', 'a', 'b', 'b'])).toBe(1);
    expect(groupingAccuracy([1, 1, 2, 2], ['a', 'a', 'a', 'a'])).toBe(0);
    expect(groupingAccuracy([1, 1, 2, 2], ['a', 'c', 'b', 'b'])).toBe(0.5);
  });

  test('so are those of servers, libraries and platforms of all kinds', () => {
    const all = catalogueLogs(1500).map(([, messages]) =>
      groupingAccuracy(
        messages.map(({ label }) => label),
        messages.map(({ message }) => messageTemplate(message)),
      ),
    );
    expect(all.reduce((sum, accuracy) => sum + accuracy, 0) / all.length).toBeGreaterThan(0.84);
  });

  test('a template has none but itself: it is the same whatever was read before', () => {
    const messages = sets.flatMap(([, all]) => all.slice(0, 60).map(({ message }) => message));
    const alone = new Map(messages.map((message) => [message, messageTemplate(message)]));
    fc.assert(
      fc.property(fc.shuffledSubarray(messages, { minLength: 1, maxLength: 40 }), (some) => {
        for (const message of some) expect(messageTemplate(message)).toBe(alone.get(message));
      }),
      { numRuns: 20 },
    );
  });

  test('no text keeps it from ending', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200, unit: fc.constantFrom(...'0a.:,/-="\'( )<g') }), (text) => {
        expect(messageTemplate(text).length).toBeLessThanOrEqual(4 * text.length + 3);
      }),
      { numRuns: 300 },
    );
  });

  test.each(PIECES)('nor does a text of nothing but %j', (piece) => {
    for (const other of PIECES) expect(messageTemplate(`${piece}${other}`.repeat(300))).toBeTypeOf('string');
  });

  test('a message of any length is read as far as it says what kind it is', () => {
    expect(messageTemplate(`Out of room ${'a.'.repeat(1e6)}`)).toMatch(/^Out of room/);
  });
});

test('an id says the same everywhere, and another for other rules, other parts and parts in another order', () => {
  expect(templateId('origin', 'http_timeout', 504, undefined)).toBe(
    templateId('origin', 'http_timeout', 504, undefined),
  );
  // Written down: an id of today is the same on the machine of tomorrow. Other rules want another version, and this line.
  expect(templateId('origin', 'http_timeout', 504, messageTemplate('took 60 s'))).toBe('qtYPQVKpuDx_RkBY');
  const ids = [templateId('a', 'b'), templateId('b', 'a'), templateId('ab'), templateId('a', 'b', undefined)];
  expect(new Set(ids).size).toBe(4);
  expect(ids[0]).toMatch(/^[\w-]{16}$/);
});

test.each([
  ['wrote 3 tables to [] at level 2', 'wrote 5 tables to [a.db, b.db] at level 1'],
  ['no file for ``shop`.`orders``, see the manual', 'no file for ``blog`.`posts``, see the manual'],
  ['left node[Warlock], it is gone', 'left node[Herman], it is gone'],
])('%j and %j are one kind', (one, other) => {
  expect(messageTemplate(one)).toBe(messageTemplate(other));
});
