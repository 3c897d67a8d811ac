import type { AnyOperation } from './operation.ts';

/** Everything that the bot can do, in the order in which help shows it. */
export const operations: readonly AnyOperation[] = [];
