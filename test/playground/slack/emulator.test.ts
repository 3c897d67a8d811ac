import { describe, expect, test } from 'vitest';
import { stage } from './bolt.ts';

const card = (text: string) => [
  { type: 'section', text: { type: 'mrkdwn', text } },
  {
    type: 'actions',
    block_id: 'ask',
    elements: [
      {
        type: 'button',
        action_id: 'confirm',
        text: { type: 'plain_text', text: 'Confirm' },
        value: '42',
        confirm: { title: { type: 'plain_text', text: 'Sure?' }, text: { type: 'plain_text', text: 'Really?' } },
      },
    ],
  },
];

describe.each([{ socket: false }, { socket: true }])('with Bolt as the bot (socket: $socket)', ({ socket }) => {
  test('a command is acked, answered at the response URL, confirmed and announced', async () => {
    await using world = await stage(
      (app) => {
        app.command('/edge', async ({ ack, respond, command }) => {
          await ack();
          await respond({ text: 'twin', blocks: card(`*Force SSL* for \`${command.text}\``) });
        });
        app.action('confirm', async ({ ack, respond, client, body, action }) => {
          await ack();
          await respond({ replace_original: true, text: 'Done.' });
          const value = action.type === 'button' ? action.value : '';
          await client.chat.postMessage({
            channel: body.channel?.id ?? '',
            text: `changed ${value} for <@${body.user.id}>`,
          });
        });
      },
      { socket },
    );
    const ops = world.slack.person('ada').in('#ops');
    await ops.type('/edge ssl force cdn.shop.example on');
    const asked = await ops.expectMessage(/Force SSL for ssl force cdn\.shop\.example on/);
    expect(asked.ephemeral).toBe(true);
    expect(asked.fallback).toBe('twin');
    expect(asked.buttons).toEqual(['Confirm']);
    await expect(asked.click('Confirm')).rejects.toThrow('asks first');
    await asked.click('Confirm', { confirm: true });
    await asked.expectChange('Done.');
    await ops.expectMessage('changed 42 for @ada');
    await ops.expectNothing();
    const ben = world.slack.person('ben').in('#ops');
    expect(ben.messages.map((message) => message.text)).toEqual(['changed 42 for @ada']);
    expect(world.slack.problems).toEqual([]);
    expect(world.slack.outgoing.map((each) => each.method)).toContain('response_url');
  });
});
