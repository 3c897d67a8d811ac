import { type Command, checked, readCommand } from '../../src/operations/grammar.ts';
import type { AnyOperation } from '../../src/operations/operation.ts';

export function parseCommand(line: string, operations: readonly AnyOperation[], now: Date): Command {
  const { operation, given } = readCommand(line, operations);
  return checked(operation, given, now);
}
