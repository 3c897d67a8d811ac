/** An open modal, or the App Home, in the hands of its person. */

import type { Slack, View } from '../slack.ts';
import { closeView, submit } from '../submissions.ts';
import type { UiBlock, UiValue } from '../ui-types.ts';
import { findView, stackOf } from '../views.ts';
import type { User } from '../workspace.ts';
import { type Filling, fillField } from './fill.ts';
import { type ClickOptions, chooseLabel, clickLabel, findByLabel, type Shown } from './labels.ts';
import { buttonsOf, readBlocks } from './shown-text.ts';
import { matches, waitFor } from './wait-for.ts';

/** Everything that a person reads in a form and does with it. */
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
  /** Its complaints, by the field's label. */
  readonly errors: Record<string, string>;
  readonly isOpen: boolean;
  readonly callbackId: string;
  readonly privateMetadata: string;
  /** Puts values into fields, by label. */
  fill(fields: Record<string, Filling>): Promise<Form>;
  /** The value of a field, by label: the text, or the option's value. */
  value(label: string): UiValue;
  /** Presses the submit button; throws when Slack shows trouble. Field errors are in `errors`. */
  submit(): Promise<Form>;
  /** Presses the close button; with `all` the cross, which closes the whole stack. */
  close(options?: { all?: boolean }): Promise<void>;
  click(label: string | RegExp, options?: ClickOptions): Promise<void>;
  select(label: string, option: string | string[]): Promise<void>;
  /** Waits until the view shows something that matches; looks at all it showed since it was last matched or acted on. */
  expectChange(pattern: RegExp | string): Promise<Form>;
  expectClosed(): Promise<void>;
}

/** `acted` is called when the person does something. */
export function createForm(slack: Slack, user: User, view: View, acted: () => void): Form {
  const { workspace } = slack;
  /** The version, counted from 0, that was matched or acted on last. */
  let seen = -1;
  const act = (): void => {
    acted();
    seen = view.history.length;
  };
  const shown = (): Shown => ({ at: { view: view.id }, blocks: view.blocks });

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
      return view.blocks.filter((block) => block.type === 'input').map((block) => labelOf(view, block.block_id ?? ''));
    },
    get submitLabel() {
      return view.draft.submit?.text;
    },
    get errors() {
      return Object.fromEntries(Object.entries(view.errors).map(([block, error]) => [labelOf(view, block), error]));
    },
    get isOpen() {
      return findView(slack, view.id) === view;
    },
    get callbackId() {
      return view.draft.callback_id ?? '';
    },
    get privateMetadata() {
      return view.draft.private_metadata ?? '';
    },
    async fill(fields) {
      acted();
      for (const [label, filling] of Object.entries(fields)) await fillField(slack, user, view, label, filling);
      return form;
    },
    value(label) {
      const { block, element } = findByLabel(slack, view.blocks, label);
      return view.values[block.block_id ?? '']?.[element.action_id] ?? null;
    },
    async submit() {
      if (form.submitLabel === undefined) throw new Error(`the view “${form.title}” has no submit button`);
      act();
      const answer = await submit(slack, user, { view: view.id, values: view.values });
      if (!answer.ok) throw new Error(`submitting “${form.title}”: ${answer.error}`);
      return form;
    },
    async close({ all } = {}) {
      acted();
      await closeView(slack, user, { view: view.id, all });
    },
    async click(label, options) {
      act();
      await clickLabel(slack, user, shown(), label, options);
    },
    async select(label, option) {
      act();
      await chooseLabel(slack, user, shown(), label, option);
    },
    async expectChange(pattern) {
      seen = await waitForVersion(slack, view, seen, pattern);
      return form;
    },
    expectClosed: () => waitUntilClosed(slack, form),
  };
  return form;
}

/** The version after `seen` that shows the pattern. */
function waitForVersion(slack: Slack, view: View, seen: number, pattern: RegExp | string): Promise<number> {
  const textOf = ({ draft, blocks }: Pick<View, 'draft' | 'blocks'>): string =>
    `${draft.title?.text ?? ''}\n${readBlocks(blocks, slack.workspace)}`;
  return waitFor(
    slack,
    () => {
      const index = [...view.history, view].findIndex(
        (version, number) => number > seen && matches(textOf(version), pattern),
      );
      return index >= 0 ? index : undefined;
    },
    () => {
      const isOpen = findView(slack, view.id) === view;
      return `the view did not change to ${String(pattern)}; it shows:\n${textOf(view)}${isOpen ? '' : '\n(closed)'}`;
    },
  );
}

async function waitUntilClosed(slack: Slack, form: Form): Promise<void> {
  await waitFor(
    slack,
    () => (form.isOpen ? undefined : true),
    () => `the view is still open:\n${form.title}\n${form.text}\n${JSON.stringify(form.errors)}`,
  );
}

function labelOf(view: View, blockId: string): string {
  const block = view.blocks.find((each) => each.block_id === blockId);
  return (block?.label as { text?: string } | undefined)?.text ?? blockId;
}

/** Knows a loading view: nothing to submit, press or fill, and words of waiting. */
export function isLoading(view: View, slack: Slack): boolean {
  if (view.draft.submit !== undefined || view.blocks.some((block) => block.type === 'input')) return false;
  if (view.blocks.some((block) => block.type === 'actions')) return false;
  return /loading|working|one moment|just a moment|please wait|reading|looking|preparing|…/i.test(
    readBlocks(view.blocks, slack.workspace),
  );
}

/** The labels of all open views of a person, for a complaint. */
export function describeStack(slack: Slack, user: User): string {
  const open = stackOf(slack, user.id);
  if (open.length === 0) return 'no view is open';
  return open
    .map((view) => `open: “${view.draft.title?.text ?? ''}”\n${readBlocks(view.blocks, slack.workspace)}`)
    .join('\n');
}
