import type { AnyBlock, KnownBlock, View } from '@slack/types';
import { fallbackOf } from '../../blocks/fallback.ts';
import { LIMITS, piecesOf, shorten } from '../../blocks/limits.ts';
import { type AttachedFile, type Message, note, preformatted } from '../../blocks/message.ts';
import { mrkdwnPieces, shortenMrkdwn, unescaped } from '../../blocks/mrkdwn.ts';

export type TextLimits = Readonly<Record<'messageBlockText' | 'messageText', number>>;

/** A message that is too long gets its whole text as an attached file, and says so. */
export function fitMessage(message: Message, limits: TextLimits = LIMITS): Message {
  const native = fitNative(message);
  const { blocks, isWhole } = fitBlocks(native.blocks);
  const kept: AnyBlock[] = [];
  let room = limits.messageBlockText;
  for (const block of blocks) {
    room -= countedTextOf(block);
    // Keeps room for the note, the file, and the last row of buttons.
    if (kept.length === LIMITS.messageBlocks - 3 || room < 0) break;
    kept.push(block);
  }
  if (isWhole && kept.length === blocks.length && native.text.length <= limits.messageText) {
    return { ...native, blocks: kept };
  }
  const file: AttachedFile = { name: 'answer.txt', title: 'The whole answer', content: unescaped(native.text) };
  // People act on the last buttons (confirm, next page).
  const lost = blocks.slice(kept.length).filter((block) => block.type === 'actions');
  return {
    text: shortenMrkdwn(native.text, limits.messageText),
    blocks: [
      ...kept,
      ...note('This is too long for Slack: the whole answer is in the attached file.').blocks,
      ...lost.slice(-1),
    ],
    files: [...(native.files ?? []), file],
  };
}

/** Splits long blocks and drops empty ones. `isWhole` is false if something was shortened. */
export function fitBlocks(given: readonly AnyBlock[]): { blocks: AnyBlock[]; isWhole: boolean } {
  let isWhole = true;
  const cut: Cut = ({ type, text }, most) => {
    isWhole &&= text.length <= most;
    return type === 'mrkdwn' ? shortenMrkdwn(text, most) : shorten(text, most);
  };
  // The general `Block` of the union would hide the fields of the known ones.
  const blocks = (given as readonly KnownBlock[]).flatMap((block) => fitBlock(block, cut));
  return { blocks, isWhole };
}

export function fitView(view: View): View {
  const { blocks } = fitBlocks(fallbackOf({ text: '', blocks: view.blocks }).blocks);
  if (blocks.length <= LIMITS.viewBlocks) return { ...view, blocks };
  return {
    ...view,
    blocks: [...blocks.slice(0, LIMITS.viewBlocks - 1), ...note('There is more than Slack can show here.').blocks],
  };
}

type Cut = (text: { type: string; text: string }, most: number) => string;

function fitBlock(block: KnownBlock, cut: Cut): AnyBlock[] {
  switch (block.type) {
    case 'context': {
      const elements = block.elements
        .filter((element) => element.type === 'image' || element.text !== '')
        .map((element) =>
          element.type === 'image' ? element : { ...element, text: cut(element, LIMITS.sectionText) },
        );
      return grouped(elements, LIMITS.contextElements).map((group) => ({ ...block, elements: group }));
    }
    case 'header':
      return block.text.text === ''
        ? []
        : [{ ...block, text: { ...block.text, text: cut(block.text, LIMITS.headerText) } }];
    case 'actions': {
      // A shortened command would be another command.
      const elements = block.elements
        .filter((element) => element.type !== 'button' || (element.value?.length ?? 0) <= LIMITS.buttonValue)
        .map(withLabel);
      return [
        ...groupsOf(withOwnIds(elements), LIMITS.actionElements).map((group) => ({ ...block, elements: group })),
        ...(elements.length < block.elements.length
          ? note('A button is missing here: its command is too long for one. Please type it.').blocks
          : []),
      ];
    }
    case 'section': {
      const { text, fields = [], ...rest } = block;
      const shown = fields
        .filter((field) => field.text !== '')
        .map((field) => ({ ...field, text: cut(field, LIMITS.sectionField) }));
      const paragraphs = text === undefined || text.text === '' ? [] : mrkdwnPieces(text.text, LIMITS.sectionText);
      // Elements beside a paragraph stay with its first piece.
      return [
        ...paragraphs.map((piece, index) => ({
          ...(index === 0 ? rest : { type: block.type }),
          text: { ...text!, text: piece },
        })),
        ...grouped(shown, LIMITS.fieldsPerSection).map((group) => ({ type: block.type, fields: group })),
      ];
    }
    case 'rich_text': {
      const [code] = block.elements;
      const text =
        code?.type === 'rich_text_preformatted' && code.elements[0]?.type === 'text' ? code.elements[0].text : '';
      return text.length <= LIMITS.sectionText ? [block] : piecesOf(text, LIMITS.sectionText).map(preformatted);
    }
    case 'data_table':
      return [{ ...block, caption: block.caption === '' ? '–' : shorten(block.caption, LIMITS.sectionText) }];
    default:
      return [block];
  }
}

/** A message may have two charts and a limited text in data tables. The rest becomes text. */
function fitNative(message: Message): Message {
  let charts = 0;
  let room: number = LIMITS.dataTableText;
  const files: AttachedFile[] = [...(message.files ?? [])];
  const blocks = message.blocks.flatMap((block) => {
    const type: string = block.type;
    if (type === 'data_visualization') charts += 1;
    if (type === 'data_table') room -= textIn(block);
    const fits = type === 'data_visualization' ? charts <= LIMITS.charts : type !== 'data_table' || room >= 0;
    if (fits) return [block];
    if (type === 'data_table') room += textIn(block);
    const plain = fallbackOf({ text: '', blocks: [block] });
    files.push(...(plain.files ?? []));
    return plain.blocks;
  });
  return { ...message, blocks, ...(files.length > 0 ? { files } : {}) };
}

function grouped<T extends { type: string; text?: string }>(items: readonly T[], most: number): T[][] {
  const groups: T[][] = [];
  let room = 0;
  for (const item of items) {
    const size = item.text?.length ?? 0;
    const last = groups.at(-1);
    if (last === undefined || last.length === most || size > room) {
      groups.push([item]);
      room = LIMITS.sectionText - size;
    } else {
      last.push(item);
      room -= size;
    }
  }
  return groups;
}

type ActionElement = Extract<KnownBlock, { type: 'actions' }>['elements'][number];

function withLabel(element: ActionElement): ActionElement {
  if (element.type !== 'button') return element;
  const text = element.text.text === '' ? '–' : shorten(element.text.text, LIMITS.buttonText);
  return { ...element, text: { ...element.text, text } };
}

function groupsOf<T>(items: readonly T[], most: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / most) }, (_, index) =>
    items.slice(index * most, (index + 1) * most),
  );
}

/** Slack wants unique action ids in a block. The bot ignores everything after the first colon. */
function withOwnIds<T extends { action_id?: string }>(elements: readonly T[]): T[] {
  const seen = new Set<string>();
  return elements.map((element, index) => {
    const { action_id } = element;
    if (action_id === undefined || !seen.has(action_id)) {
      if (action_id !== undefined) seen.add(action_id);
      return element;
    }
    const suffix = `${action_id.includes(':') ? '' : ':'}~${index}`;
    const own = `${action_id.slice(0, LIMITS.blockId - suffix.length)}${suffix}`;
    seen.add(own);
    return { ...element, action_id: own };
  });
}

/** Text of native tables and charts is limited separately. */
function countedTextOf(block: AnyBlock): number {
  const type: string = block.type;
  return type === 'data_table' || type === 'data_visualization' || type === 'actions' ? 0 : textIn(block);
}

function textIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let size = 0;
  for (const [name, item] of Object.entries(value)) {
    size += name === 'text' && typeof item === 'string' ? item.length : textIn(item);
  }
  return size;
}
