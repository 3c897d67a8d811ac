import type { AnyBlock, Button, Overflow } from '@slack/types';
import { LIMITS, shorten } from './limits.ts';
import { plain, unescaped, visible, type Words } from './mrkdwn.ts';

/** `dialog`: Slack asks this before the press counts. */
interface Declaration {
  /** Slack sends it back. It must never change, because old messages have buttons too. */
  id: string;
  label: string;
  style?: 'primary' | 'danger';
  dialog?: { title: string; text: string; confirm: string };
}

const COMMAND = 'command';

/** slack/actions.ts says what each button does. */
export const BUTTONS = {
  confirm: { id: 'confirm', label: 'Confirm', style: 'primary' },
  confirmDestructive: { id: 'confirm', label: 'Confirm', style: 'danger' },
  cancel: { id: 'cancel', label: 'Cancel' },
  /** Does not cancel a change that was approved meanwhile. */
  askForApproval: { id: 'ask-approval', label: 'Ask for approval …', style: 'primary' },
  breakGlass: { id: 'break-glass', label: 'Break glass …', style: 'danger' },
  approve: { id: 'approve', label: 'Approve', style: 'primary' },
  reject: { id: 'reject', label: 'Reject …', style: 'danger' },
  lookCloser: { id: 'details', label: 'Look closer' },
  run: { id: 'run', label: 'Run', style: 'primary' },
  runBeside: { id: 'run-beside', label: 'Run', style: 'primary' },
  /** Keeps the message that the button is in. */
  cancelWait: { id: 'cancel-wait', label: 'Cancel' },
  cancelBeside: { id: 'cancel-beside', label: 'Cancel' },
  askAgain: { id: 'ask-again', label: 'Ask again' },
  undo: { id: 'undo', label: 'Undo' },
  putBackNow: { id: 'undo', label: 'Switch back now' },
  /** The label names somebody who may run it. */
  handOn: { id: 'hand-on', label: 'Ask somebody to do it' },
  /** Its value is the number of the subscription. */
  onIt: { id: 'on-it', label: 'I’m on it', style: 'primary' },
  takeOver: { id: 'take-over', label: 'Take over' },
  share: { id: 'share', label: 'Share' },
  howFar: { id: 'far', label: 'Check progress' },
  stop: { id: 'stop', label: 'Cancel' },
  openForm: { id: 'form', label: 'Open the form' },
  fillIn: { id: COMMAND, label: 'Fill in', style: 'primary' },
  continue: { id: COMMAND, label: 'Continue …', style: 'danger' },
} as const satisfies Record<string, Declaration>;

/** The label of the buttons that run a change, if it has a time. */
export const PLAN = 'Plan it';

type Declared = (typeof BUTTONS)[keyof typeof BUTTONS];

export type ButtonId = Declared['id'];

/** `value`: the id of a confirmation or of a shared answer, or a command line. */
export const button = (declared: Omit<Declared, 'label'> & { label: string }, value: string): Button =>
  buttonOf(declared, value);

/** `commandButton('Next page', 'key list --page 2')`: as if whoever presses had typed it. A change still asks. */
export const commandButton = (label: string, command: string, style?: 'primary' | 'danger'): Button =>
  buttonOf({ id: COMMAND, label, ...(style === undefined ? {} : { style }) }, command);

/** Runs an approved change, or plans it. */
export const runButton = (
  { id, due }: { id: string; due?: Date | undefined },
  which: 'run' | 'runBeside' = 'run',
): Button => button({ ...BUTTONS[which], ...(due === undefined ? {} : { label: PLAN }) }, id);

export const undoButton = (
  declared: (typeof BUTTONS)['undo' | 'putBackNow'],
  title: Words,
  id: string,
  needsApproval = false,
): Button => {
  // This press only shows the preview.
  if (needsApproval) return buttonOf({ ...declared, label: `${declared.label} (needs approval) …` }, id);
  const text = 'Only if nobody has changed it since.';
  const dialog = { title: `${unescaped(plain(title))}?`, text, confirm: 'Undo it' };
  return buttonOf({ ...declared, dialog }, id);
};

export const formButton = (label: string, line: string): Button => buttonOf({ id: BUTTONS.openForm.id, label }, line);

/** Removes a row without other buttons. */
export const withoutButton = (blocks: readonly AnyBlock[], { id }: Pick<Declared, 'id'>): AnyBlock[] =>
  blocks.flatMap((block): AnyBlock[] => {
    if (block.type !== 'actions' || !('elements' in block) || !Array.isArray(block.elements)) return [block];
    const elements = block.elements.filter((one) => !('action_id' in one) || one.action_id !== id);
    return elements.length === 0 ? [] : [{ ...block, elements } as AnyBlock];
  });

export type Beside = Button | Overflow;

/** At most five; a single one stays a button. Options hold less than buttons, so only ids and commands without typed text fit. */
export function menu(...given: (Button | undefined | false)[]): Beside | undefined {
  const buttons = given.filter((one) => typeof one === 'object');
  if (buttons.length < 2) return buttons[0];
  const options = buttons.map(({ action_id = '', text, value = '' }) => ({
    text,
    value: `${action_id.split(':', 1)[0]}:${value}`,
  }));
  // The options contain the ids of their buttons.
  return { type: 'overflow', action_id: 'menu', options };
}

export interface UsedElement {
  type?: unknown;
  action_id?: unknown;
  value?: unknown;
  selected_option?: { value?: unknown } | null | undefined;
}

/** Undefined: it is a select or an input of a form. */
export function pressed({ type, action_id, value, selected_option }: UsedElement) {
  if (type !== 'overflow') return typeof value === 'string' ? { id: String(action_id), value } : undefined;
  const [id = '', ...rest] = String(selected_option?.value ?? '').split(':');
  return rest.length === 0 ? undefined : { id, value: rest.join(':') };
}

function buttonOf({ id, label, style, dialog }: Declaration, value: string): Button {
  return {
    type: 'button',
    // Slack wants unique action ids in a block. The bot ignores everything after the colon.
    action_id: id === COMMAND || id === BUTTONS.openForm.id ? `${id}:${value}`.slice(0, LIMITS.blockId) : id,
    text: plainText(label, LIMITS.buttonText),
    // Never cut, because a part of a command is another command. fit.ts drops a button that is too long.
    value,
    ...(style === undefined ? {} : { style }),
    ...(dialog && {
      confirm: {
        title: plainText(dialog.title, LIMITS.confirmTitle),
        text: plainText(dialog.text),
        confirm: plainText(dialog.confirm),
        deny: plainText(BUTTONS.cancel.label),
      },
    }),
  };
}

export const plainText = (text: string, most = Number.POSITIVE_INFINITY) => ({
  type: 'plain_text' as const,
  text: shorten(visible(text), most),
  emoji: false,
});
