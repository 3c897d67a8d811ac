import { expect, test } from 'vitest';
import { echoed } from '../../../playground/slack/echo.ts';
import { bare } from './bare-bot.ts';
import { ADA, clientOf, OPS } from './web-client.ts';

test('plain text comes back escaped, with emoji; mrkdwn with verbatim; rich text as it was', () => {
  const rich = { type: 'rich_text', elements: [{ type: 'text', text: 'a & b' }] };
  expect(
    echoed([
      { type: 'header', text: { type: 'plain_text', text: 'a & <b>' } },
      { type: 'section', text: { type: 'mrkdwn', text: 'a &amp; b' } },
      { type: 'header', text: { type: 'plain_text', text: ':x:', emoji: false } },
      rich,
    ]),
  ).toEqual([
    { type: 'header', text: { type: 'plain_text', text: 'a &amp; &lt;b&gt;', emoji: true } },
    { type: 'section', text: { type: 'mrkdwn', text: 'a &amp; b', verbatim: false } },
    { type: 'header', text: { type: 'plain_text', text: ':x:', emoji: false } },
    rich,
  ]);
});

test('answers, presses and views carry blocks like that, and people read what was meant', async () => {
  await using world = await bare(async () => ({}));
  const client = clientOf(world.slack);
  const text = { type: 'plain_text' as const, text: 'Keep R&D' };
  const button = { type: 'button' as const, action_id: 'go', text };
  const blocks = [{ type: 'actions' as const, elements: [button] }];
  const { message } = await client.chat.postMessage({ channel: OPS, text: 'x', blocks });
  expect(JSON.stringify(message?.blocks)).toContain('{"emoji":true,"type":"plain_text","text":"Keep R&amp;D"}');

  const card = await world.slack.person('ada').in('#ops').expectMessage('Keep R&D');
  await card.click('Keep R&D');
  const { payload } = world.slack.deliveries.at(-1)!;
  expect(payload.actions).toMatchObject([{ text: { text: 'Keep R&amp;D', emoji: true } }]);

  const { view } = await client.views.publish({
    user_id: ADA,
    view: { type: 'home', blocks: [{ type: 'header', text }] },
  });
  expect(view?.blocks).toMatchObject([{ text: { text: 'Keep R&amp;D' } }]);
});
