import type { AnyBlock, DataTableBlock } from '@slack/types';
import { chartAsText, isChart } from './chart.ts';
import { shorten } from './limits.ts';
import type { AttachedFile, Message } from './message.ts';
import { codeBlock, isNative, section } from './message.ts';
import { bold } from './mrkdwn.ts';
import { fileName, tableAsRecords, tableAsText, tableOf } from './table.ts';

/** Slack takes 3,000 characters in one section and some 12,000 in all of a message's blocks. */
const MAX_FENCE = 2800;
const MAX_FENCES = 8000;
const MAX_BLOCKS = 50;

/**
 * The same message without native tables and charts, for workspaces and clients that refuse them: code blocks, and what
 * does not fit in them in an attached text file. A message without any comes back as it is. Tables that are wider than
 * `width` characters are shown row by row, because broken lines cannot be read. Of the native blocks only those are replaced that
 * `isReplaced` says.
 */
export function fallbackOf(
  message: Message,
  width = Number.POSITIVE_INFINITY,
  isReplaced: (block: AnyBlock) => boolean = isNative,
): Message {
  if (!message.blocks.some(isReplaced)) return message;
  const files: AttachedFile[] = [...(message.files ?? [])];
  const blocks: AnyBlock[] = [];
  const others = message.blocks.filter((block) => !isReplaced(block)).length;
  const native = message.blocks.length - others;
  // Each native block may become a title, fences, and a sentence about the file.
  let fences = MAX_BLOCKS - others - 2 * native;
  let room = MAX_FENCES;
  for (const block of message.blocks) {
    const twin = isReplaced(block) ? twinOf(block, width) : undefined;
    if (twin === undefined) {
      blocks.push(block);
      continue;
    }
    blocks.push(...section(bold(twin.title)).blocks);
    const { pieces, shortened } = piecesOf(twin.text);
    let used = 0;
    for (const piece of pieces) {
      const fence = codeBlock(piece);
      const cost = JSON.stringify(fence.blocks).length;
      if (cost > room || fences <= 0) break;
      room -= cost;
      fences -= 1;
      used += 1;
      blocks.push(...fence.blocks);
    }
    if (used < pieces.length || shortened) {
      const name = `${fileName(twin.title)}.txt`;
      files.push({ name, content: `${twin.text}\n`, title: twin.title });
      blocks.push(...section(`${used === 0 ? 'It' : 'All of it'} is in the attached file ${name}.`).blocks);
    }
  }
  return { ...message, blocks, ...(files.length > 0 ? { files } : {}) };
}

const isTable = (block: AnyBlock): block is DataTableBlock => block.type === 'data_table';

function twinOf(block: AnyBlock, width: number): { title: string; text: string } | undefined {
  if (isTable(block)) {
    const shown = tableOf(block);
    const text = tableAsText(shown);
    const isTooWide = text.split('\n').some((line) => line.length > width);
    return { title: shown.caption, text: isTooWide ? tableAsRecords(shown) : text };
  }
  if (!isChart(block)) return undefined;
  const [, ...lines] = chartAsText(block).split('\n');
  return { title: block.title, text: lines.map((line) => line.trim()).join('\n') };
}

/** Whole lines, as many as fit into one fence once `&`, `<` and `>` are escaped. A longer line is cut, and that is told. */
function piecesOf(text: string): { pieces: string[]; shortened: boolean } {
  const pieces: string[] = [];
  let shortened = false;
  let piece = '';
  let length = 0;
  for (const whole of text.split('\n')) {
    shortened ||= whole.length > MAX_FENCE / 5;
    const line = shorten(whole, MAX_FENCE / 5);
    const cost = line.length + 4 * (line.match(/[&<>]/g)?.length ?? 0) + 1;
    if (length + cost > MAX_FENCE && piece !== '') {
      pieces.push(piece);
      piece = '';
      length = 0;
    }
    piece += piece === '' ? line : `\n${line}`;
    length += cost;
  }
  return { pieces: piece === '' ? pieces : [...pieces, piece], shortened };
}
