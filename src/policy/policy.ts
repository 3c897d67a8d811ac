import type { Actor, AnyOperation } from '../operations/operation.ts';

/** Reads that show keys, customers' data or who did what: for admins only, like every change. */
export const ADMIN_READS: ReadonlySet<string> = new Set(['key list', 'database query', 'log download', 'audit list', 'audit export']);

/** Asked too often and saying too little to be worth remembering. */
export const UNAUDITED: ReadonlySet<string> = new Set(['help', 'status']);

/** Whether somebody may do something, by which rule, and whom to ask when not. */
export interface Decision {
  allowed: boolean;
  /** In words, such as `everybody reads`. */
  rule: string;
  /** Whom to ask, or what to set, in mrkdwn-free words with Slack user ids. */
  whom: { admins: readonly string[] };
}

export interface Policy {
  decide(operation: AnyOperation, actor: Actor): Decision;
  admins: readonly string[];
}

/** Default deny: members read; admins change and read what is sensitive; guests and strangers may nothing. */
export function createPolicy({ admins }: { admins: readonly string[] }): Policy {
  const isAdmin = (actor: Actor) => admins.includes(actor.id);
  const rule = (operation: AnyOperation, actor: Actor): { allowed: boolean; rule: string } => {
    if (actor.kind === 'stranger') return { allowed: false, rule: 'people of other workspaces may nothing' };
    if (actor.kind === 'guest') return { allowed: false, rule: 'guests may nothing' };
    if (isAdmin(actor)) return { allowed: true, rule: 'admins may everything' };
    if (operation.effect !== 'read') return { allowed: false, rule: 'only admins change anything' };
    if (ADMIN_READS.has(operation.name))
      return { allowed: false, rule: 'only admins read keys, data, whole logs and the audit' };
    return { allowed: true, rule: 'everybody in the workspace may read' };
  };
  return { admins, decide: (operation, actor) => ({ ...rule(operation, actor), whom: { admins } }) };
}
