import { expect, test } from 'vitest';
import { stage } from './bolt.ts';
import { clientOf, clock, refusal } from './web-client.ts';

test('a trigger opens one view, within three seconds', async () => {
  const time = clock();
  const triggers: string[] = [];
  await using world = await stage(
    (app) => {
      app.command('/edge', async ({ ack, body }) => {
        triggers.push(body.trigger_id);
        await ack();
      });
    },
    { now: time.now },
  );
  const client = clientOf(world.slack);
  const view = { type: 'modal' as const, title: { type: 'plain_text' as const, text: 'Form' }, blocks: [] };
  const ops = world.slack.person('ada').in('#ops');
  await ops.type('/edge one');
  await ops.type('/edge two');
  time.pass(3_000);
  expect((await client.views.open({ trigger_id: triggers[0] ?? '', view })).ok).toBe(true);
  expect(await refusal(client.views.open({ trigger_id: triggers[0] ?? '', view }))).toMatchObject({
    error: 'exchanged_trigger_id',
  });
  time.pass(1);
  expect(await refusal(client.views.open({ trigger_id: triggers[1] ?? '', view }))).toMatchObject({
    error: 'expired_trigger_id',
  });
  expect(await refusal(client.views.open({ trigger_id: 'made.up', view }))).toMatchObject({
    error: 'invalid_trigger_id',
  });
  expect(world.slack.problems).toHaveLength(3);
});
