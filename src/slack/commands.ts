import { type Message, message, note } from '../blocks/message.ts';
import { ask, type Request } from '../changes/ask.ts';
import type { ChangeServices } from '../changes/services.ts';
import { checked, readCommand } from '../operations/grammar.ts';
import type { AnyOperation } from '../operations/operation.ts';
import { problemOf } from '../problem.ts';
import type { Answers } from './answers.ts';
import { formButton } from './buttons.ts';
import { buildForm, buildWorkingView, titleOf } from './form.ts';
import { memoryFor, type Origin } from './origin.ts';
import type { Outgoing } from './out/outgoing.ts';
import { ROTATE } from './out/secrets.ts';
import type { Underway } from './progress.ts';

/** A line that was typed, or stands on a button: it is read, and asked for. */
export type Typed = ReturnType<typeof createTyped>;

export function createTyped(services: {
  operations: readonly AnyOperation[];
  changes: ChangeServices;
  outgoing: Outgoing;
  answers: Answers;
  holdsSecret(text: string): boolean;
  requestOf(operation: AnyOperation, given: Record<string, string>, origin: Origin): Promise<Request>;
  tell(origin: Origin, text: Message): Promise<void>;
  underway: Underway;
  now: () => Date;
}) {
  const { operations, changes, outgoing, answers, holdsSecret, requestOf, tell, underway, now } = services;

  async function follow(line: string, origin: Origin): Promise<void> {
    if (holdsSecret(line)) {
      await tell(
        origin,
        message('There is a key, a token or a password in that line. Nothing was done with it.', note(ROTATE)),
      );
      return;
    }
    const { operation, given } = readCommand(line, operations);
    try {
      checked(operation, given, now());
    } catch (error) {
      await tell(origin, message(problemOf(error).message, formButton(operation, line)));
      return;
    }
    await run(operation, given, origin);
  }

  async function run(operation: AnyOperation, typed: Record<string, string>, origin: Origin): Promise<void> {
    const given = await withFiles(operation, typed, origin);
    const { missing } = checked(operation, given, now());
    const inView = origin.triggerId !== undefined && (missing.length > 0 || operation.effect === 'destructive');
    if (!inView) {
      const request = await requestOf(operation, given, origin);
      const { answer, inPlaceOf } = await underway.follow(
        operation,
        (following) => ask(changes, request, following),
        (text) => tell(origin, text),
      );
      await answers.show(answer, operation, given, inPlaceOf ?? origin, { replace: inPlaceOf !== undefined });
      return;
    }
    const viewId = await outgoing.openView(
      origin.triggerId ?? '',
      buildWorkingView(titleOf(operation), 'One moment …'),
    );
    await answers.startInView(viewId, await requestOf(operation, given, origin), given, origin);
  }

  async function openForm(line: string, origin: Origin): Promise<void> {
    const { operation, given } = readCommand(line, operations);
    if (origin.triggerId !== undefined)
      await outgoing.openView(origin.triggerId, buildForm(operation, given, memoryFor(operation, origin)));
  }

  /** A file argument that was not typed is the file in the message or the thread. */
  async function withFiles(
    operation: AnyOperation,
    given: Record<string, string>,
    origin: Origin,
  ): Promise<Record<string, string>> {
    const argument = Object.entries(operation.args).find(
      ([key, kind]) => kind.field.type === 'file' && given[key] === undefined,
    );
    if (argument === undefined || origin.fileIds === undefined) return given;
    const [newest] = await origin.fileIds();
    return newest === undefined ? given : { ...given, [argument[0]]: newest };
  }

  return { follow, run, openForm };
}
