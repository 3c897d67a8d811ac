import { expect, it } from 'vitest';
import { fullPreviewOf } from '../../src/changes/preview.ts';
import type { AnyOperation } from '../../src/operations/operation.ts';

/** The warnings of a change that sets a text. */
async function warningsOf(text: string, type = 'text') {
  const operation = { name: 'word set', args: { value: { field: { type } } } } as unknown as AnyOperation;
  const context = { place: { channelId: 'C0OPS', external: false } };
  const { warnings = [] } = await fullPreviewOf(operation, {
    values: {},
    canonical: { value: text },
    context,
  } as unknown as Parameters<typeof fullPreviewOf>[1]);
  return warnings.map(String);
}

it.each([
  ['Hello :wave:', ':wave:'],
  ['Hello:wave:', ':wave:'],
  [':+1::skin-tone-4:', ':+1::skin-tone-4:'],
  ["UPDATE t SET a = ':tada:'", ':tada:'],
  [':flag-de: and more', ':flag-de:'],
  [':man-woman-girl:', ':man-woman-girl:'],
  ['100 % :100:', ':100:'],
  ["':x:'", ':x:'],
  [':bee:', ':bee:'],
  ['(:8ball:)', ':8ball:'],
  ['https://cdn.example.com/:tada:.png', ':tada:'],
  ['tag::fire:', ':fire:'],
])('a preview says that Slack may have rewritten an emoji in %s', async (text, name) => {
  const [warning] = await warningsOf(text);
  expect(warning).toContain('Slack writes emoji as names');
  expect(warning).toContain(name);
});

it.each([
  'SELECT a::text::int',
  '2001:db8:cafe::1',
  '12:30:45',
  'https://example.com:8080/a:b',
  'key:value',
  '{"a":{"b":1},"c":2}',
  'TIMESTAMP 10:00:00',
  '👋',
  'fe80::cafe:1',
  '::a:b:1',
  'VALUES (:a, :b)',
  '/route/:id/x/:y',
])('a preview says nothing of the kind about %s', async (text) => {
  expect(await warningsOf(text)).toEqual([]);
});

it('nor about what no text is typed for', async () => {
  expect(await warningsOf(':wave:', 'suggest')).toEqual([]);
});
