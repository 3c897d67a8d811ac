import { describe, expect, test } from 'vitest';
import { stage } from './bolt.ts';
import { EVERY_INPUT, filledForm, NAME, option, plain, section, view } from './forms.ts';

/** The state of the form below as Slack sends it, once it is filled in. */
/** Slack gives options back with `emoji` in their texts. */
const chosen = (...given: Parameters<typeof option>) => {
  const { text, value } = option(...given);
  return { text: { ...text, emoji: true }, value };
};
const SUBMITTED = {
  metadata: 'meta',
  hostname: { value: { type: 'plain_text_input', value: 'cdn.shop.example' } },
  state: { value: { type: 'static_select', selected_option: chosen('On', 'on') } },
  zone: { value: { type: 'external_select', selected_option: chosen('zone zone', 'z1') } },
  days: { value: { type: 'number_input', value: '7' } },
  from: { value: { type: 'datepicker', selected_date: '2026-01-01' } },
  at: { value: { type: 'datetimepicker', selected_date_time: 1770091506 } },
  options: {
    value: { type: 'checkboxes', selected_options: [chosen('Hourly', 'hourly'), chosen('Exact', 'exact')] },
  },
  mode: { value: { type: 'radio_buttons', selected_option: chosen('Slow') } },
  reviewer: { value: { type: 'users_select', selected_user: 'U0BEN000002' } },
  channel: { value: { type: 'conversations_select', selected_conversation: 'C0RELEASES2' } },
  document: {
    value: {
      type: 'file_input',
      files: [expect.objectContaining({ name: 'spec.json', filetype: 'json', size: 2 })],
    },
  },
  note: { value: { type: 'plain_text_input', value: null } },
};

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
  expect(submitted).toEqual([SUBMITTED]);
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
  test('shows errors at the field and keeps what was typed', async () => {
    const { world, first } = await filledForm({
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
    const { world, first } = await filledForm({ response_action: 'errors', errors: { nothing: 'x' } });
    await using _ = world;
    await expect(first.submit()).rejects.toThrow('We had some trouble connecting.');
    expect(world.slack.problems).toEqual(['view_submission: errors for what is no input block: nothing']);
  });

  test('updates the view in place, keeping inputs of the same ids', async () => {
    const next = view('First', { blocks: [section('Working…'), ...NAME], submit: plain('Next') });
    const { world, first } = await filledForm({ response_action: 'update', view: next });
    await using _ = world;
    await first.submit();
    await first.expectChange('Working');
    expect(first.value('Name')).toBe('app');
  });

  test('that is no valid view is trouble', async () => {
    const { world, first } = await filledForm({ response_action: 'update', view: view('x'.repeat(25)) });
    await using _ = world;
    await expect(first.submit()).rejects.toThrow('We had some trouble connecting.');
    expect(world.slack.problems[0]).toBe('view: must be less than 25 characters [/view/title/text]');
  });
});
