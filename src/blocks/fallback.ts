import type { AnyBlock } from '@slack/types';
import { chartAsText, isChart } from './chart.ts';
import { piecesOf, shorten } from './limits.ts';
import type { AttachedFile, Message } from './message.ts';
import { codeBlock, isNative, section } from './message.ts';
import { bold } from './mrkdwn.ts';
import { fileName, isTable, tableAsRecords, tableAsText, tableOf } from './table.ts';

/** Replaces native tables and charts by code blocks, and by a text file for the rest. Wide tables are shown row by row. */
export function fallbackOf(message: Message): Message {
  if (!message.blocks.some(isNative)) return message;
  const files: AttachedFile[] = [...(message.files ?? [])];
  const blocks: AnyBlock[] = [];
  const others = message.blocks.filter((block) => !isNative(block)).length;
  const native = message.blocks.length - others;
  // A native block may become a title, code blocks and a sentence about the file.
  let left = 50 - others - 2 * native;
  let room = 8_000;
  for (const block of message.blocks) {
    const twin = twinOf(block);
    if (twin === undefined) {
      blocks.push(block);
      continue;
    }
    blocks.push(...section(bold(twin.title)).blocks);
    const lines = twin.text.split('\n');
    const longest = 560;
    const shortened = lines.some((line) => line.length > longest);
    const pieces = piecesOf(lines.map((line) => shorten(line, longest)).join('\n'), 2_800);
    let used = 0;
    for (const piece of pieces) {
      const code = codeBlock(piece);
      const cost = JSON.stringify(code.blocks).length;
      if (cost > room || left <= 0) break;
      room -= cost;
      left -= 1;
      used += 1;
      blocks.push(...code.blocks);
    }
    if (used < pieces.length || shortened) {
      const name = `${fileName(twin.title)}.txt`;
      files.push({ name, content: `${twin.text}\n`, title: twin.title });
      blocks.push(...section(`${used === 0 ? 'It' : 'All of it'} is in the attached file ${name}.`).blocks);
    }
  }
  return { ...message, blocks, ...(files.length > 0 ? { files } : {}) };
}

function twinOf(block: AnyBlock): { title: string; text: string } | undefined {
  if (isTable(block)) {
    const shown = tableOf(block);
    const text = tableAsText(shown);
    // Slack wraps longer lines.
    const isTooWide = text.split('\n').some((line) => line.length > 60);
    return { title: shown.caption, text: isTooWide ? tableAsRecords(shown) : text };
  }
  if (!isChart(block)) return undefined;
  const [, ...lines] = chartAsText(block).split('\n');
  return { title: block.title, text: lines.map((line) => line.trim()).join('\n') };
}
