/** Slack's numbers, kept apart from the bot's own table so that one wrong number cannot pass both. */

/** Characters of a message's `text`. */
export const MESSAGE_TEXT = 40_000;
/** Characters of all blocks of a message together; undocumented, 11.3 k was seen refused. */
export const BLOCK_TEXT_TOTAL = 11_000;
