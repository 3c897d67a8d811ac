/** Buttons and menus by their labels, the same in messages, modals and the home. */

import { press, suggest } from '../block-actions.ts';
import { elementsOf, ownOptionsOf, type Placed } from '../elements.ts';
import type { Slack } from '../slack.ts';
import type { UiBlock, UiContainer, UiValue } from '../ui-types.ts';
import type { User } from '../workspace.ts';
import { buttonsOf, labelsOf } from './shown-text.ts';

/** How a button is pressed. */
export interface ClickOptions {
  /** The answer to the button's confirm dialog; needed when it has one. */
  confirm?: boolean;
  /** Presses a button that the message showed earlier, as a client does that has not seen the change yet. */
  stale?: boolean;
}

/** A message or a view that a person has before them. */
export interface Shown {
  at: UiContainer;
  blocks: UiBlock[];
}

/** Presses the button, or the overflow menu's option, with this label. */
export async function clickLabel(
  slack: Slack,
  user: User,
  { at, blocks }: Shown,
  label: string | RegExp,
  options: ClickOptions = {},
): Promise<void> {
  const isMeant = (text = '') => (typeof label === 'string' ? text === label : label.test(text));
  for (const { block, element } of elementsOf(blocks)) {
    const isButton = element.type === 'button' && isMeant(element.text?.text);
    const option =
      element.type === 'overflow' ? ownOptionsOf(element).find((each) => isMeant(each.text.text)) : undefined;
    if (!isButton && !option) continue;
    if (element.confirm && options.confirm === undefined) {
      throw new Error(
        `“${label}” asks first: “${element.confirm.text.text}”; say { confirm: true } or { confirm: false }`,
      );
    }
    if (element.confirm && options.confirm === false) return;
    const answer = await press(slack, user, {
      at,
      block: block.block_id ?? '',
      action: element.action_id,
      ...(option ? { value: option.value } : {}),
      stale: options.stale === true,
    });
    if (!answer.ok) throw new Error(`pressing “${label}”: ${answer.error}`);
    return;
  }
  throw new Error(`there is no button “${label}”; there are: ${buttonsOf(blocks).join(', ') || 'none'}`);
}

/** The element that a person finds by its label. */
export function findByLabel(slack: Slack, blocks: UiBlock[], label: string): Placed {
  const placed = elementsOf(blocks).filter(({ element }) => element.type !== 'button');
  const labelled = (test: (each: string) => boolean): Placed | undefined =>
    placed.find((each) => labelsOf(each, slack.workspace).some(test));
  const found = labelled((each) => each === label) ?? labelled((each) => each.startsWith(label));
  if (found) return found;
  const known = placed.map((each) => labelsOf(each, slack.workspace)[0] ?? each.element.action_id);
  throw new Error(`there is no field “${label}”; there are: ${known.join(', ') || 'none'}`);
}

/** The value of the option that reads so; asks the bot where options are suggested. */
export async function optionValue(
  slack: Slack,
  user: User,
  at: UiContainer,
  { block, element }: Placed,
  wanted: string,
): Promise<string> {
  const blockId = block.block_id ?? '';
  let options = ownOptionsOf(element);
  if (/external_select$/.test(element.type)) {
    const answer = await suggest(slack, user, { at, block: blockId, action: element.action_id, query: wanted });
    if (!answer.ok) throw new Error(answer.error);
    options = [...answer.options, ...answer.groups.flatMap((group) => group.options)];
  }
  if (/^(multi_)?(users|channels|conversations)_select$/.test(element.type)) {
    const { workspace } = slack;
    return wanted.startsWith('#') ? workspace.channel(wanted).id : workspace.user(wanted).id;
  }
  const found =
    options.find((option) => option.text.text === wanted) ??
    options.find((option) => option.value === wanted) ??
    options.find((option) => option.text.text.startsWith(wanted));
  if (found) return found.value;
  throw new Error(
    `there is no option “${wanted}”; there are: ${options.map((each) => each.text.text).join(', ') || 'none'}`,
  );
}

/** Chooses in a menu where choosing is an action. */
export async function chooseLabel(
  slack: Slack,
  user: User,
  { at, blocks }: Shown,
  label: string,
  wanted: string | string[],
): Promise<void> {
  const placed = findByLabel(slack, blocks, label);
  const isText = /picker$|_input$/.test(placed.element.type);
  const pick = (each: string): Promise<string> =>
    isText ? Promise.resolve(each) : optionValue(slack, user, at, placed, each);
  const isMany = /^multi_|^checkboxes$/.test(placed.element.type);
  const value: UiValue = isMany
    ? await Promise.all((Array.isArray(wanted) ? wanted : [wanted]).map(pick))
    : await pick(String(wanted));
  const answer = await press(slack, user, {
    at,
    block: placed.block.block_id ?? '',
    action: placed.element.action_id,
    value,
  });
  if (!answer.ok) throw new Error(`choosing “${label}”: ${answer.error}`);
}
