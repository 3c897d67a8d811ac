import type { AnyBlock, Button, RichTextBlock } from '@slack/types';
import { type Beside, plainText } from './buttons.ts';
import { LIMITS } from './limits.ts';
import { bold, code, Mrkdwn, mrkdwn, mrkdwnOf, plain, visible, type Words } from './mrkdwn.ts';

/** An attachment. Never cut. */
export interface AttachedFile {
  name: string;
  content: string | Buffer;
  title?: string;
}

/** `text` says everything that the blocks say. It is plain text with entities, as `plain(…)` makes it. */
export interface Part {
  blocks: AnyBlock[];
  text: string;
  files?: AttachedFile[];
}

/** It does not know where it goes. */
export interface Message extends Part {
  /** Nothing was found, which is not worth sharing. */
  isEmpty?: boolean;
}

/** Not every Slack knows these blocks. `fallbackOf` replaces them by text. */
export const isNative = ({ type }: AnyBlock): boolean => ['data_table', 'data_visualization'].includes(type);

/** Plain words become sections. */
export function message(...parts: (Words | Part | undefined | false)[]): Message {
  const all = parts
    .filter((part) => part !== undefined && part !== false)
    .map((part) => (typeof part === 'object' && !(part instanceof Mrkdwn) ? part : section(part)));
  const files = all.flatMap((part) => part.files ?? []);
  return {
    text: all
      .map((part) => part.text)
      .filter((text) => text !== '')
      .join('\n'),
    blocks: all.flatMap((part) => part.blocks),
    ...(files.length > 0 ? { files } : {}),
  };
}

/** An answer that found nothing. */
export const nothing = (...parts: Parameters<typeof message>): Message => ({ ...message(...parts), isEmpty: true });

const textOf = (words: Words) => ({ type: 'mrkdwn' as const, text: mrkdwnOf(words), verbatim: true });

export const section = (words: Words): Part => sectionWith(words, undefined);

export const sectionWith = (words: Words, accessory: Beside | undefined): Part => ({
  blocks: [{ type: 'section', text: textOf(words), ...(accessory && { accessory }) }],
  text: plain(words),
});

/** Plain text, at most 150 characters. */
export function heading(text: string): Part {
  return { blocks: [{ type: 'header', text: plainText(text, LIMITS.headerText) }], text: plain(text) };
}

/** Small print. */
export const note = (words: Words): Part => ({
  blocks: [{ type: 'context', elements: [textOf(words)] }],
  text: plain(words),
});

/** In two columns. Pairs without a value are left out. */
export function fields(pairs: [label: string, value: Words | undefined][]): Part {
  const shown = pairs.filter((pair): pair is [string, Words] => pair[1] !== undefined && pair[1] !== '');
  const blocks: AnyBlock[] = [];
  for (let start = 0; start < shown.length; start += 10) {
    const ten = shown.slice(start, start + 10).map(([label, value]) => textOf(mrkdwn`${bold(label)}\n${value}`));
    blocks.push({ type: 'section', fields: ten });
  }
  return { blocks, text: shown.map(([label, value]) => `${plain(label)}: ${plain(value)}`).join('\n') };
}

/** Undocumented fields of an answer (see `Done.extra`), as key and value to copy. */
export function extraFields(extra: Readonly<Record<string, string>>): Part {
  // More are not read at a glance.
  const some = Object.entries(extra).slice(0, 6);
  return fields(some.map(([key, value]) => [key, code(value)]));
}

/** Uses rich text, which has no markup. */
export function codeBlock(text: string): Part {
  const shown = visible(text);
  return { blocks: shown === '' ? [] : [preformatted(shown)], text: plain(text) };
}

export const preformatted = (text: string): RichTextBlock => ({
  type: 'rich_text',
  elements: [{ type: 'rich_text_preformatted', elements: [{ type: 'text', text }] }],
});

export function actions(...buttons: (Button | undefined | false)[]): Part {
  const elements = buttons.filter((button): button is Button => typeof button === 'object');
  return elements.length === 0 ? { blocks: [], text: '' } : { blocks: [{ type: 'actions', elements }], text: '' };
}
