import { describe, expect, test } from 'vitest';
import { startSlackEmulator } from '../../../../playground/slack/emulator.ts';
import { readMrkdwn } from '../../../../playground/slack/people/shown-text.ts';
import { createWorkspace } from '../../../../playground/slack/workspace.ts';
import { stage } from '../bolt.ts';

const plain = (text: string) => ({ type: 'plain_text' as const, text });

describe('the vocabulary fails when it should', () => {
  test('a message that never comes is missed, naming what came instead', async () => {
    await using world = await stage((app) => app.command('/edge', async ({ ack }) => ack('something else')), {
      patience: 20,
    });
    const ops = world.slack.person('ada').in('#ops');
    await ops.type('/edge');
    await expect(ops.expectMessage('this')).rejects.toThrow(
      'no message this came for ada; unseen are:\nsomething else',
    );
    await expect(ops.expectNothing()).rejects.toThrow('something came:\nsomething else');
    await ops.expectMessage('something else');
    await ops.expectNothing();
    await expect(ops.expectMessage('something else')).rejects.toThrow('unseen are:\nnone');
  });

  test('a change, a modal and a home that never come are missed', async () => {
    await using world = await stage((app) => app.command('/edge', async ({ ack }) => ack('first')), { patience: 20 });
    const ada = world.slack.person('ada');
    await ada.in('#ops').type('/edge');
    const card = await ada.in('#ops').expectMessage('first');
    await expect(card.expectChange('second')).rejects.toThrow('did not change to second; it shows:\nfirst');
    await expect(card.expectGone()).rejects.toThrow('still there');
    await expect(card.click('Go')).rejects.toThrow('there is no button “Go”; there are: none');
    await expect(ada.expectModal('Form')).rejects.toThrow('no modal “Form” came for ada: no view is open');
    await expect(ada.expectHome('x')).rejects.toThrow('it shows:\nnothing');
  });

  test('what Slack would refuse is added to the complaint', async () => {
    const slack = await startSlackEmulator({ patience: 20 });
    await fetch(`${slack.apiUrl}chat.shout`, { method: 'POST' });
    await expect(slack.person('ada').in('#ops').expectMessage('x')).rejects.toThrow(
      'problems: unknown method chat.shout',
    );
    await slack.close();
  });
});

test('expectNothing waits for calls of the bot that are still under way', async () => {
  let finish: () => void = () => undefined;
  const work = new Promise<void>((resolve) => {
    finish = resolve;
  });
  await using world = await stage(
    (app) =>
      app.command('/edge', async ({ ack, respond }) => {
        await ack();
        await work;
        await respond('late');
      }),
    { whenBotIsIdle: () => work },
  );
  const ops = world.slack.person('ada').in('#ops');
  await ops.type('/edge');
  const nothing = ops.expectNothing();
  finish();
  await expect(nothing).rejects.toThrow('late');
});

test('every change of a message is seen in turn, and a deletion too', async () => {
  await using world = await stage((app) => {
    app.command('/edge', async ({ ack, respond }) => {
      await ack();
      const elements = [
        { type: 'button' as const, action_id: 'go', text: plain('Go'), value: '1' },
        { type: 'overflow' as const, action_id: 'more', options: [{ text: plain('Share'), value: 'share' }] },
        {
          type: 'static_select' as const,
          action_id: 'pick',
          placeholder: plain('Action'),
          options: [{ text: plain('Block'), value: 'b' }],
        },
      ];
      await respond({ text: 'asked', blocks: [{ type: 'actions', block_id: 'ask', elements }] });
    });
    app.action('go', async ({ ack, respond }) => {
      await ack();
      for (const text of ['Working…', '50 %', 'Done.']) await respond({ replace_original: true, text });
    });
    app.action('more', async ({ ack, respond, action }) => {
      await ack();
      if (action.type === 'overflow')
        await respond({ response_type: 'in_channel', text: `shared by ${action.selected_option.value}` });
      await respond({ delete_original: true });
    });
    app.action('pick', async ({ ack, respond, body }) => {
      await ack();
      const chosen = body.type === 'block_actions' ? body.state?.values.ask?.pick?.selected_option?.value : '';
      await respond({ text: `chose ${chosen}`, replace_original: false });
    });
  });
  const ops = world.slack.person('ada').in('#ops');
  await ops.type('/edge');
  const card = await ops.expectMessage('Go');
  expect(card.buttons).toEqual(['Go', 'Share']);
  await card.select('Action', 'Block');
  await ops.expectMessage('chose b');
  await card.click('Go');
  await card.expectChange('Working');
  await card.expectChange(/\d+ %/);
  await card.expectChange('Done.');
  await expect(card.click('Go')).rejects.toThrow('there is no button “Go”');
  await card.click('Go', { stale: true });
  await card.expectChange('Done.');
  await ops.type('/edge');
  const second = await ops.expectMessage('Go');
  await second.click('Share');
  await ops.expectMessage('shared by share');
  await second.expectGone();
  expect(world.slack.problems).toEqual([]);
});

test('shortcuts run globally and on a message', async () => {
  await using world = await stage((app) => {
    app.shortcut('anywhere', async ({ ack, client, body }) => {
      await ack();
      await client.chat.postMessage({ channel: body.user.id, text: `hello from ${body.type}` });
    });
    app.shortcut({ callback_id: 'explain', type: 'message_action' }, async ({ ack, respond, shortcut }) => {
      await ack();
      await respond(`about “${shortcut.message.text}”`);
    });
  });
  const ada = world.slack.person('ada');
  await ada.shortcut('anywhere');
  const card = await ada.in('@edgewise').expectMessage('hello from shortcut');
  await ada.shortcut('explain', card);
  await ada.in('@edgewise').expectMessage('about “hello from shortcut”');
});

test.each([
  ['*Force SSL* is _on_ for `a_b*c`', 'Force SSL is on for a_b*c'],
  ['snake_case_name and 2*3*4 stay', 'snake_case_name and 2*3*4 stay'],
  ['<@U0ADA000001> in <#C0OPS000001> of <!subteam^S0ONCALL001>', '@ada in #ops of @oncall'],
  ['<https://a.example|the page> &amp; <https://b.example>', 'the page & https://b.example'],
  ['&lt;tag&gt;', '<tag>'],
  ['```\nGET /a\n```', 'GET /a'],
])('a person reads %s as %s', (stored, read) => {
  expect(readMrkdwn(stored, createWorkspace())).toBe(read);
});
