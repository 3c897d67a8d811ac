import { expect, it } from 'vitest';
import { validateMessage } from '../../playground/slack/block-kit/validate.ts';
import { BUTTONS, button, commandButton } from '../../src/blocks/buttons.ts';
import { actions, message } from '../../src/blocks/message.ts';

it('every button is one that Slack takes', () => {
  const all = Object.values(BUTTONS).map((declared) => button(declared, 'c1'));
  for (const one of [...all, commandButton('Next page', 'key list --page 2')])
    expect(validateMessage({ text: '–', blocks: message(actions(one)).blocks }), one.action_id).toEqual([]);
});
