import type { AnyBlock, Button, Overflow } from '@slack/types';
import { LIMITS, shorten } from './limits.ts';
import { plain, unescaped, visible, type Words } from './mrkdwn.ts';

/** A button as Slack shows it. `dialog` is asked before a press counts. */
interface Declaration {
  /** Slack sends it back when it is pressed. It never changes: old messages have buttons too. */
  id: string;
  label: string;
  style?: 'primary' | 'danger';
  dialog?: { title: string; text: string; confirm: string };
}

/** The id of every button that does what a typed command does. */
const COMMAND = 'command';

/** Every button of the bot's own. slack/actions.ts says what a press of each id runs. */
export const BUTTONS = {
  confirm: { id: 'confirm', label: 'Confirm', style: 'primary' },
  confirmDestructive: { id: 'confirm', label: 'Confirm', style: 'danger' },
  cancel: { id: 'cancel', label: 'Cancel' },
  /** Where nobody had decided yet: what was approved meanwhile stands, and can be run. */
  cancelWait: { id: 'cancel-wait', label: 'Cancel' },
  askForApproval: { id: 'ask-approval', label: 'Ask for approval …', style: 'primary' },
  breakGlass: { id: 'break-glass', label: 'Break glass …', style: 'danger' },
  approve: { id: 'approve', label: 'Approve', style: 'primary' },
  reject: { id: 'reject', label: 'Reject …', style: 'danger' },
  lookCloser: { id: 'details', label: 'Look closer' },
  run: { id: 'run', label: 'Run', style: 'primary' },
  /** In a message that stays: the outcome stands beside it. */
  runBeside: { id: 'run-beside', label: 'Run', style: 'primary' },
  askAgain: { id: 'ask-again', label: 'Ask again' },
  undo: { id: 'undo', label: 'Undo' },
  putBackNow: { id: 'undo', label: 'Put back now' },
  /** Its label names somebody who may do what was refused. */
  handOn: { id: 'hand-on', label: 'Ask somebody to do it' },
  /** On the message of an incident; its value is the subscription's number. */
  onIt: { id: 'on-it', label: 'I’m on it', style: 'primary' },
  share: { id: 'share', label: 'Share' },
  howFar: { id: 'far', label: 'How far is it?' },
  stop: { id: 'stop', label: 'Cancel' },
  openForm: { id: 'form', label: 'Open the form' },
  fillIn: { id: COMMAND, label: 'Fill in', style: 'primary' },
  continue: { id: COMMAND, label: 'Continue …', style: 'danger' },
} as const satisfies Record<string, Declaration>;

type Declared = (typeof BUTTONS)[keyof typeof BUTTONS];

/** The id of any button. */
export type ButtonId = Declared['id'];

/** One of the buttons above. `value` is what it is about: the id of a confirmation or of a kept result, or a command line. */
export const button = (declared: Omit<Declared, 'label'> & { label: string }, value: string): Button =>
  buttonOf(declared, value);

/**
 * A button that does what typing the command would do, with the presser's rights: `commandButton('Next page', 'key list
 * --page 2')` (no `/edge`). A command that changes something still shows its preview and asks.
 */
export const commandButton = (label: string, command: string, style?: 'primary' | 'danger'): Button =>
  buttonOf({ id: COMMAND, label, ...(style === undefined ? {} : { style }) }, command);

/** A button that takes the change with this id back, and asks first like every preview: `title` says what that does. */
export const undoButton = (declared: (typeof BUTTONS)['undo' | 'putBackNow'], title: Words, id: string): Button =>
  buttonOf({ ...declared, dialog: { ...UNDO, title: `${unescaped(plain(title))}?` } }, id);

const UNDO = { text: 'It is put back only if nothing else has changed it since.', confirm: 'Undo it' };

/** A button that opens the form of a command line, with what stands in the line. */
export const formButton = (label: string, line: string): Button => buttonOf({ id: BUTTONS.openForm.id, label }, line);

/** The same blocks without one of the buttons above; a row that has no other goes. */
export const withoutButton = (blocks: readonly AnyBlock[], { id }: Pick<Declared, 'id'>): AnyBlock[] =>
  blocks.flatMap((block): AnyBlock[] => {
    if (block.type !== 'actions' || !('elements' in block) || !Array.isArray(block.elements)) return [block];
    const elements = block.elements.filter((one) => !('action_id' in one) || one.action_id !== id);
    return elements.length === 0 ? [] : [{ ...block, elements } as AnyBlock];
  });

/** A button beside a paragraph, or several of them in a menu behind three dots. */
export type Beside = Button | Overflow;

/**
 * Buttons in a menu, at most five; one alone stays a button. An option has less room than a button: what it holds are ids, and
 * commands without anything that somebody wrote.
 */
export function menu(...given: (Button | undefined | false)[]): Beside | undefined {
  const buttons = given.filter((one) => typeof one === 'object');
  if (buttons.length < 2) return buttons[0];
  const options = buttons.map(({ action_id = '', text, value = '' }) => ({
    text,
    value: `${action_id.split(':', 1)[0]}:${value}`,
  }));
  // Its options carry the ids of their buttons.
  return { type: 'overflow', action_id: 'menu', options };
}

/** An element as Slack tells of it when somebody uses it. */
export interface UsedElement {
  type?: unknown;
  action_id?: unknown;
  value?: unknown;
  selected_option?: { value?: unknown } | null | undefined;
}

/** The id and the value of the button that was pressed or chosen in a menu. Undefined for selects and inputs of forms. */
export function pressed({ type, action_id, value, selected_option }: UsedElement) {
  if (type !== 'overflow') return typeof value === 'string' ? { id: String(action_id), value } : undefined;
  const [id = '', ...rest] = String(selected_option?.value ?? '').split(':');
  return rest.length === 0 ? undefined : { id, value: rest.join(':') };
}

function buttonOf({ id, label, style, dialog }: Declaration, value: string): Button {
  return {
    type: 'button',
    // Slack wants action ids to be unique in a block; what follows the colon is never read.
    action_id: id === COMMAND || id === BUTTONS.openForm.id ? `${id}:${value}`.slice(0, LIMITS.blockId) : id,
    text: plainText(shorten(visible(label), LIMITS.buttonText)),
    // Never cut: half a command is another one. The gate leaves out a button whose command is too long, and says so.
    value,
    ...(style === undefined ? {} : { style }),
    ...(dialog === undefined ? {} : { confirm: dialogOf(dialog) }),
  };
}

const dialogOf = ({ title, text, confirm }: NonNullable<Declaration['dialog']>) => ({
  title: plainText(shorten(visible(title), LIMITS.confirmTitle)),
  text: plainText(text),
  confirm: plainText(confirm),
  deny: plainText(BUTTONS.cancel.label),
});

const plainText = (text: string) => ({ type: 'plain_text' as const, text, emoji: false });
