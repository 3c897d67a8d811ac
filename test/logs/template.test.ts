import { expect, test } from 'vitest';
import { messageTemplate, pathTemplate, withoutQueries } from '../../src/logs/template.ts';

test.each([
  ['Connection to 10.0.0.1:443 timed out after 60 s', 'Connection to <ip> timed out after <n> s'],
  ['No such host: origin-7.shop.example.com:8443', 'No such host: <host>'],
  ['User "ada" was  not\nfound in \'people\'', 'User <quoted> was not found in <quoted>'],
  ["it's the origin's fault", "it's the origin's fault"],
  ['GET https://a.example/b?token=1 failed', 'GET <url> failed'],
  ['request 0c4396cd7361f9da, trace 7f0c1b9e-1111-2222-3333-444455556666', 'request <hex>, trace <id>'],
  ['the facade is defaced', 'the facade is defaced'],
  ['1,234.5 of 7 at 2001:db8::1', '<n> of <n> at <ip>'],
])('the message %j has the template %j', (message, template) => {
  expect(messageTemplate(message)).toBe(template);
});

test.each([
  ['/users/42/avatar-7.png?v=1', '/users/<n>/avatar-<n>.png'],
  ['https://cdn.example.com/a/7f0c1b9e-1111-2222-3333-444455556666', '/a/<id>'],
  ['/assets/app.3f2a9c1b.js', '/assets/app.<hex>.js'],
  ['/v1/live/channel-5/index.m3u8', '/v1/live/channel-<n>/index.m3u8'],
  [`/blog/${'a-long-title-'.repeat(5)}.html`, '/blog/<name>.html'],
  ['https://cdn.example.com?x=1', '/'],
])('the path %j has the template %j', (path, template) => {
  expect(pathTemplate(path)).toBe(template);
});

test('two messages that differ in their numbers only are one kind', () => {
  expect(messageTemplate('timeout after 31 ms on shard 4')).toBe(messageTemplate('timeout after 9999 ms on shard 12'));
});

test('addresses within a text lose their queries and credentials', () => {
  expect(withoutQueries('GET https://me:pw@a.example/b?token=1 failed; why?')).toBe(
    'GET https://a.example/b?… failed; why?',
  );
});
