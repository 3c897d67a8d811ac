import { ForbiddenError, UsageError } from '../errors.ts';
import type { Option } from '../operations/argument.ts';
import type { Actor, Place, PolicyView, ResolveContext } from '../operations/context.ts';
import { checked, readCommand } from '../operations/grammar.ts';
import type { AnyOperation } from '../operations/operation.ts';
import { type Names, namesOf } from '../operations/policy-names.ts';
import type { ApprovalRule, Decision, Policy } from '../policy/policy.ts';

/** Whom a refusal names at most. */
const MOST = 5;

/** Asks the policy, and turns its no into words for people. */
export interface Permission {
  /**
   * Throws ForbiddenError with the rule and whom to ask. Without `values` (the resolved arguments) what could be allowed
   * for some target is let pass: call it again with them.
   */
  authorize(operation: AnyOperation, actor: Actor, place: Place, values?: Readonly<Record<string, unknown>>): Decision;
  /** Drops what the person could choose in vain. */
  choosable(operation: AnyOperation, actor: Actor, place: Place, options: Option[]): Option[];
  viewOf(actor: Actor, place: Place, context: () => ResolveContext): PolicyView;
}

export function createPermission({
  policy,
  operations,
  now,
}: {
  policy: Policy;
  operations: readonly AnyOperation[];
  now: () => Date;
}): Permission {
  const permitted = (actor: Actor, place: Place) =>
    operations.filter((operation) => policy.decide(operation, actor, place).allowed);

  return {
    authorize(operation, actor, place, values) {
      const decision = policy.decide(operation, actor, place, values === undefined ? {} : namesOf(operation, values));
      if (decision.allowed) return decision;
      const on = values === undefined ? '' : ` on ${operation.target(values)}`;
      throw new ForbiddenError(
        `You may not run ${operation.name}${on}: ${decision.rule}.`,
        decision.rule,
        hintOf(decision, actor, policy),
      );
    },

    choosable: (operation, actor, place, options) =>
      options.filter(
        ({ names }) =>
          names === undefined ||
          policy.decide(
            operation,
            actor,
            place,
            Object.fromEntries(Object.entries(names).map(([subject, words]) => [subject, [words]])),
          ).allowed,
      ),

    viewOf: (actor, place, context) => ({
      async check(line) {
        const typed = line.trim().replace(/^\/edge\s+/i, '');
        const { operation, given } = readCommand(typed, operations);
        if (given.topic !== undefined && !typed.toLowerCase().startsWith(operation.name)) {
          throw new UsageError(`“${typed}” is not a whole command.`, {
            hint: `\`/edge help ${given.topic}\` lists those that begin with it.`,
          });
        }
        checked(operation, given, now());
        const values = await valuesOf(operation, given, context());
        const decision = policy.decide(operation, actor, place, namesOf(operation, values));
        return {
          ...decision,
          operation: operation.name,
          approval: decision.approval === undefined ? undefined : approvalWords(decision.approval, actor),
          hint: decision.allowed ? undefined : hintOf(decision, actor, policy),
        };
      },
      permitted: () => permitted(actor, place),
      all: () => operations,
    }),
  };
}

/** The arguments that can be known already: those that were given, and those that were left out and may be. */
export async function valuesOf(
  operation: AnyOperation,
  given: Readonly<Record<string, string>>,
  context: ResolveContext,
): Promise<Record<string, unknown>> {
  const values: Record<string, unknown> = {};
  for (const [key, kind] of Object.entries(operation.args)) {
    const unknown = given[key] === undefined ? kind.required : kind.field.type === 'file';
    if (!unknown) values[key] = await kind.resolve(given[key], { ...context, given });
  }
  return values;
}

/** The names of the things that a command line is about, as far as they are given. */
export async function namesOfGiven(
  operation: AnyOperation,
  given: Readonly<Record<string, string>>,
  context: ResolveContext,
): Promise<Names> {
  return namesOf(operation, await valuesOf(operation, given, context));
}

/** `2 of @leads`, and who that is but the one who asks; too few of them is said too. Has Slack's mentions in it. */
export function approvalWords({ words, approvers, anybody, count }: ApprovalRule, actor: Actor): string {
  const others = approvers.filter((id) => id !== actor.id);
  const named = others.slice(0, MOST).map((id) => `<@${id}>`);
  if (!anybody && others.length < count) {
    return `${words} (besides you ${named.length === 0 ? 'there is nobody' : `there ${named.length === 1 ? 'is' : 'are'} only ${named.join(', ')}`}: too few)`;
  }
  return named.length === 0 ? words : `${words} (${named.join(', ')})`;
}

/** Whom to ask, or what to set. */
function hintOf({ whom, where }: Decision, actor: Actor, policy: Policy): string | undefined {
  if (actor.kind !== 'member') return undefined;
  if (where.length > 0)
    return `You may in ${where
      .slice(0, MOST)
      .map((id) => `<#${id}>`)
      .join(', ')}.`;
  if (whom.length > 0)
    return `Ask ${whom
      .slice(0, MOST)
      .map((id) => `<@${id}>`)
      .join(', ')}.`;
  return policy.admins.length === 0
    ? `Nobody is listed yet. Whoever runs Edgewise sets \`EDGEWISE_ADMINS=${actor.id}\` and starts it again.`
    : `Whoever runs Edgewise can change the policy.`;
}
