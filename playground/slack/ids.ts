/** Timestamps and ids, those that Slack makes up for blocks and elements among them. */

import type { Slack } from './slack.ts';
import type { UiBlock } from './ui-types.ts';

/** A new message timestamp, later than every one before. */
export function nextTs({ counts, now }: Pick<Slack, 'counts' | 'now'>): string {
  counts.lastTs = Math.max(now().getTime() * 1000, counts.lastTs + 1);
  return `${Math.floor(counts.lastTs / 1_000_000)}.${String(counts.lastTs % 1_000_000).padStart(6, '0')}`;
}

/** A new id with this prefix, such as `F` for files. */
export function nextId({ counts }: Pick<Slack, 'counts'>, prefix: string): string {
  counts.ids += 1;
  return `${prefix}0${counts.ids.toString(36).toUpperCase().padStart(9, '0')}`;
}

const ACTIONABLE =
  /^(button|overflow|checkboxes|radio_buttons|feedback_buttons|icon_button|workflow_button|.*_select|.*picker|.*_input)$/;

/** The blocks with the ids that Slack makes up where the bot gave none. */
export function withIds(slack: Pick<Slack, 'counts'>, blocks: UiBlock[]): UiBlock[] {
  const named = (element: unknown): unknown => {
    if (typeof element !== 'object' || element === null) return element;
    const { type, action_id } = element as { type?: unknown; action_id?: unknown };
    if (typeof type !== 'string' || !ACTIONABLE.test(type) || action_id !== undefined) return element;
    return { ...element, action_id: nextId(slack, 'a') };
  };
  return blocks.map((block) => {
    const copy: UiBlock = { ...block, block_id: block.block_id ?? nextId(slack, 'b') };
    if (Array.isArray(copy.elements)) {
      copy.elements = copy.type === 'carousel' ? withIds(slack, copy.elements as UiBlock[]) : copy.elements.map(named);
    }
    if (Array.isArray(copy.actions)) copy.actions = copy.actions.map(named);
    if (Array.isArray(copy.child_blocks)) copy.child_blocks = withIds(slack, copy.child_blocks as UiBlock[]);
    if (copy.accessory) copy.accessory = named(copy.accessory);
    if (copy.element) copy.element = named(copy.element);
    return copy;
  });
}
