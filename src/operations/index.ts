import { auditList } from './audit/list.ts';
import { canI } from './can-i.ts';
import { help } from './help.ts';
import type { AnyOperation } from './operation.ts';
import { status } from './status.ts';

/** Everything that the bot can do, in the order in which help shows it. */
export const operations: readonly AnyOperation[] = [auditList, canI, status, help];
