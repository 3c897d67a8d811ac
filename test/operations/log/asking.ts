import type { Message } from '../../../src/blocks/message.ts';
import { createSummariser } from '../../../src/logs/summariser.ts';
import type { Context } from '../../../src/operations/context.ts';
import type { AnyOperation } from '../../../src/operations/operation.ts';
import { parseCommand } from '../../support/grammar.ts';
import { contextOf, NOW, prepared, type Setting } from '../performing.ts';

/** Summarises here rather than on a thread. */
const summariseLog: Context['summariseLog'] = async (source, format) => {
  const summariser = createSummariser(format);
  for await (const chunk of source) summariser.push(chunk as Buffer);
  return summariser.end();
};

/** A typed line → what the person sees. */
export async function ask(line: string, operation: AnyOperation, setting: Setting): Promise<Message> {
  const { given } = parseCommand(line, [operation], NOW);
  const context = { ...contextOf(setting), summariseLog };
  return (await prepared(operation, given, context)).run();
}
