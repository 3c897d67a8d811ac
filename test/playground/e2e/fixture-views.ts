/** Modals and a home with every kind of input, as a bot would open them. */
import type { KnownBlock, ModalView } from '@slack/types';
import { mrkdwn, option, plain } from './fixture-blocks.ts';

/** A form with every input. */
export const formView: ModalView = {
  type: 'modal',
  callback_id: 'form',
  title: plain('Force SSL'),
  submit: plain('Preview'),
  close: plain('Cancel'),
  blocks: [
    {
      type: 'alert',
      level: 'warning',
      text: mrkdwn('This hostname has *no certificate*: visitors would see an error.'),
    } as KnownBlock,
    {
      type: 'input',
      block_id: 'hostname',
      label: plain('Hostname'),
      hint: plain('As it stands in the zone.'),
      element: { type: 'plain_text_input', action_id: 'value', placeholder: plain('shop.example') },
    },
    {
      type: 'input',
      block_id: 'state',
      label: plain('State'),
      element: {
        type: 'static_select',
        action_id: 'value',
        placeholder: plain('on or off'),
        options: [option('on'), option('off')],
      },
    },
    {
      type: 'input',
      block_id: 'script',
      optional: true,
      label: plain('Script'),
      element: {
        type: 'external_select',
        action_id: 'value',
        min_query_length: 0,
        placeholder: plain('Find a script'),
      },
    },
    {
      type: 'input',
      block_id: 'from',
      optional: true,
      label: plain('From'),
      element: { type: 'datepicker', action_id: 'value' },
    },
    {
      type: 'input',
      block_id: 'count',
      optional: true,
      label: plain('How many'),
      element: { type: 'number_input', action_id: 'value', is_decimal_allowed: false },
    },
    {
      type: 'input',
      block_id: 'file',
      optional: true,
      label: plain('Document'),
      element: { type: 'file_input', action_id: 'value', filetypes: ['json'], max_files: 1 },
    },
    {
      type: 'input',
      block_id: 'flags',
      optional: true,
      label: plain('Options'),
      element: { type: 'checkboxes', action_id: 'value', options: [option('Hourly'), option('Exact range')] },
    },
    {
      type: 'input',
      block_id: 'sql',
      optional: true,
      label: plain('SQL'),
      element: { type: 'plain_text_input', action_id: 'value', multiline: true },
    },
  ],
};

/** A view with a button that opens the next one. */
export function stackedView(depth: number): ModalView {
  return {
    type: 'modal',
    callback_id: `stack-${depth}`,
    title: plain(`View ${depth}`),
    close: plain('Back'),
    blocks: [
      { type: 'section', text: mrkdwn(`This is view ${depth} of the stack.`) },
      {
        type: 'actions',
        block_id: 'next',
        elements: [{ type: 'button', action_id: 'push', text: plain('Open the next'), value: String(depth + 1) }],
      },
    ],
  };
}

export const loadingView: ModalView = {
  type: 'modal',
  title: plain('Loading'),
  blocks: [{ type: 'section', text: mrkdwn(':hourglass_flowing_sand: Reading the zones') }],
};

export const homeBlocks: KnownBlock[] = [
  { type: 'header', text: plain('Edgewise') },
  { type: 'section', text: mrkdwn('You are an *admin*. Two confirmations wait for you.') },
  { type: 'divider' },
  {
    type: 'section',
    text: mrkdwn('*Force SSL on* `shop.example`\nasked 3 minutes ago'),
    accessory: { type: 'button', action_id: 'home-open', text: plain('Open'), value: '1' },
  },
  { type: 'context', elements: [mrkdwn('The bot is healthy.')] },
];
