/** Complaints about Block Kit, as Slack's own validator words and points at them. */

/** One thing that is wrong. `pointer` is a JSON pointer into what was sent, such as `/blocks/0/text/text`. */
export interface Complaint {
  pointer: string;
  message: string;
}

/** What is wrong with a message's blocks. */
export function validateMessage(_message: {
  text?: string | undefined;
  blocks: unknown;
  attachments?: unknown;
}): Complaint[] {
  return [];
}

/** What is wrong with a view; pointers begin with `/view`. */
export function validateView(_view: unknown, _type: 'modal' | 'home'): Complaint[] {
  return [];
}

/** What is wrong with the answer to a suggestion request. */
export function validateOptions(_answer: { options?: unknown; option_groups?: unknown }): Complaint[] {
  return [];
}

/** The rest of an `invalid_blocks` answer. */
export function invalidBlocks(complaints: Complaint[]): Record<string, unknown> {
  const errors = complaints.map(({ pointer, message }) => `${message} [json-pointer:${pointer}]`);
  return { errors, response_metadata: { messages: errors.map((error) => `[ERROR] ${error}`) } };
}

/** The rest of an answer that refuses a view. */
export function viewProblem(complaints: Complaint[]): Record<string, unknown> {
  return {
    response_metadata: {
      messages: complaints.map(({ pointer, message }) => `[ERROR] ${message} [json-pointer:${pointer}]`),
    },
  };
}

/** The characters of all texts in the blocks that count towards `msg_blocks_too_long`. */
export function textLengthOf(blocks: unknown): number {
  if (Array.isArray(blocks)) return blocks.reduce((sum: number, each) => sum + textLengthOf(each), 0);
  if (typeof blocks !== 'object' || blocks === null) return 0;
  const { type, text } = blocks as { type?: unknown; text?: unknown };
  // These have totals of their own.
  if (type === 'markdown' || type === 'table' || type === 'data_table' || type === 'data_visualization') return 0;
  if (typeof text === 'string') return text.length;
  return Object.values(blocks).reduce((sum: number, each) => sum + textLengthOf(each), 0);
}
