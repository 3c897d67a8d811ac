import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { messageTemplate, pathTemplate, templateId, withoutQueries } from '../../src/logs/template.ts';
import { groupingAccuracy, labelledLogs } from './labelled-logs.ts';

test.each([
  ['Connection to 10.0.0.1:443 timed out after 60 s', 'Connection to <*> timed out after <*>'],
  ['No such host: origin-7.shop.example.com:8443', 'No such host: <*>'],
  ['User "ada" was  not\nfound in \'people\'', 'User <*> was not found in <*>'],
  ['user ada does not exist', 'user <*> does not exist'],
  ['the user is not known', 'the user is not known'],
  ["it's the origin's fault", "it's the origin's fault"],
  ['GET https://a.example/b?token=1 failed', 'GET <*> failed'],
  ['request 0c4396cd7361f9da, trace 7f0c1b9e-1111-2222-3333-444455556666', 'request <*>, trace <*>'],
  ['the facade is defaced', 'the facade is defaced'],
  ['1,234.5 of 7 at 2001:db8::1', '<*> of <*> at <*>'],
  ['retries=3, ok=true; left=', 'retries=<*>, ok=<*>; left='],
  ['from 3a:4f:57:3b:ea:b2 on Fri Jun 17 07:07:00 2005', 'from <*> on <*>'],
  ['ids 1, 2, 3 and 4', 'ids <*> and <*>'],
  ['java.net.ConnectException: Connection refused', 'java.net.ConnectException: Connection refused'],
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
  ['https://cdn.example.com?x=1', '/'],
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
    expect(accuracy).toBeGreaterThan(0.9);
  });

  test('the mean accuracy is past 0.95', () => {
    expect(accuracies.reduce((sum, [, accuracy]) => sum + accuracy, 0) / accuracies.length).toBeGreaterThan(0.95);
  });

  test('an accuracy falls when kinds are taken together or torn apart', () => {
    expect(groupingAccuracy([1, 1, 2, 2], ['a', 'a', 'b', 'b'])).toBe(1);
    expect(groupingAccuracy([1, 1, 2, 2], ['a', 'a', 'a', 'a'])).toBe(0);
    expect(groupingAccuracy([1, 1, 2, 2], ['a', 'c', 'b', 'b'])).toBe(0.5);
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
});

test('an id says the same everywhere, and another for other rules, other parts and parts in another order', () => {
  expect(templateId('origin', 'http_timeout', 504, undefined)).toBe(
    templateId('origin', 'http_timeout', 504, undefined),
  );
  const ids = [templateId('a', 'b'), templateId('b', 'a'), templateId('ab'), templateId('a', 'b', undefined)];
  expect(new Set(ids).size).toBe(4);
  expect(ids[0]).toMatch(/^[\w-]{16}$/);
});

test('addresses within a text lose their queries and credentials', () => {
  expect(withoutQueries('GET https://me:pw@a.example/b?token=1 failed; why?')).toBe(
    'GET https://a.example/b?… failed; why?',
  );
});
