import { stage } from './bolt.ts';

export const plain = (text: string) => ({ type: 'plain_text' as const, text });
export const section = (text: string) => ({ type: 'section' as const, text: { type: 'mrkdwn' as const, text } });
export const option = (text: string, value = text) => ({ text: plain(text), value });
export const view = (title: string, fields: object = {}) => ({
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

export const EVERY_INPUT = [
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

/** One required field. */
export const NAME = [input('Name', 'name', { type: 'plain_text_input' })];
/** A modal that asks for it. */
export const form = view('First', { blocks: NAME, submit: plain('Next') });
type Answer = Record<string, unknown> | undefined;

/** A form that Ada has filled in, and that the bot answers so when she submits it. */
export async function filledForm(answer: Answer) {
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
