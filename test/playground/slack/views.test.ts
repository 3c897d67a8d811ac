import { describe, expect, test } from 'vitest';
import { stage } from './bolt.ts';
import { EVERY_INPUT, filledForm, form, option, plain, section, view } from './forms.ts';

describe('the answer to a submission', () => {
  test('pushes a view on top; its close button leads back, and the bot hears of it only where it asked to', async () => {
    const { world, ada, first, closed } = await filledForm({
      response_action: 'push',
      view: view('Second', { notify_on_close: true }),
    });
    await using _ = world;
    await first.submit();
    const second = await ada.expectModal('Second');
    await second.close();
    await ada.expectModal('First');
    expect(closed).toEqual([{ title: 'Second', cleared: false }]);
    await first.close();
    await ada.expectNoModal();
    expect(closed).toHaveLength(1);
  });

  test('closes the whole stack by the cross', async () => {
    const { world, ada, first, closed } = await filledForm({
      response_action: 'push',
      view: view('Second', { notify_on_close: true }),
    });
    await using _ = world;
    await first.submit();
    await (await ada.expectModal('Second')).close({ all: true });
    await ada.expectNoModal();
    expect(closed).toEqual([{ title: 'Second', cleared: true }]);
  });

  test('clears the stack', async () => {
    const { world, ada, first } = await filledForm({ response_action: 'clear' });
    await using _ = world;
    await first.submit();
    await ada.expectNoModal();
  });

  test('cannot push a fourth view', async () => {
    const { world, ada, first } = await filledForm({ response_action: 'push', view: form });
    await using _ = world;
    await first.submit();
    for (const depth of [2, 3]) {
      const top = await ada.expectModal('First');
      await top.fill({ Name: 'app' });
      if (depth < 3) await top.submit();
      else await expect(top.submit()).rejects.toThrow('trouble');
    }
    expect(world.slack.problems[0]).toBe('a fourth view was pushed onto a stack of three');
  });
});

test('buttons and menus in a view act with the state of its inputs and may push', async () => {
  const seen: unknown[] = [];
  await using world = await stage((app) => {
    app.command('/edge', async ({ ack, client, body }) => {
      await ack();
      const blocks = [
        ...EVERY_INPUT.slice(0, 1),
        {
          type: 'actions',
          block_id: 'more',
          elements: [
            { type: 'button', action_id: 'push', text: plain('More') },
            {
              type: 'static_select',
              action_id: 'pick',
              placeholder: plain('Action'),
              options: [option('Block'), option('Allow')],
            },
          ],
        },
      ];
      await client.views.open({ trigger_id: body.trigger_id, view: view('Form', { blocks, submit: plain('Go') }) });
    });
    app.action('push', async ({ ack, client, body }) => {
      await ack();
      if (body.type !== 'block_actions') return;
      seen.push(body.view?.state.values.hostname?.value?.value);
      await client.views.push({ trigger_id: body.trigger_id, view: view('On top') });
    });
    app.action('pick', async ({ ack, action }) => {
      await ack();
      if (action.type === 'static_select') seen.push(action.selected_option?.value);
    });
  });
  const ada = world.slack.person('ada');
  await ada.in('#ops').type('/edge');
  const form = await ada.expectModal('Form');
  await form.fill({ Hostname: 'typed' });
  await form.select('Action', 'Allow');
  await form.click('More');
  await ada.expectModal('On top');
  expect(seen).toEqual(['Allow', 'typed']);
});

test('every state of a view is seen in turn, also when they follow at once', async () => {
  await using world = await stage((app) => {
    app.command('/edge', async ({ ack, client, body }) => {
      await ack();
      const opened = await client.views.open({ trigger_id: body.trigger_id, view: view('Form') });
      for (const text of ['50 %', 'Done.']) {
        await client.views.update({ view_id: opened.view?.id ?? '', view: view('Form', { blocks: [section(text)] }) });
      }
    });
  });
  const ada = world.slack.person('ada');
  await ada.in('#ops').type('/edge');
  await world.slack.idle();
  const form = await ada.expectModal('Form', { ready: true });
  await form.expectChange('Loading');
  await form.expectChange('50 %');
  await form.expectChange('Done.');
});

test('the home is opened, published under a hash, and pressed', async () => {
  const conflicts: string[] = [];
  await using world = await stage((app) => {
    const home = (text: string) => ({
      type: 'home' as const,
      blocks: [
        section(text),
        { type: 'actions' as const, elements: [{ type: 'button' as const, action_id: 'form', text: plain('Form') }] },
      ],
    });
    app.event('app_home_opened', async ({ client, event }) => {
      const published = await client.views.publish({ user_id: event.user, view: home('first') });
      await client.views.publish({ user_id: event.user, view: home('second'), hash: published.view?.hash ?? '' });
      await client.views
        .publish({ user_id: event.user, view: home('third'), hash: published.view?.hash ?? '' })
        .catch((error: { data?: { error?: string } }) => conflicts.push(error.data?.error ?? ''));
    });
    app.action('form', async ({ ack, client, body }) => {
      await ack();
      if (body.type === 'block_actions') await client.views.open({ trigger_id: body.trigger_id, view: view('Form') });
    });
  });
  const ada = world.slack.person('ada');
  expect(ada.home).toBeUndefined();
  await ada.openHome();
  const home = await ada.expectHome('second');
  await home.click('Form');
  await ada.expectModal('Form');
  expect(conflicts).toEqual(['hash_conflict']);
  expect(world.slack.person('ben').home).toBeUndefined();
});
