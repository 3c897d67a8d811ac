import { describe, expect, test } from 'vitest';
import { stage } from './bolt.ts';

const plain = (text: string) => ({ type: 'plain_text' as const, text });
const section = (text: string) => ({ type: 'section' as const, text: { type: 'mrkdwn' as const, text } });
const option = (text: string, value = text) => ({ text: plain(text), value });
const view = (title: string, fields: object = {}) => ({
  type: 'modal' as const,
  callback_id: 'form',
  title: plain(title),
  blocks: [section('Loading…')],
  ...fields,
});
const input = (label: string, block_id: string, element: object, fields: object = {}) => ({
  type: 'input' as const,
  block_id,
  label: plain(label),
  element: { action_id: 'value', ...element },
  ...fields,
});

const EVERY_INPUT = [
  input('Hostname', 'hostname', { type: 'plain_text_input', max_length: 50 }),
  input('State', 'state', { type: 'static_select', options: [option('On', 'on'), option('Off', 'off')] }),
  input('Zone', 'zone', { type: 'external_select', min_query_length: 2 }),
  input('Days', 'days', { type: 'number_input', is_decimal_allowed: false, min_value: '1', max_value: '30' }),
  input('From', 'from', { type: 'datepicker', initial_date: '2026-01-01' }),
  input('At', 'at', { type: 'datetimepicker' }),
  input('Options', 'options', { type: 'checkboxes', options: [option('Hourly', 'hourly'), option('Exact', 'exact')] }),
  input('Mode', 'mode', { type: 'radio_buttons', options: [option('Fast'), option('Slow')] }),
  input('Reviewer', 'reviewer', { type: 'users_select' }),
  input('Channel', 'channel', { type: 'conversations_select' }),
  input('Document', 'document', { type: 'file_input', filetypes: ['json'], max_files: 1 }),
  input('Note', 'note', { type: 'plain_text_input', multiline: true }, { optional: true }),
];

test('a form opens as a loading view, is filled in, collects every kind of input and closes', async () => {
  const submitted: unknown[] = [];
  await using world = await stage((app) => {
    app.command('/edge', async ({ ack, client, body }) => {
      await ack();
      const opened = await client.views.open({ trigger_id: body.trigger_id, view: view('Force SSL') });
      const { id, hash } = opened.view ?? {};
      await client.views.update({
        view_id: id ?? '',
        hash: hash ?? '',
        view: view('Force SSL', { blocks: EVERY_INPUT, submit: plain('Preview'), private_metadata: 'meta' }),
      });
    });
    app.options('value', async ({ ack, payload }) => {
      await ack({ options: [option(`zone ${payload.value}`, 'z1'), option('other', 'z2')] });
    });
    app.view('form', async ({ ack, body }) => {
      submitted.push({ metadata: body.view.private_metadata, ...body.view.state.values });
      await ack();
    });
  });
  const ada = world.slack.person('ada');
  await ada.in('#ops').type('/edge ssl force');
  const form = await ada.expectModal('Force SSL', { ready: true });
  expect(form.submitLabel).toBe('Preview');
  await form.submit();
  expect(form.errors.Hostname).toBe('Please complete this required field.');
  expect(submitted).toEqual([]);
  await form.fill({
    Hostname: 'cdn.shop.example',
    State: 'On',
    Zone: 'zone',
    Days: 7,
    At: new Date('2026-02-03T04:05:06Z'),
    Options: ['Hourly', 'Exact'],
    Mode: 'Slow',
    Reviewer: 'ben',
    Channel: '#releases',
    Document: { name: 'spec.json', content: '{}' },
  });
  await form.submit();
  await form.expectClosed();
  expect(submitted).toEqual([
    {
      metadata: 'meta',
      hostname: { value: { type: 'plain_text_input', value: 'cdn.shop.example' } },
      state: { value: { type: 'static_select', selected_option: option('On', 'on') } },
      zone: { value: { type: 'external_select', selected_option: option('zone zone', 'z1') } },
      days: { value: { type: 'number_input', value: '7' } },
      from: { value: { type: 'datepicker', selected_date: '2026-01-01' } },
      at: { value: { type: 'datetimepicker', selected_date_time: 1770091506 } },
      options: {
        value: { type: 'checkboxes', selected_options: [option('Hourly', 'hourly'), option('Exact', 'exact')] },
      },
      mode: { value: { type: 'radio_buttons', selected_option: option('Slow') } },
      reviewer: { value: { type: 'users_select', selected_user: 'U0BEN000002' } },
      channel: { value: { type: 'conversations_select', selected_conversation: 'C0RELEASES2' } },
      document: {
        value: {
          type: 'file_input',
          files: [expect.objectContaining({ name: 'spec.json', filetype: 'json', size: 2 })],
        },
      },
      note: { value: { type: 'plain_text_input', value: null } },
    },
  ]);
  expect(world.slack.problems).toEqual([]);
});

test('Slack’s client itself refuses what the fields do not allow', async () => {
  let submissions = 0;
  await using world = await stage((app) => {
    app.command('/edge', async ({ ack, client, body }) => {
      await ack();
      await client.views.open({
        trigger_id: body.trigger_id,
        view: view('Form', { blocks: EVERY_INPUT, submit: plain('Go') }),
      });
    });
    app.view('form', async ({ ack }) => {
      submissions += 1;
      await ack();
    });
  });
  const ada = world.slack.person('ada');
  await ada.in('#ops').type('/edge');
  const form = await ada.expectModal('Form');
  await form.fill({ Hostname: 'x'.repeat(51), Days: 31, Document: { name: 'spec.yaml', content: '' } });
  await form.submit();
  expect(form.errors).toMatchObject({
    Hostname: 'Please enter at most 50 characters.',
    Days: 'Please enter a number less than or equal to 30.',
    Document: 'This file type is not supported. Please upload: json.',
  });
  await form.fill({ Days: '1.5' });
  await form.submit();
  expect(form.errors.Days).toBe('Please enter a whole number.');
  await expect(form.fill({ Nothing: 'x' })).rejects.toThrow('there is no field “Nothing”; there are: Hostname, State');
  await expect(form.fill({ State: 'Maybe' })).rejects.toThrow('there is no option “Maybe”; there are: On, Off');
  expect(submissions).toBe(0);
});

describe('the answer to a submission', () => {
  const NAME = [input('Name', 'name', { type: 'plain_text_input' })];
  const form = view('First', { blocks: NAME, submit: plain('Next') });
  type Answer = Record<string, unknown> | undefined;

  async function submitted(answer: Answer) {
    const closed: { title: string; cleared: boolean }[] = [];
    const world = await stage((app) => {
      app.command('/edge', async ({ ack, client, body }) => {
        await ack();
        await client.views.open({ trigger_id: body.trigger_id, view: form });
      });
      // The answer is not typed: wrong ones are sent too.
      app.view('form', async ({ ack }) => ack(answer as never));
      app.view({ callback_id: 'form', type: 'view_closed' }, async ({ ack, body }) => {
        closed.push({ title: body.view.title.text, cleared: body.type === 'view_closed' && body.is_cleared });
        await ack();
      });
    });
    const ada = world.slack.person('ada');
    await ada.in('#ops').type('/edge');
    const first = await ada.expectModal('First');
    await first.fill({ Name: 'app' });
    return { world, ada, first, closed };
  }

  test('shows errors at the field and keeps what was typed', async () => {
    const { world, first } = await submitted({
      response_action: 'errors',
      errors: { name: 'Type *app* to delete it.' },
    });
    await using _ = world;
    await first.submit();
    expect(first.errors).toEqual({ Name: 'Type *app* to delete it.' });
    expect(first.isOpen).toBe(true);
    expect(first.value('Name')).toBe('app');
  });

  test('that names no input block is trouble', async () => {
    const { world, first } = await submitted({ response_action: 'errors', errors: { nothing: 'x' } });
    await using _ = world;
    await expect(first.submit()).rejects.toThrow('We had some trouble connecting.');
    expect(world.slack.problems).toEqual(['view_submission: errors for what is no input block: nothing']);
  });

  test('updates the view in place, keeping inputs of the same ids', async () => {
    const next = view('First', { blocks: [section('Working…'), ...NAME], submit: plain('Next') });
    const { world, first } = await submitted({ response_action: 'update', view: next });
    await using _ = world;
    await first.submit();
    await first.expectChange('Working');
    expect(first.value('Name')).toBe('app');
  });

  test('that is no valid view is trouble', async () => {
    const { world, first } = await submitted({ response_action: 'update', view: view('x'.repeat(25)) });
    await using _ = world;
    await expect(first.submit()).rejects.toThrow('We had some trouble connecting.');
    expect(world.slack.problems[0]).toBe('view: must be less than 25 characters [/view/title/text]');
  });

  test('pushes a view on top; its close button leads back, and the bot hears of it only where it asked to', async () => {
    const { world, ada, first, closed } = await submitted({
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
    const { world, ada, first, closed } = await submitted({
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
    const { world, ada, first } = await submitted({ response_action: 'clear' });
    await using _ = world;
    await first.submit();
    await ada.expectNoModal();
  });

  test('cannot push a fourth view', async () => {
    const { world, ada, first } = await submitted({ response_action: 'push', view: form });
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
