import { expect, test } from 'vitest';
import { stage } from './bolt.ts';
import { clock } from './web-client.ts';

test('a response URL takes five posts, within thirty minutes', async () => {
  const time = clock();
  const urls: string[] = [];
  await using world = await stage(
    (app) => {
      app.command('/edge', async ({ ack, body }) => {
        urls.push(body.response_url);
        await ack();
      });
    },
    { now: time.now },
  );
  const ops = world.slack.person('ada').in('#ops');
  await ops.type('/edge one');
  await ops.type('/edge two');
  const post = async (url: string | undefined, body: object) => {
    const response = await fetch(url ?? '', {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });
    return `${response.status} ${await response.text()}`;
  };
  for (const number of [1, 2, 3, 4, 5]) expect(await post(urls[0], { text: `answer ${number}` })).toBe('200 ok');
  expect(await post(urls[0], { text: 'answer 6' })).toBe('404 {"ok":false,"error":"used_url"}');
  expect(await post(urls[1], { blocks: [{ type: 'nonsense' }] })).toContain('400 {"ok":false,"error":"invalid_blocks"');
  time.pass(30 * 60_000 + 1);
  expect(await post(urls[1], { text: 'late' })).toBe('404 {"ok":false,"error":"expired_url"}');
  expect(ops.messages.map((each) => each.text)).toEqual(['answer 1', 'answer 2', 'answer 3', 'answer 4', 'answer 5']);
});
