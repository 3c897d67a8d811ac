import type { AnyBlock, KnownBlock } from '@slack/types';
import { LIMITS, shorten } from '../blocks/limits.ts';
import type { AttachedFile, Message } from '../blocks/message.ts';

/**
 * A message within Slack's limits. Nothing is dropped silently: what does not fit goes, as the whole text, into an attached
 * file, and the message says so.
 */
export function fitMessage(message: Message): Message {
  const blocks = message.blocks.flatMap(splitBlock);
  const kept: AnyBlock[] = [];
  let room: number = LIMITS.messageBlockText;
  for (const block of blocks) {
    const size = textSizeOf(block);
    if (kept.length === LIMITS.messageBlocks - 2 || (size > room && kept.length > 0)) break;
    room -= size;
    kept.push(block);
  }
  const whole = kept.length === blocks.length && message.text.length <= LIMITS.messageText;
  if (whole) return { ...message, blocks: kept };
  const file: AttachedFile = { name: 'answer.txt', title: 'The whole answer', content: message.text };
  // Buttons at the end (confirm, next page) are what people act on: they stay.
  const lost = blocks.slice(kept.length).filter((block) => block.type === 'actions');
  return {
    text: shorten(message.text, LIMITS.messageText),
    blocks: [
      ...kept,
      {
        type: 'context',
        elements: [{ type: 'mrkdwn', text: 'This is too long for Slack: the whole answer is in the attached file.' }],
      },
      ...lost.slice(-1),
    ],
    files: [...(message.files ?? []), file],
  };
}

/** Every string in a block that Slack counts. Native tables and charts have limits of their own. */
function textSizeOf(block: AnyBlock): number {
  const type: string = block.type;
  if (type === 'data_table' || type === 'data_visualization' || type === 'actions') return 0;
  let size = 0;
  JSON.stringify(block, (key, value) => {
    if (key === 'text' && typeof value === 'string') size += value.length;
    return value;
  });
  return size;
}

/** A section whose text is too long becomes several, cut at line ends; a fence is closed and opened again. */
function splitBlock(given: AnyBlock): AnyBlock[] {
  // The general `Block` of the union would hide what the known ones have.
  const block = given as KnownBlock;
  if (block.type === 'context') {
    return [
      {
        ...block,
        elements: block.elements
          .slice(0, LIMITS.contextElements)
          .map((element) =>
            element.type === 'mrkdwn' ? { ...element, text: shorten(element.text, LIMITS.sectionText) } : element,
          ),
      },
    ];
  }
  if (block.type === 'header')
    return [{ ...block, text: { ...block.text, text: shorten(block.text.text, LIMITS.headerText) } }];
  if (block.type !== 'section') return [block];
  if (block.fields !== undefined) {
    const fields = block.fields.map((field) => ({ ...field, text: shorten(field.text, LIMITS.sectionField) }));
    return [{ ...block, fields }];
  }
  const text = block.text;
  if (text === undefined || text.text.length <= LIMITS.sectionText) return [block];
  const fenced = text.text.startsWith('```');
  return pieces(text.text, LIMITS.sectionText - 10).map((piece, index, all) => {
    const opened = fenced && index > 0 ? `\`\`\`\n${piece}` : piece;
    return { ...block, text: { ...text, text: fenced && index < all.length - 1 ? `${opened}\n\`\`\`` : opened } };
  });
}

function pieces(text: string, size: number): string[] {
  const found: string[] = [];
  let rest = text;
  while (rest.length > size) {
    const line = rest.lastIndexOf('\n', size);
    const cut = line > size / 2 ? line : size - (/[\ud800-\udbff]/.test(rest[size - 1] ?? '') ? 1 : 0);
    found.push(rest.slice(0, cut));
    rest = rest.slice(rest[cut] === '\n' ? cut + 1 : cut);
  }
  return [...found, rest];
}
