import { hideShapes } from '../secret-shapes.ts';

/** Source: Block Kit reference, 2026-11. Lengths in UTF-16 units. */
export const LIMITS = {
  messageBlocks: 50,
  viewBlocks: 100,
  /** For `text` beside blocks. Slack cuts at 40,000. */
  messageText: 39_000,
  /**
   * In bytes, for chat.update. Slack documents 4,000 characters, and refused 4,132. Bytes are safe for either count.
   */
  updateText: 4_000,
  /** For all blocks of a message. Slack’s limit is between 9,600 and 13,000 (bolt-js #2509, #2867). */
  messageBlockText: 9_000,
  /** For all data tables of a message. */
  dataTableText: 10_000,
  charts: 2,
  sectionText: 3_000,
  sectionField: 2_000,
  fieldsPerSection: 10,
  contextElements: 10,
  actionElements: 25,
  headerText: 150,
  buttonText: 75,
  confirmTitle: 100,
  buttonValue: 2_000,
  optionText: 75,
  optionValue: 150,
  options: 100,
  placeholder: 150,
  title: 24,
  label: 2_000,
  privateMetadata: 3_000,
  blockId: 255,
  plainTextInput: 3_000,
} as const;

/** Never cuts inside a surrogate pair. */
type CutInTwo = (text: string, most: number) => [string, string];

const cutAnywhere: CutInTwo = (text, most) => {
  const head = text.slice(0, most).replace(/[\ud800-\udbff]$/, '');
  return [head, text.slice(head.length)];
};

/** Splits at line ends if there are any, else by `cut`. */
export function piecesOf(text: string, most: number, cut = cutAnywhere): string[] {
  const pieces: string[] = [];
  // Kept apart, because prepending it would copy the whole rest for each piece.
  let left = '';
  let at = 0;
  while (left.length + text.length - at > most) {
    const end = at + most + 1 - left.length;
    const next = left + text.slice(at, end);
    const line = next.lastIndexOf('\n', most);
    const [head, tail] = line > most / 2 ? [next.slice(0, line), next.slice(line + 1)] : cut(next, most);
    pieces.push(head);
    left = tail;
    at = Math.min(end, text.length);
  }
  return [...pieces, left + text.slice(at)].filter((piece) => piece !== '');
}

/** In characters. No key on one line is longer. */
const LONGEST_SECRET = 5_000;

/** Never cuts inside a surrogate pair. */
export function shorten(text: string, length: number): string {
  if (text.length <= length) return text;
  // A part of a secret would not be recognised, so it is hidden before the cut.
  const whole = hideShapes(text.slice(0, length + LONGEST_SECRET));
  if (whole.length <= length && text.length <= length + LONGEST_SECRET) return whole;
  return `${whole.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
