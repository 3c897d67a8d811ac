import type { Logger } from 'pino';
import { actions, commandButton, type Message, message, note, section } from '../blocks/message.ts';
import { code, mrkdwn, user } from '../blocks/mrkdwn.ts';
import { ForbiddenError, OfferError, UsageError } from '../errors.ts';
import type {
  Actor,
  AnyOperation,
  Catalogue,
  ConfiguredDatabase,
  Context,
  EnvironmentFile,
  GivenFile,
  HealthView,
  Option,
  Place,
  Preview,
  Reader,
  ResolveContext,
  State,
} from '../operations/operation.ts';
import type { Platform } from '../platform/client.ts';
import { type Policy, UNAUDITED } from '../policy/policy.ts';
import type { Confirmation } from '../store/confirmations.ts';
import type { Store } from '../store/store.ts';
import { checked, lineOf } from './grammar.ts';
import type { LogWorkers } from './log-worker-pool.ts';
import { changedMessage, previewMessage, stateWords } from './preview-message.ts';
import { type Problem, problemOf } from './problem.ts';

/** How long one operation may take, in milliseconds. Long log reads are the longest. */
const TIME_LIMIT = 10 * 60_000;
const RENEW_EVERY = 15_000;

/** Somebody asked for an operation. */
export interface Request {
  operation: AnyOperation;
  given: Record<string, string>;
  actor: Actor;
  place: Place;
  reader: Reader;
  /** Set when a button that a refusal offered was pressed: only then may an operation run that cannot be typed. */
  offered?: boolean;
}

/** What comes of asking. */
export type Answer =
  | { kind: 'result'; message: Message; shareId?: string }
  | { kind: 'ask'; confirmation: Confirmation; message: Message }
  | { kind: 'form'; missing: string[] }
  | { kind: 'problem'; message: Message; argument?: string; summary: string; outcome: Problem['outcome'] };

/** What comes of a confirmation. */
export type Outcome =
  /** Done: the message is for the channel, `reveal` for the one view of the one who asked. */
  | { kind: 'done'; confirmation: Confirmation; message: Message; reveal?: Message }
  /** Not done, or not known: for the one who pressed. `announce`: the channel should know too. */
  | { kind: 'not-done' | 'unknown'; confirmation?: Confirmation; message: Message; offer?: Answer }
  /** What was typed is not the name. The confirmation stands. */
  | { kind: 'retype'; message: string };

export type Progress = (done: number, total?: number) => void;

export interface Runner {
  /** Reads run at once; changes answer with a preview and a stored confirmation. Never throws. */
  start(request: Request, progress?: Progress): Promise<Answer>;
  /** The button (and the typed name). Runs the change at most once, whatever is pressed, repeated or restarted. Never throws. */
  confirm(
    id: string,
    pressed: { actor: Actor; reader: Reader; typedName?: string },
    progress?: Progress,
  ): Promise<Outcome>;
  cancel(id: string, actor: Actor): Promise<Message>;
  /** What the operation of a confirmation is, when the confirmation exists. */
  read(id: string): Promise<{ confirmation: Confirmation; operation: AnyOperation } | undefined>;
  suggest(request: Request, argument: string, query: string): Promise<Option[]>;
  /** Ends what a process that died had begun. */
  recover(): Promise<{ confirmation: Confirmation; message: Message }[]>;
}

export interface RunnerServices {
  operations: readonly AnyOperation[];
  platform: Platform;
  catalogue: Catalogue;
  store: Store;
  policy: Policy;
  health: HealthView;
  log: Logger;
  now: () => Date;
  file: (id: string, maxBytes: number) => Promise<GivenFile>;
  summariseLog: LogWorkers['summarise'];
  environmentFile?: EnvironmentFile | undefined;
  configuredDatabase?: ConfiguredDatabase | undefined;
  ownDatabaseHost?: string | undefined;
}

/** What an operation's arguments came to. */
interface Resolved {
  values: Record<string, unknown>;
  /** Texts that resolve to the very same things. */
  canonical: Record<string, string>;
  context: Context;
}

export function createRunner(services: RunnerServices): Runner {
  const { operations, store, policy, log, now } = services;
  const operationNamed = (name: string) => operations.find((operation) => operation.name === name);

  function authorize(operation: AnyOperation, actor: Actor): string {
    const decision = policy.decide(operation, actor);
    if (decision.allowed) return decision.rule;
    const { admins } = decision.whom;
    const hint =
      actor.kind !== 'member'
        ? undefined
        : admins.length > 0
          ? `Ask ${admins
              .slice(0, 5)
              .map((id) => `<@${id}>`)
              .join(', ')}.`
          : `Nobody is listed yet. Whoever runs Edgewise sets \`EDGEWISE_ADMINS=${actor.id}\` and starts it again.`;
    throw new ForbiddenError(`You may not run \`${operation.name}\`: ${decision.rule}.`, decision.rule, hint);
  }

  function contextOf(actor: Actor, place: Place, signal: AbortSignal, progress: Progress): Context {
    return {
      platform: services.platform,
      catalogue: services.catalogue,
      file: services.file,
      now: now(),
      signal,
      actor,
      place,
      progress,
      audit: store.audit,
      policy: {
        decide(name) {
          const operation = operationNamed(name);
          if (operation === undefined)
            throw new UsageError(`There is no command “${name}”.`, { hint: '`/edge help` lists all commands.' });
          const { allowed, rule, whom } = policy.decide(operation, actor);
          return { allowed, rule, whom: whom.admins };
        },
        permitted: () => operations.filter((operation) => policy.decide(operation, actor).allowed),
        all: () => operations,
      },
      health: services.health,
      summariseLog: (source, format) => services.summariseLog(source, format, { signal, progress }),
      ...(services.environmentFile === undefined ? {} : { environmentFile: services.environmentFile }),
      ...(services.configuredDatabase === undefined ? {} : { configuredDatabase: services.configuredDatabase }),
      ...(services.ownDatabaseHost === undefined ? {} : { ownDatabaseHost: services.ownDatabaseHost }),
    };
  }

  async function resolve(
    operation: AnyOperation,
    given: Record<string, string>,
    context: Context,
    fresh: boolean,
  ): Promise<Resolved> {
    const resolveContext: ResolveContext = { ...context, given, fresh };
    const values: Record<string, unknown> = {};
    const canonical: Record<string, string> = {};
    for (const [key, kind] of Object.entries(operation.args)) {
      try {
        values[key] = await kind.resolve(given[key], resolveContext);
      } catch (error) {
        if (!(error instanceof UsageError) || error.argument !== undefined) throw error;
        throw new UsageError(error.message, {
          ...(error.hint === undefined ? {} : { hint: error.hint }),
          argument: key,
        });
      }
      const text = kind.textOf(values[key]);
      if (text !== undefined) canonical[key] = text;
    }
    return { values, canonical, context };
  }

  const previewOf = async (operation: AnyOperation, { values, context }: Resolved): Promise<Preview> =>
    operation.preview === undefined
      ? { after: {}, unread: 'the platform does not show it' }
      : operation.preview(values, context);

  async function audit(entry: {
    operation: AnyOperation;
    actor: { id: string; teamId: string };
    channel: string;
    target: string;
    given: Record<string, string>;
    outcome: string;
    detail?: string | undefined;
    rule?: string | undefined;
    preview?: Confirmation['preview'] | undefined;
    confirmation?: string | undefined;
    reference?: string | undefined;
  }): Promise<void> {
    if (UNAUDITED.has(entry.operation.name)) return;
    await store.audit.append({
      actor: entry.actor.id,
      team: entry.actor.teamId,
      channel: entry.channel,
      operation: entry.operation.name,
      target: entry.target,
      given: entry.given,
      outcome: entry.outcome,
      detail: entry.detail ?? '',
      rule: entry.rule,
      preview: entry.preview,
      confirmation: entry.confirmation,
      reference: entry.reference,
    });
  }

  function logged(problem: Problem, error: unknown, operation: AnyOperation): void {
    if (problem.reference !== undefined) {
      log.error({ err: error, reference: problem.reference, operation: operation.name }, 'unexpected error');
    } else {
      log.debug({ operation: operation.name, outcome: problem.outcome, problem: problem.summary }, 'not done');
    }
  }

  async function problem(
    request: Request,
    error: unknown,
    target: string,
  ): Promise<Extract<Answer, { kind: 'problem' }>> {
    const { operation, actor, place, given } = request;
    const told = problemOf(error);
    logged(told, error, operation);
    if (told.outcome !== 'usage') {
      await audit({
        operation,
        actor,
        channel: place.channelId,
        target,
        given,
        outcome: told.outcome,
        detail: told.summary,
        reference: told.reference,
      });
    }
    return {
      kind: 'problem',
      message: told.message,
      summary: told.summary,
      outcome: told.outcome,
      ...(told.argument === undefined ? {} : { argument: told.argument }),
    };
  }

  async function start(request: Request, progress: Progress = () => undefined): Promise<Answer> {
    const { operation, given, actor, place } = request;
    let target = '';
    try {
      const rule = authorize(operation, actor);
      if (operation.offeredBy !== undefined && request.offered !== true) {
        throw new UsageError(
          `\`${operation.name}\` cannot be typed: a button offers it when \`${operation.offeredBy}\` was refused.`,
        );
      }
      const { missing } = checked(operation, given, now());
      if (missing.length > 0) return { kind: 'form', missing };
      const signal = AbortSignal.timeout(TIME_LIMIT);
      // A preview shows what is now, not what a list said a minute ago.
      const fresh = operation.effect !== 'read';
      const resolved = await resolve(operation, given, contextOf(actor, place, signal, progress), fresh);
      target = operation.target(resolved.values);
      if (operation.effect === 'read') {
        const result = await operation.run(resolved.values, resolved.context);
        const shown = operation.render(result, resolved.values, request.reader);
        await audit({
          operation,
          actor,
          channel: place.channelId,
          target,
          given: resolved.canonical,
          outcome: 'done',
          rule,
        });
        const { files, ...keepable } = shown;
        const shareId =
          UNAUDITED.has(operation.name) || files !== undefined ? undefined : await store.results.keep(actor, keepable);
        return { kind: 'result', message: shown, ...(shareId === undefined ? {} : { shareId }) };
      }
      const preview = await previewOf(operation, resolved);
      const confirmation = await store.confirmations.ask({
        operation: operation.name,
        given: resolved.canonical,
        target,
        ...(operation.effect === 'destructive' && resolved.canonical.force === undefined ? { typedName: target } : {}),
        preview: { before: preview.before, after: preview.after },
        actor: actor.id,
        team: actor.teamId,
        channel: place.channelId,
        ...(place.threadTs === undefined ? {} : { thread: place.threadTs }),
      });
      return { kind: 'ask', confirmation, message: previewMessage(operation, target, preview) };
    } catch (error) {
      try {
        return await problem(request, error, target);
      } catch (second) {
        log.error({ err: second }, 'the store failed while a problem was reported');
        return { kind: 'problem', message: problemOf(second).message, summary: 'the store failed', outcome: 'error' };
      }
    }
  }

  async function claimed(
    id: string,
    actor: Actor,
    typedName: string | undefined,
  ): Promise<{ confirmation: Confirmation } | { refusal: Outcome }> {
    const row = await store.confirmations.read(id);
    const refused = (text: Message, confirmation?: Confirmation) => ({
      refusal: { kind: 'not-done' as const, message: text, ...(confirmation === undefined ? {} : { confirmation }) },
    });
    if (row === undefined)
      return refused(
        message('This confirmation is not known any more. Nothing was done.', note('Repeat the command.')),
      );
    if (row.actor !== actor.id || row.team !== actor.teamId) {
      return refused(
        message(
          mrkdwn`This confirmation belongs to ${user(row.actor)}. Nothing was done.`,
          note('Type the command yourself to do it.'),
        ),
      );
    }
    if (row.state === 'asked' && row.typedName !== undefined && typedName?.trim() !== row.typedName) {
      return { refusal: { kind: 'retype', message: `Type exactly: ${row.typedName}` } };
    }
    const confirmation = await store.confirmations.claim(id, actor);
    if (confirmation !== undefined) return { confirmation };
    return refused(standing((await store.confirmations.read(id)) ?? row), row);
  }

  async function confirm(
    id: string,
    { actor, reader, typedName }: { actor: Actor; reader: Reader; typedName?: string },
    progress: Progress = () => undefined,
  ): Promise<Outcome> {
    let confirmation: Confirmation | undefined;
    try {
      const claim = await claimed(id, actor, typedName);
      if ('refusal' in claim) return claim.refusal;
      confirmation = claim.confirmation;
      return await carryOut(confirmation, actor, reader, progress);
    } catch (error) {
      // Only the store can fail here: what the platform does is caught inside.
      const told = problemOf(error);
      log.error({ err: error, reference: told.reference, confirmation: id }, 'a confirmation could not be carried out');
      return { kind: 'unknown', message: told.message, ...(confirmation === undefined ? {} : { confirmation }) };
    }
  }

  async function carryOut(
    confirmation: Confirmation,
    actor: Actor,
    reader: Reader,
    progress: Progress,
  ): Promise<Outcome> {
    const { id, target, given } = confirmation;
    const operation = operationNamed(confirmation.operation);
    if (operation === undefined) {
      await store.confirmations.settle(id, 'refused', 'the command does not exist any more');
      return {
        kind: 'not-done',
        confirmation,
        message: message('This command does not exist any more. Nothing was done.'),
      };
    }
    const place: Place = {
      channelId: confirmation.channel,
      ...(confirmation.thread === undefined ? {} : { threadTs: confirmation.thread }),
    };
    let rule: string | undefined;
    const record = (outcome: string, detail: string, reference?: string) =>
      audit({
        operation,
        actor,
        channel: place.channelId,
        target,
        given,
        outcome,
        detail,
        rule,
        preview: confirmation.preview,
        confirmation: id,
        reference,
      });
    const settle = async (state: 'done' | 'failed' | 'unknown' | 'refused', detail: string, reference?: string) => {
      await store.confirmations.settle(id, state, detail);
      await record(state, detail, reference);
    };
    const signal = AbortSignal.timeout(TIME_LIMIT);
    const renewing = setInterval(() => {
      store.confirmations.renew(id).catch((error: unknown) => log.warn({ err: error }, 'a claim could not be renewed'));
    }, RENEW_EVERY);
    let sent = false;
    let resolved: Resolved | undefined;
    try {
      rule = authorize(operation, actor);
      resolved = await resolve(operation, given, contextOf(actor, place, signal, progress), true);
      const preview = await previewOf(operation, resolved);
      if (operation.target(resolved.values) !== target || !sameState(confirmation.preview.before, preview.before)) {
        await settle('refused', 'changed since it was asked');
        const asked = confirmation.preview.before as State | undefined;
        return {
          kind: 'not-done',
          confirmation,
          message: changedMessage(target, asked, preview.before, preview.unread),
        };
      }
      if (!(await store.confirmations.send(id))) {
        return {
          kind: 'not-done',
          confirmation,
          message: standing((await store.confirmations.read(id)) ?? confirmation),
        };
      }
      sent = true;
      const result = await operation.run(resolved.values, resolved.context);
      await settle('done', '');
      return {
        kind: 'done',
        confirmation,
        message: announcement(
          operation,
          operation.render(result, resolved.values, reader),
          confirmation,
          resolved.values,
        ),
        ...(operation.reveal === undefined ? {} : { reveal: operation.reveal(result, resolved.values) }),
      };
    } catch (error) {
      const told = problemOf(error);
      logged(told, error, operation);
      if (sent && told.maybeApplied && resolved !== undefined) {
        await settle('unknown', told.summary, told.reference);
        const looked = await look(operation, confirmation, contextOf(actor, place, signal, progress));
        return { kind: 'unknown', confirmation, message: joined(told.message, looked) };
      }
      await settle('failed', told.summary, told.reference);
      const offer = error instanceof OfferError ? await offered(error, actor, place, reader) : undefined;
      return {
        kind: 'not-done',
        confirmation,
        message: joined(told.message, message(note('Nothing was changed.'))),
        ...(offer === undefined ? {} : { offer }),
      };
    } finally {
      clearInterval(renewing);
    }
  }

  /** The platform refused, and another operation can go on from there: its preview, with buttons of its own. */
  async function offered(
    { offer }: OfferError,
    actor: Actor,
    place: Place,
    reader: Reader,
  ): Promise<Answer | undefined> {
    const operation = operationNamed(offer.operation);
    if (operation === undefined) return undefined;
    return start({ operation, given: offer.given, actor, place, reader, offered: true });
  }

  /** After a lost answer: what the platform says now. Nothing runs again by itself. */
  async function look(operation: AnyOperation, confirmation: Confirmation, context: Context): Promise<Message> {
    try {
      const resolved = await resolve(operation, confirmation.given, context, true);
      const { before: present } = await previewOf(operation, resolved);
      const { before, after } = confirmation.preview;
      if (present === undefined)
        return message('The platform does not show whether it took effect. Look there before you repeat it.');
      const reached = Object.entries(after).every(([key, value]) => !(key in present) || present[key] === value);
      const known = Object.keys(after).some((key) => key in present);
      if (known && reached) return message('The platform now shows what you asked for: it took effect.');
      if (sameState(before, present))
        return message('The platform still shows the state from before: it probably did not take effect.');
      return message(section(mrkdwn`*The platform now shows*\n${stateWords(present)}`));
    } catch (error) {
      const { summary } = problemOf(error);
      if (error instanceof UsageError) return message(`The platform was looked at again: ${summary}`);
      return message(`What the platform shows now could not be read: ${summary}.`);
    }
  }

  function announcement(
    operation: AnyOperation,
    rendered: Message,
    confirmation: Confirmation,
    values: Record<string, unknown>,
  ): Message {
    const before = confirmation.preview.before as State | undefined;
    const undo =
      operation.undo !== undefined && before !== undefined
        ? operation.undo({ before, after: confirmation.preview.after as State }, values)
        : undefined;
    const line = undo === undefined ? undefined : lineOf(operation, { ...confirmation.given, ...undo });
    const by = message(note(mrkdwn`${user(confirmation.actor)} · ${code(operation.name)}`));
    return joined(rendered, by, line === undefined ? undefined : message(actions(commandButton('Undo …', line))));
  }

  /** Why a confirmation cannot be taken any more. */
  function standing(confirmation: Confirmation): Message {
    const again = note('Repeat the command if you still want it.');
    switch (confirmation.state) {
      case 'done':
        return message('This was done already. It was not done again.');
      case 'cancelled':
        return message('This was cancelled. Nothing was done.', again);
      case 'claimed':
      case 'sent':
        return message('This is being done right now. It is not done a second time.');
      case 'unknown':
        return message(
          'How this ended is not known. It is not sent a second time.',
          note('Look at the platform, then repeat the command if needed.'),
        );
      case 'failed':
      case 'refused':
        return message(`This was not done: ${confirmation.outcome ?? 'it was refused'}.`, again);
      default:
        return message('This confirmation has expired. Nothing was done.', again);
    }
  }

  return {
    start,
    confirm,
    async cancel(id, actor) {
      const done = await store.confirmations.cancel(id, actor);
      const confirmation = await store.confirmations.read(id);
      if (!done)
        return confirmation === undefined
          ? message('This confirmation is not known any more.')
          : cannotCancel(confirmation, actor, standing);
      const operation = confirmation === undefined ? undefined : operationNamed(confirmation.operation);
      if (confirmation !== undefined && operation !== undefined) {
        const { channel, target, given } = confirmation;
        await audit({ operation, actor, channel, target, given, outcome: 'cancelled', confirmation: id });
      }
      return message('Cancelled. Nothing was done.');
    },
    async read(id) {
      const confirmation = await store.confirmations.read(id);
      const operation = confirmation === undefined ? undefined : operationNamed(confirmation.operation);
      return confirmation === undefined || operation === undefined ? undefined : { confirmation, operation };
    },
    async suggest({ operation, given, actor, place }, argument, query) {
      const kind = operation.args[argument];
      if (kind?.suggest === undefined || !policy.decide(operation, actor).allowed) return [];
      const signal = AbortSignal.timeout(2_000);
      const context: ResolveContext = { ...contextOf(actor, place, signal, () => undefined), given, fresh: false };
      try {
        return await Promise.race([
          kind.suggest(query, context),
          new Promise<Option[]>((settle) => signal.addEventListener('abort', () => settle([]), { once: true })),
        ]);
      } catch (error) {
        log.warn({ err: error, operation: operation.name, argument }, 'no suggestions');
        return [];
      }
    },
    async recover() {
      const abandoned = await store.confirmations.abandoned();
      return Promise.all(
        abandoned.map(async (confirmation) => {
          const operation = operationNamed(confirmation.operation);
          const actor: Actor = { id: confirmation.actor, teamId: confirmation.team, kind: 'member' };
          const place: Place = { channelId: confirmation.channel };
          const { channelId } = place;
          const { target, given, id } = confirmation;
          if (operation !== undefined) {
            const outcome = confirmation.state;
            await audit({
              operation,
              actor,
              channel: channelId,
              target,
              given,
              outcome,
              detail: 'the bot stopped in between',
              confirmation: id,
            });
          }
          const what = mrkdwn`${code(confirmation.operation)} on ${code(target)}`;
          if (confirmation.state === 'failed' || operation === undefined) {
            return {
              confirmation,
              message: message(
                mrkdwn`Edgewise stopped before it sent ${what}. Nothing was done.`,
                note('Repeat the command if you still want it.'),
              ),
            };
          }
          const looked = await look(
            operation,
            confirmation,
            contextOf(actor, place, AbortSignal.timeout(30_000), () => undefined),
          );
          return {
            confirmation,
            message: joined(
              message(mrkdwn`Edgewise stopped while it was doing ${what}. The outcome is unknown.`),
              looked,
            ),
          };
        }),
      );
    },
  };
}

function cannotCancel(confirmation: Confirmation, actor: Actor, standing: (one: Confirmation) => Message): Message {
  if (confirmation.actor !== actor.id) return message(mrkdwn`Only ${user(confirmation.actor)} can cancel this.`);
  return standing(confirmation);
}

function joined(...messages: (Message | undefined)[]): Message {
  return message(...messages.filter((one) => one !== undefined).map((one) => ({ ...one })));
}

/** Equal as data, whatever the order of the fields. Two unknown states are equal: nothing says that something changed. */
function sameState(a: Record<string, unknown> | undefined, b: Record<string, unknown> | undefined): boolean {
  return canonical(a) === canonical(b);
}

function canonical(state: Record<string, unknown> | undefined): string {
  if (state === undefined) return '';
  const entries = Object.entries(state).filter(([, value]) => value !== undefined);
  return JSON.stringify(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
