/** An open modal, or the App Home, in the hands of its person. */

import { closeView, press, submit } from '../block-actions.ts';
import type { Placed } from '../elements.ts';
import { storeFile } from '../files.ts';
import type { Slack } from '../slack.ts';
import type { UiBlock, UiValue } from '../ui-types.ts';
import type { View } from '../views.ts';
import type { User } from '../workspace.ts';
import { type ClickOptions, chooseLabel, clickLabel, findByLabel, optionValue } from './labels.ts';
import { buttonsOf, readBlocks } from './shown-text.ts';
import { matches, until } from './wait-for.ts';

/** A file as a person picks it from their disk. */
export interface PickedFile {
  name: string;
  content: string | Buffer;
  mimetype?: string;
}

/**
 * What to put into a field: text as typed, an option's text, several of them, a date `YYYY-MM-DD`, a number, a moment, a
 * file; `true` or `false` for a single checkbox; `null` to empty it.
 */
export type Filling = string | number | boolean | Date | string[] | PickedFile | PickedFile[] | null;

export interface Form {
  id: string;
  readonly title: string;
  /** Everything it shows, without markup. */
  readonly text: string;
  readonly blocks: UiBlock[];
  readonly buttons: string[];
  /** The labels of its fields. */
  readonly fields: string[];
  readonly submitLabel: string | undefined;
  /** What it complains about, by the field's label. */
  readonly errors: Record<string, string>;
  readonly isOpen: boolean;
  readonly callbackId: string;
  readonly privateMetadata: string;
  /** Puts values into fields, by label. */
  fill(fields: Record<string, Filling>): Promise<Form>;
  /** What a field holds, by label: the text, or the option's value. */
  value(label: string): UiValue;
  /** Presses the submit button; throws when Slack shows trouble. Field errors are in `errors`. */
  submit(): Promise<Form>;
  /** Presses the close button; with `all` the cross, which closes the whole stack. */
  close(options?: { all?: boolean }): Promise<void>;
  click(label: string, options?: ClickOptions): Promise<void>;
  select(label: string, option: string | string[]): Promise<void>;
  /** Waits until the view shows something that matches; looks at all it showed since it was last matched or acted on. */
  expectChange(pattern: RegExp | string): Promise<Form>;
  expectClosed(): Promise<void>;
}

export function createForm(slack: Slack, user: User, view: View, acted: () => void): Form {
  const { core, views } = slack;
  const { workspace } = core;
  const at = { view: view.id };
  /** The version, counted from 0, that was matched or acted on last. */
  let seen = -1;

  const labelOf = (blockId: string): string => {
    const block = view.blocks.find((each) => each.block_id === blockId);
    return (block?.label as { text?: string } | undefined)?.text ?? blockId;
  };
  const put = async (label: string, filling: Filling): Promise<void> => {
    const placed = findByLabel(slack, view.blocks, label);
    const { block, element } = placed;
    const value = await heldValueOf(placed, filling);
    const isAction = block.type !== 'input' || block.dispatch_action === true;
    if (isAction) {
      const answer = await press(slack, user, { at, block: block.block_id ?? '', action: element.action_id, value });
      if (!answer.ok) throw new Error(`filling “${label}”: ${answer.error}`);
      return;
    }
    view.values[block.block_id ?? ''] = { ...view.values[block.block_id ?? ''], [element.action_id]: value };
  };
  const heldValueOf = async (placed: Placed, filling: Filling): Promise<UiValue> => {
    const { element } = placed;
    const isMany = /^multi_|^checkboxes$/.test(element.type);
    const pick = (wanted: string): Promise<string> => optionValue(slack, user, at, placed, wanted);
    if (filling === null) return isMany || element.type === 'file_input' ? [] : null;
    if (element.type === 'file_input') return filesOf(filling);
    if (filling instanceof Date) {
      if (element.type === 'datetimepicker') return String(Math.floor(filling.getTime() / 1000));
      return filling.toISOString().slice(0, 10);
    }
    if (typeof filling === 'boolean') {
      return filling ? (element.options ?? []).slice(0, 1).map((option) => option.value) : [];
    }
    if (isMany) {
      const wanted = Array.isArray(filling) ? filling : [filling];
      return Promise.all(wanted.map((each) => pick(String(each))));
    }
    if (/_select$|^radio_buttons$/.test(element.type)) return pick(String(filling));
    return String(filling);
  };
  const filesOf = (filling: Filling): string[] => {
    const picked = (Array.isArray(filling) ? filling : [filling]) as (PickedFile | string)[];
    return picked.map((file) => {
      if (typeof file === 'string') return file;
      return storeFile(core, user.id, file.name, Buffer.from(file.content), file.mimetype).id;
    });
  };

  const form: Form = {
    id: view.id,
    get title() {
      return view.draft.title?.text ?? '';
    },
    get text() {
      return readBlocks(view.blocks, workspace);
    },
    get blocks() {
      return view.blocks;
    },
    get buttons() {
      return buttonsOf(view.blocks);
    },
    get fields() {
      return view.blocks.filter((block) => block.type === 'input').map((block) => labelOf(block.block_id ?? ''));
    },
    get submitLabel() {
      return view.draft.submit?.text;
    },
    get errors() {
      return Object.fromEntries(Object.entries(view.errors).map(([block, error]) => [labelOf(block), error]));
    },
    get isOpen() {
      return views.find(view.id) === view;
    },
    get callbackId() {
      return view.draft.callback_id ?? '';
    },
    get privateMetadata() {
      return view.draft.private_metadata ?? '';
    },
    async fill(fields) {
      acted();
      for (const [label, filling] of Object.entries(fields)) await put(label, filling);
      return form;
    },
    value(label) {
      const { block, element } = findByLabel(slack, view.blocks, label);
      return view.values[block.block_id ?? '']?.[element.action_id] ?? null;
    },
    async submit() {
      acted();
      if (form.submitLabel === undefined) throw new Error(`the view “${form.title}” has no submit button`);
      seen = view.history.length;
      const answer = await submit(slack, user, { view: view.id, values: view.values });
      if (!answer.ok) throw new Error(`submitting “${form.title}”: ${answer.error}`);
      return form;
    },
    async close(options = {}) {
      acted();
      await closeView(slack, user, { view: view.id, all: options.all });
    },
    async click(label, options) {
      acted();
      seen = view.history.length;
      await clickLabel(slack, user, at, view.blocks, label, options);
    },
    async select(label, option) {
      acted();
      seen = view.history.length;
      await chooseLabel(slack, user, at, view.blocks, label, option);
    },
    async expectChange(pattern) {
      seen = await until(
        core,
        () => {
          const shown = [...view.history, view];
          const index = shown.findIndex(
            ({ draft, blocks }, version) =>
              version > seen && matches(`${draft.title?.text ?? ''}\n${readBlocks(blocks, workspace)}`, pattern),
          );
          return index >= 0 ? index : undefined;
        },
        () =>
          `the view did not change to ${String(pattern)}; it shows:\n${form.title}\n${form.text}${form.isOpen ? '' : '\n(closed)'}`,
      );
      return form;
    },
    async expectClosed() {
      await until(
        core,
        () => (form.isOpen ? undefined : true),
        () => `the view is still open:\n${form.title}\n${form.text}\n${JSON.stringify(form.errors)}`,
      );
    },
  };
  return form;
}

/** Whether the view only says that something is on its way: nothing to submit, press or fill, and words of waiting. */
export function isLoading(view: View, slack: Slack): boolean {
  if (view.draft.submit !== undefined || view.blocks.some((block) => block.type === 'input')) return false;
  if (view.blocks.some((block) => block.type === 'actions')) return false;
  return /loading|working|one moment|just a moment|please wait|reading|looking|preparing|…/i.test(
    readBlocks(view.blocks, slack.core.workspace),
  );
}

/** The labels of all open views of a person, for a complaint. */
export function describeStack(slack: Slack, user: User): string {
  const open = slack.views.stack(user.id);
  if (open.length === 0) return 'no view is open';
  return open
    .map((view) => `open: “${view.draft.title?.text ?? ''}”\n${readBlocks(view.blocks, slack.core.workspace)}`)
    .join('\n');
}
