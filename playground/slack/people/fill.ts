/** Fields of a form, filled by their label. */

import { press } from '../block-actions.ts';
import type { Placed } from '../elements.ts';
import { storeFile } from '../files.ts';
import type { Slack, View } from '../slack.ts';
import type { UiValue } from '../ui-types.ts';
import type { User } from '../workspace.ts';
import { findByLabel, optionValue } from './labels.ts';

/** A file as a person picks it from their disk. */
export interface PickedFile {
  name: string;
  content: string | Buffer;
  mimetype?: string;
}

/**
 * A field's new content: text as typed, an option's text, several of them, a date `YYYY-MM-DD`, a number, a moment, a file;
 * `true` or `false` for a single checkbox; `null` to empty it.
 */
export type Filling = string | number | boolean | Date | string[] | PickedFile | PickedFile[] | null;

/** Puts a value into the field with this label; where choosing is an action, the bot hears of it. */
export async function fillField(slack: Slack, user: User, view: View, label: string, filling: Filling): Promise<void> {
  const placed = findByLabel(slack, view.blocks, label);
  const { block, element } = placed;
  const value = await valueFor(slack, user, view, placed, filling);
  const isAction = block.type !== 'input' || block.dispatch_action === true;
  if (isAction) {
    const at = { view: view.id };
    const answer = await press(slack, user, { at, block: block.block_id ?? '', action: element.action_id, value });
    if (!answer.ok) throw new Error(`filling “${label}”: ${answer.error}`);
    return;
  }
  view.values[block.block_id ?? ''] = { ...view.values[block.block_id ?? ''], [element.action_id]: value };
}

async function valueFor(slack: Slack, user: User, view: View, placed: Placed, filling: Filling): Promise<UiValue> {
  const { element } = placed;
  const isMany = /^multi_|^checkboxes$/.test(element.type);
  const pick = (wanted: string): Promise<string> => optionValue(slack, user, { view: view.id }, placed, wanted);
  if (filling === null) return isMany || element.type === 'file_input' ? [] : null;
  if (element.type === 'file_input') return [filling].flat().map((file) => fileId(slack, user, file as PickedFile));
  if (filling instanceof Date) {
    if (element.type === 'datetimepicker') return String(Math.floor(filling.getTime() / 1000));
    return filling.toISOString().slice(0, 10);
  }
  if (typeof filling === 'boolean') {
    return filling ? (element.options ?? []).slice(0, 1).map((option) => option.value) : [];
  }
  if (isMany) return Promise.all([filling].flat().map((each) => pick(String(each))));
  if (/_select$|^radio_buttons$/.test(element.type)) return pick(String(filling));
  return String(filling);
}

/** The id of a file: one that is there already, or of a new one from the person's disk. */
export function fileId(slack: Slack, user: User, file: PickedFile | string): string {
  if (typeof file === 'string') return file;
  return storeFile(slack, user.id, file.name, Buffer.from(file.content), file.mimetype).id;
}
