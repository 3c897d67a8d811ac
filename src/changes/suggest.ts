import type { Option } from '../operations/argument.ts';
import { typedOption } from '../operations/arguments/resources/look-up.ts';
import type { Request } from './ask.ts';
import { contextOf, resolveContextOf } from './context.ts';
import { choosable } from './permission.ts';
import type { ChangeServices } from './services.ts';

/** The options for an argument that the person may choose; only what was typed when they cannot be had in time. */
export async function suggest(
  services: ChangeServices,
  { operation, given, actor, place }: Request,
  argument: string,
  query: string,
): Promise<Option[]> {
  const kind = operation.args[argument];
  if (kind?.suggest === undefined || !services.policy.decide(operation, actor, place).allowed) return [];
  // Slack waits three seconds for suggestions.
  const signal = AbortSignal.timeout(2_000);
  const context = resolveContextOf(operation, contextOf(services, { actor, place, signal }), given, false);
  try {
    return await Promise.race([
      kind.suggest(query, context).then((found) => choosable(services, operation, actor, place, found)),
      new Promise<never>((_, fail) => signal.addEventListener('abort', () => fail(signal.reason))),
    ]);
  } catch (error) {
    services.log.warn({ err: error, operation: operation.name, argument }, 'no suggestions');
    const typed = query.trim();
    const own = typed === '' ? undefined : typedOption(typed, (text) => kind.check(text, services.now()));
    return own === undefined ? [] : [own];
  }
}
