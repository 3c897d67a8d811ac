import { type Message, message } from '../blocks/message.ts';
import { bold, mrkdwn, type Words } from '../blocks/mrkdwn.ts';
import type { AuditField } from '../platform/audit-diff.ts';
import type { EdgeScript } from '../platform/resources/edge-scripts.ts';
import type { PullZone } from '../platform/resources/pull-zones.ts';
import type { UserAuditEntry } from '../platform/resources/user-audit.ts';
import type { Command, Effect } from '../policy/names.ts';
import type { ArgumentKind, Given, ValuesOf } from './argument.ts';
import type { Context, Reader } from './context.ts';

/** Grammar, help, form, permission, preview and audit read its fields. */
interface Definition<A extends Record<string, ArgumentKind<unknown>>, R> {
  /** What follows `/edge`. Also its name in the audit and the policy. */
  name: string;
  summary: string;
  /** Comma lists. The help and plain words find the operation by them. */
  synonyms?: { verbs?: string; nouns?: string };
  /** `write` and `destructive` show a preview and ask. `destructive` also asks for the typed name. */
  effect: Effect;
  args: A;
  /** Command lines to copy, without `/edge`. */
  examples?: readonly string[];
  /** The title of its form, if not the name with a capital. */
  title?: string;
  /** Whether every member may run it anywhere. Without it the policy decides. */
  permission?: Command['permission'];
  /** Too frequent: it has no audit entry, and its answer cannot be shared. */
  audited?: 'never';
  /** An empty line means this operation. So does a noun alone, which is then its first argument. */
  alsoTyped?: 'as nothing or a noun';
  /** The label of its button for people who do not know what to type. They see the first three that they may run. */
  toTry?: string;
  /** Fewer cache hits after it are expected. */
  emptiesCache?: true;
  /** It keeps some visitors out, so that the ten minutes after it tell of the others. */
  keepsOut?: true;
  /** Why it lacks a flag that other changes have. `own`: its argument that does the same. */
  without?: Readonly<Record<string, { why: string; own?: string | undefined } | undefined>>;
  /** It reads with a new token, which the platform’s audit has. */
  makesToken?: true;
  /** The name of what it reads or changes, if not that of its first argument with a name. */
  target?(args: ValuesOf<A>): string;
  /** What has to be typed to confirm it, if not the target. */
  typed?(args: ValuesOf<A>): string;
  /** Required of every change. */
  words?(change: StatedChange): ChangeWords;
  /** Required of every change. */
  preview?(args: ValuesOf<A>, context: Context): Promise<Preview> | Preview;
  /** Read for the question, never compared. */
  preflight?(args: ValuesOf<A>, context: Context): Promise<Preflight>;
  /** Changes with the same one take turns, in all replicas: what they read and write again, the platform does not compare. */
  turn?(args: ValuesOf<A>): string;
  /** Does it. Cannot ask or reply. */
  run(args: ValuesOf<A>, context: Context): Promise<R>;
  /** Without it nothing is said beside `words`. */
  render?(result: R, args: ValuesOf<A>, reader: Reader): Message;
  /** The part that *Share* shows. Undefined: everybody has read it already. */
  shareable?(result: R): Message | undefined;
  /** The only view that shows new secrets, once, to the person who asked. */
  reveal?(result: R, args: ValuesOf<A>): Message | undefined;
  /** The operation that completes it. Doing that on the same target removes the buttons of its message. */
  completedBy?: string;
  /** Advice if the outcome is unknown. */
  whenUnknown?(given: Given): Message;
  /** The same change by this command, if the platform’s audit tells of one. */
  elsewhere?(logged: Logged): StatedChange | undefined;
  /** Arguments of the same operation that restore the state before. */
  undo?(states: { before: State; after: State }, args: ValuesOf<A>): Given;
}

export type Operation<A extends Record<string, ArgumentKind<unknown>>, R> = Definition<A, R> &
  Required<Pick<Definition<A, R>, 'target' | 'render'>>;

export type State = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** A change as it is stored. */
export interface StatedChange {
  target: string;
  given: Given;
  before?: State | undefined;
  after: State;
}

/** A change that the platform’s audit has. */
export interface Logged {
  entry: UserAuditEntry;
  /** The zones that it changes. */
  zones: readonly PullZone[];
  script?: EdgeScript | undefined;
  shieldZoneId?: number | undefined;
  /** The first field with such a name. */
  field(name: RegExp): AuditField | undefined;
}

export interface ChangeWords {
  /** `Switch off` */
  button: string;
  /** `Switch force HTTPS *off* for …` */
  title: Words;
  /** Follows the name of whoever did it: `switched force HTTPS *on → off* for …` */
  done: Words;
}

/** For operations whose words differ only in the verb: `Delete`, `deleted`, `the application …`. */
export const wordsWith = (verb: string, past: string, rest: Words, button = verb): ChangeWords => ({
  button,
  title: mrkdwn`${verb} ${rest}`,
  done: mrkdwn`${past} ${rest}`,
});

/** `*on → off*`, or `*off*` if the state before is unknown. */
export const fromTo = (from: State[string], to: string): Words =>
  bold(from === undefined || from === null ? to : `${from} → ${to}`);

/** Shown before asking, and read again at the confirmation. */
export interface Preview {
  /** Undefined: the platform does not show it. `unread` says why. */
  before?: State | undefined;
  after: State;
  unread?: string | undefined;
  warnings?: string[];
  /** It shows what not everybody may read, so the audit records who saw it. */
  isRead?: boolean;
  /** The incident of its zone. */
  trouble?: Message;
  /** Why it would do harm now. */
  worsens?: string | undefined;
  /** Not compared at the confirmation. */
  details?: Message;
}

export const warningsOf = (...all: (string | false | undefined)[]): string[] =>
  all.filter((one) => typeof one === 'string');

/** For what is slower to read than a preview. Never compared. */
export type Preflight = Pick<Preview, 'warnings' | 'details' | 'worsens'>;

/** For the registry, the grammar and `changes/`. */
export type AnyOperation = Operation<Record<string, ArgumentKind<unknown>>, unknown>;

/** Infers the types of `args` for `run`, `preview` and `render`. */
export function defineOperation<A extends Record<string, ArgumentKind<unknown>>, R>(
  definition: Definition<A, R>,
): Operation<A, R> {
  const [key, named] = Object.entries(definition.args).find(([, { called }]) => called !== undefined) ?? [];
  if (definition.target === undefined && named === undefined)
    throw new Error(`${definition.name} has neither a target nor an argument that is called something.`);
  const target = (values: ValuesOf<A>) => named?.called?.(values[key as keyof A] as never) ?? definition.name;
  return { target, render: () => message(), ...definition };
}
