/** Blocks as a person reads them: their text without markup, and the labels of buttons and fields. */

import type { Element, Placed } from '../elements.ts';
import { elementsOf, ownOptionsOf } from '../elements.ts';
import type { UiBlock, UiText } from '../ui-types.ts';
import type { Workspace } from '../workspace.ts';

/** mrkdwn as a person reads it: entities, links and mentions resolved, `*bold*` and the like without their marks. */
export function readMrkdwn(text: string, workspace: Workspace): string {
  return text
    .replaceAll(/```\n?([\s\S]*?)\n?```/g, (_, inside: string) => kept(inside))
    .replaceAll(/`([^`\n]+)`/g, (_, inside: string) => kept(inside))
    .replaceAll(/<@([^>|]+)(?:\|[^>]*)?>/g, (_, id: string) => `@${workspace.users.get(id)?.name ?? id}`)
    .replaceAll(
      /<#([^>|]+)(?:\|([^>]*))?>/g,
      (_, id: string, label?: string) => `#${label || workspace.channels.get(id)?.name || id}`,
    )
    .replaceAll(
      /<!subteam\^([^>|]+)(?:\|[^>]*)?>/g,
      (_, id: string) => `@${workspace.userGroups.get(id)?.handle ?? id}`,
    )
    .replaceAll(/<!date\^[^>|]+\|([^>]*)>/g, '$1')
    .replaceAll(/<!(here|channel|everyone)(?:\|[^>]*)?>/g, '@$1')
    .replaceAll(/<([^>|@#!][^>|]*)\|([^>]*)>/g, '$2')
    .replaceAll(/<((?:https?|mailto):[^>|]+)>/g, '$1')
    .replaceAll(/(^|[\s([{"'“,;:>~_-])\*([^*\n]+)\*(?=$|[\s)\]}"'”.,;:!?…<~_-])/gm, '$1$2')
    .replaceAll(/(^|[\s([{"'“,;:>])_([^_\n]+)_(?=$|[\s)\]}"'”.,;:!?…<])/gm, '$1$2')
    .replaceAll(/(^|[\s([{"'“,;:>])~([^~\n]+)~(?=$|[\s)\]}"'”.,;:!?…<])/gm, '$1$2')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replaceAll(/[\ue000-\ue002]/g, (sign) => MARKS[sign.charCodeAt(0) - 0xe000] ?? '');
}

const MARKS = '*_~';
/** Code formats nothing: its marks are put aside until the others have been read. */
const kept = (inside: string) =>
  inside.replaceAll(/[*_~]/g, (mark) => String.fromCharCode(0xe000 + MARKS.indexOf(mark)));

/** Everything that the blocks show, a line for each piece, cells of tables between ` | `. */
export function readBlocks(blocks: UiBlock[], workspace: Workspace): string {
  return blocks
    .map((block) => readBlock(block, workspace))
    .filter((text) => text !== '')
    .join('\n');
}

type Loose = Record<string, unknown>;

function readBlock(block: UiBlock, workspace: Workspace): string {
  const read = (value: unknown): string => readText(value, workspace);
  switch (block.type) {
    case 'divider':
      return '';
    case 'section':
      return lines([read(block.text), ...list(block.fields).map(read), readElement(block.accessory, workspace)]);
    case 'context':
      return list(block.elements)
        .map((each) => readElement(each, workspace))
        .join(' ');
    case 'actions':
    case 'context_actions':
      return list(block.elements)
        .map((each) => `[${readElement(each, workspace)}]`)
        .join(' ');
    case 'input':
      return lines([read(block.label), readElement(block.element, workspace), read(block.hint)]);
    case 'markdown':
      return String(block.text ?? '')
        .replaceAll(/\*\*([^*\n]+)\*\*/g, '$1')
        .replaceAll(/`([^`\n]+)`/g, '$1');
    case 'table':
    case 'data_table':
      return lines([
        String(block.caption ?? ''),
        ...list(block.rows).map((row) =>
          list(row)
            .map((cell) => readRich(cell, workspace))
            .join(' | '),
        ),
      ]);
    case 'data_visualization':
      return lines([String(block.title ?? ''), readChart(block.chart as Loose)]);
    case 'rich_text':
      return readRich(block, workspace);
    case 'image':
      return lines([read(block.title), String(block.alt_text ?? '')]);
    case 'card':
      return lines([
        read(block.title),
        read(block.subtitle),
        read(block.body),
        ...list(block.actions).map((each) => `[${readElement(each, workspace)}]`),
      ]);
    case 'carousel':
      return readBlocks(list(block.elements) as UiBlock[], workspace);
    case 'container':
      return lines([
        read(block.title),
        readRich(block.rich_text_title, workspace),
        read(block.subtitle),
        readBlocks(list(block.child_blocks) as UiBlock[], workspace),
      ]);
    default:
      return lines([read(block.text), read(block.title)]);
  }
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function lines(parts: string[]): string {
  return parts.filter((part) => part !== '').join('\n');
}

function readText(value: unknown, workspace: Workspace): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '';
  const { type, text } = value as UiText;
  if (typeof text !== 'string') return '';
  return type === 'mrkdwn' ? readMrkdwn(text, workspace) : text;
}

function readElement(value: unknown, workspace: Workspace): string {
  if (typeof value !== 'object' || value === null) return '';
  const element = value as Partial<Element> & { alt_text?: string };
  if (element.type === 'mrkdwn' || element.type === 'plain_text') return readText(element, workspace);
  if (element.type === 'image') return element.alt_text ?? '';
  if (element.type === 'button') return element.text?.text ?? '';
  if (element.type === 'checkboxes' || element.type === 'radio_buttons') {
    return list(element.options)
      .map((option) => readText((option as { text: UiText }).text, workspace))
      .join(', ');
  }
  if (element.type === 'overflow') return '…';
  const chosen =
    element.initial_option?.text.text ??
    list(element.initial_options)
      .map((each) => (each as { text: UiText }).text.text)
      .join(', ');
  if (chosen !== '') return chosen;
  const initial = element.initial_value ?? element.initial_date ?? element.initial_time;
  if (typeof initial === 'string') return initial;
  return element.placeholder?.text ?? '';
}

function readRich(value: unknown, workspace: Workspace): string {
  if (typeof value !== 'object' || value === null) return '';
  const part = value as Loose;
  if (typeof part.text === 'string') return part.text;
  switch (part.type) {
    case 'link':
      return String(part.url);
    case 'user':
      return `@${workspace.users.get(String(part.user_id))?.name ?? part.user_id}`;
    case 'channel':
      return `#${workspace.channels.get(String(part.channel_id))?.name ?? part.channel_id}`;
    case 'usergroup':
      return `@${workspace.userGroups.get(String(part.usergroup_id))?.handle ?? part.usergroup_id}`;
    case 'broadcast':
      return `@${part.range}`;
    case 'emoji':
      return `:${part.name}:`;
    case 'date':
      return String(part.fallback ?? part.timestamp);
    default:
      return list(part.elements)
        .map((each) => readRich(each, workspace))
        .join(part.type === 'rich_text' || part.type === 'rich_text_list' ? '\n' : '');
  }
}

function readChart(chart: Loose | undefined): string {
  if (!chart) return '';
  const points = (each: unknown): string => {
    const { label, name, value, data } = each as Loose;
    return data === undefined ? `${label}: ${value}` : `${name}: ${list(data).map(points).join(', ')}`;
  };
  return lines([...list(chart.segments), ...list(chart.series)].map(points));
}

/** The names by which a person finds an element: its block's label, its button text, or its placeholder. */
export function labelsOf({ block, element }: Placed, workspace: Workspace): string[] {
  const own = [element.text?.text, element.placeholder?.text];
  const around =
    block.type === 'input'
      ? [readText(block.label, workspace)]
      : block.type === 'section' && element.type !== 'button'
        ? [readText(block.text, workspace)]
        : [];
  return [...around, ...own].filter((label) => label !== undefined && label !== '').map((label) => String(label));
}

/** The labels of buttons, and of the options in overflow menus. */
export function buttonsOf(blocks: UiBlock[]): string[] {
  return elementsOf(blocks).flatMap(({ element }) => {
    if (element.type === 'button') return [element.text?.text ?? ''];
    if (element.type === 'overflow') return ownOptionsOf(element).map((option) => option.text.text);
    return [];
  });
}
