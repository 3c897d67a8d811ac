import type { Logger } from 'pino';
import { actions, commandButton, type Message, message, note } from '../blocks/message.ts';
import { code, mrkdwn, user, written } from '../blocks/mrkdwn.ts';
import { UsageError } from '../errors.ts';
import type { AnyOperation, Option, Place, Reader } from '../operations/operation.ts';
import type { Recovered } from '../runner/aftermath.ts';
import type { Answer, Request } from '../runner/ask.ts';
import { checked, lineOf, readCommand } from '../runner/grammar.ts';
import { problemOf } from '../runner/problem.ts';
import type { Runner } from '../runner/run-operation.ts';
import type { TakenBack } from '../runner/undo.ts';
import type { Confirmation } from '../store/confirmations.ts';
import type { Results } from '../store/results.ts';
import type { Store } from '../store/store.ts';
import { createApprovalConversation, draftButtons } from './approval-conversation.ts';
import { askButtons, formButton, withShare } from './buttons.ts';
import { createEnding } from './ending.ts';
import {
  buildConfirmView,
  buildForm,
  buildShownView,
  buildWorkingView,
  givenOf,
  type InputState,
  memoryOf,
  titleOf,
  type ViewMemory,
} from './form.ts';
import { homeOf } from './home.ts';
import type { Outgoing, PersonalPlace } from './outgoing.ts';
import type { People, Person } from './people.ts';
import type { SecretFilter } from './secrets.ts';

/** After this long without an answer the person is told that work goes on, in milliseconds. */
const PATIENCE = 2_500;

const ROTATE = 'Whoever can read Slack’s history may have it now: make a new one and revoke this one.';

/** Where something came from: who, where, and by which ways an answer can go back. */
export interface Origin {
  userId: string;
  teamId: string;
  place: Place;
  responseUrl?: string | undefined;
  triggerId?: string | undefined;
  /** Files that came with a message, newest first. */
  fileIds?: () => Promise<string[]>;
}

/** A view as Slack sends it back. */
export interface SubmittedView {
  id: string;
  callback_id: string;
  private_metadata?: string | undefined;
  values: Record<string, Record<string, InputState>>;
}

/** What to acknowledge a submitted view with, and the work that follows. */
export interface Submission {
  answer:
    | { response_action: 'errors'; errors: Record<string, string> }
    | { response_action: 'update'; view: ReturnType<typeof buildWorkingView> };
  work?: () => Promise<void>;
}

/** Slack's payloads on one side, the runner on the other. Knows no operation by name. */
export interface Conversation {
  typed(line: string, origin: Origin): Promise<void>;
  pressed(action: { id: string; value: string }, origin: Origin): Promise<void>;
  /** Pure: what needs I/O is in `work`. */
  submitted(view: SubmittedView, person: { userId: string; teamId: string }): Submission;
  closed(view: SubmittedView, person: { userId: string; teamId: string }): Promise<void>;
  suggest(
    view: SubmittedView,
    argument: string,
    query: string,
    person: { userId: string; teamId: string },
  ): Promise<Option[]>;
  home(userId: string, teamId: string): Promise<void>;
  /** What waited too long has ended: those whom it concerns are told. */
  expired(confirmation: Confirmation): Promise<void>;
  /** What a process that died had left: those whom it concerns are told. */
  recovered(found: Recovered): Promise<void>;
  /** Something was put back by the clock: the channel and the requester are told. */
  putBack(end: TakenBack): Promise<void>;
}

export interface ConversationServices {
  operations: readonly AnyOperation[];
  permitted(person: Person): readonly AnyOperation[];
  /** What the Home tab shows under the commands, to those who may do anything. */
  onHome(reader: Reader): Promise<Message | undefined>;
  runner: Runner;
  outgoing: Outgoing;
  people: People;
  results: Results;
  approvals: Store['approvals'];
  secrets: SecretFilter;
  log: Logger;
  now: () => Date;
}

export function createConversation(services: ConversationServices): Conversation {
  const { operations, runner, outgoing, people, results, log, now } = services;
  const operationNamed = (name: string) => operations.find((operation) => operation.name === name);
  /** Confirmations whose button was pressed and not answered yet. */
  const pressedNow = new Set<string>();
  const personalPlaceOf = (origin: Origin): PersonalPlace => ({
    user: origin.userId,
    channel: origin.place.channelId,
    thread: origin.place.threadTs,
    responseUrl: origin.responseUrl,
  });
  const tell = (origin: Origin, text: Message, options?: { replace?: boolean }) =>
    outgoing.toPerson(personalPlaceOf(origin), text, options);

  const approval = createApprovalConversation({
    approving: runner.approving,
    approvals: services.approvals,
    outgoing,
    log,
    tell,
    told: runner.told,
  });

  const { end, announced, refreshCard, inViewOrConversation } = createEnding({
    runner,
    outgoing,
    approval,
    log,
    operationNamed,
    tell,
  });

  async function requestOf(operation: AnyOperation, given: Record<string, string>, origin: Origin): Promise<Request> {
    const person = await people.find(origin.userId, origin.teamId);
    return { operation, given, actor: person.actor, place: origin.place, reader: people.readerOf(person, now()) };
  }

  /** Runs, and says after a while that it is still running. */
  async function patiently<T>(origin: Origin, operation: AnyOperation, work: Promise<T>): Promise<T> {
    const timer = setTimeout(() => {
      tell(origin, message(note(mrkdwn`Working on ${code(operation.name)} …`))).catch((error: unknown) =>
        log.info({ err: error }, 'could not say that work goes on'),
      );
    }, PATIENCE);
    return work.finally(() => clearTimeout(timer));
  }

  async function run(operation: AnyOperation, typed: Record<string, string>, origin: Origin): Promise<void> {
    const given = await withFiles(operation, typed, origin);
    const { missing } = checked(operation, given, now());
    const inView = origin.triggerId !== undefined && (missing.length > 0 || operation.effect === 'destructive');
    if (!inView) {
      const answer = await patiently(origin, operation, runner.start(await requestOf(operation, given, origin)));
      await show(answer, operation, given, origin);
      return;
    }
    const viewId = await outgoing.openView(
      origin.triggerId ?? '',
      buildWorkingView(titleOf(operation), 'One moment …'),
    );
    await showInView(viewId, await runner.start(await requestOf(operation, given, origin)), operation, given, origin);
  }

  /** What was typed is in Slack's history now, for whoever can read it: the bot does nothing with it but say so. */
  const holdsSecret = (text: string) => services.secrets.hide(text) !== text;

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

  async function show(
    answer: Answer,
    operation: AnyOperation,
    given: Record<string, string>,
    origin: Origin,
  ): Promise<void> {
    const line = lineOf(operation, given);
    switch (answer.kind) {
      case 'result':
        return tell(origin, withShare(answer));
      case 'ask':
        if (answer.approval !== undefined) {
          return tell(origin, message(answer.message, draftButtons(answer.confirmation, answer.approval)));
        }
        // Without a trigger there is no form to type the name in: the button brings one.
        if (answer.confirmation.typedName !== undefined) {
          return tell(origin, message(answer.message, message(actions(commandButton('Continue …', line, 'danger')))));
        }
        return tell(origin, message(answer.message, askButtons(answer.confirmation.id, operation)));
      case 'form':
        return tell(
          origin,
          message(
            mrkdwn`${code(operation.name)} needs more: ${answer.missing.map((key) => operation.args[key]?.label ?? key).join(', ')}.`,
            actions(commandButton('Fill in', line, 'primary')),
          ),
        );
      case 'problem':
        return tell(
          origin,
          answer.outcome === 'usage' ? message(answer.message, formButton(operation, line)) : answer.message,
        );
    }
  }

  async function showInView(
    viewId: string,
    answer: Answer,
    operation: AnyOperation,
    given: Record<string, string>,
    origin: Origin,
  ): Promise<void> {
    const memory = memoryFor(operation, origin);
    switch (answer.kind) {
      case 'result':
        await tell(origin, withShare(answer));
        return outgoing.updateView(
          viewId,
          buildShownView(titleOf(operation), message('The answer is in the conversation.')),
        );
      case 'ask':
        if (answer.approval !== undefined) {
          await tell(origin, message(answer.message, draftButtons(answer.confirmation, answer.approval)));
          return outgoing.updateView(
            viewId,
            buildShownView(
              titleOf(operation),
              message(written(`It needs ${answer.approval.words}: go on in the conversation.`)),
            ),
          );
        }
        return outgoing.updateView(
          viewId,
          buildConfirmView(operation, answer.message, {
            ...memory,
            confirmation: answer.confirmation.id,
            typedName: answer.confirmation.typedName,
          }),
        );
      case 'form':
        return outgoing.updateView(viewId, buildForm(operation, given, memory));
      case 'problem':
        // Who may not run it needs no fields.
        return outgoing.updateView(
          viewId,
          answer.outcome === 'forbidden'
            ? buildShownView(titleOf(operation), answer.message)
            : buildForm(operation, given, memory, answer.message),
        );
    }
  }

  function memoryFor(operation: AnyOperation, origin: Origin): ViewMemory {
    return {
      operation: operation.name,
      channel: origin.place.channelId,
      thread: origin.place.threadTs,
      responseUrl: origin.responseUrl,
    };
  }

  const originOf = (memory: ViewMemory, person: { userId: string; teamId: string }): Origin => ({
    ...person,
    place: { channelId: memory.channel, ...(memory.thread === undefined ? {} : { threadTs: memory.thread }) },
    responseUrl: memory.responseUrl,
  });

  /** The button under a preview. */
  async function confirmFromMessage(id: string, origin: Origin): Promise<void> {
    const found = await runner.read(id);
    // What shows a secret needs a view, and a view needs the trigger of this very press: first the view, then the work.
    const viewId =
      found?.operation.reveal !== undefined && origin.triggerId !== undefined
        ? await outgoing.openView(origin.triggerId, buildWorkingView(titleOf(found.operation), 'Working …'))
        : undefined;
    const { actor, reader } = await pressedBy(origin);
    const own = found?.confirmation.actor === actor.id;
    // Of two presses at once the first has the preview's place to itself; the second is answered beside it.
    if (own && pressedNow.has(id)) {
      const text = message('This is being done right now. It is not done a second time.');
      await tell(origin, text);
      if (viewId !== undefined) await inViewOrConversation(viewId, found.operation, text, origin);
      return;
    }
    const mine = own && found.confirmation.state === 'asked';
    if (mine) pressedNow.add(id);
    try {
      const outcome = await runner.confirm(id, { actor, reader, claimed: () => working(found?.operation, origin) });
      await end(outcome, found?.operation, origin, viewId, (text) => tell(origin, text, { replace: mine }));
    } finally {
      if (mine) pressedNow.delete(id);
    }
  }

  /** In the preview's place, once the press counts: were it said before, a bot that dies in between would leave nothing to press. */
  async function working(operation: AnyOperation | undefined, origin: Origin): Promise<void> {
    const text = message(note(mrkdwn`Working on ${code(operation?.name ?? 'it')} …`));
    await tell(origin, text, { replace: true }).catch((error: unknown) =>
      log.info({ err: error }, 'could not say that work goes on'),
    );
  }

  /** The button that an approval brought. What is destructive still wants its name typed. */
  async function runApproved(id: string, origin: Origin): Promise<void> {
    const found = await runner.read(id);
    if (
      found?.confirmation.typedName === undefined ||
      found.confirmation.state !== 'asked' ||
      origin.triggerId === undefined
    ) {
      return confirmFromMessage(id, origin);
    }
    const { operation, confirmation } = found;
    const viewId = await outgoing.openView(origin.triggerId, buildWorkingView(titleOf(operation), 'One moment …'));
    const { actor } = await pressedBy(origin);
    const preview = await runner.preview(id, actor);
    await outgoing.updateView(
      viewId,
      preview === undefined
        ? buildShownView(titleOf(operation), message('This is not yours to run.'))
        : buildConfirmView(operation, preview, {
            ...memoryFor(operation, origin),
            confirmation: id,
            typedName: confirmation.typedName,
            keep: true,
          }),
    );
  }

  async function undo(id: string, origin: Origin): Promise<void> {
    const { actor, reader } = await pressedBy(origin);
    const taken = await runner.undoing.press(id, actor, reader);
    if (taken === undefined) {
      // Somebody else's change: the ordinary way, with a preview, and whatever the policy asks for.
      const found = await runner.read(id);
      const given = await runner.undoing.givenOf(id);
      if (found === undefined || given === undefined) {
        return tell(origin, message('The time for undoing is over.', note('Type the command that puts it back.')));
      }
      return run(found.operation, given, origin);
    }
    if ('refused' in taken) return tell(origin, taken.refused);
    const found = await runner.read(taken.original.id);
    await end(taken.outcome, found?.operation, origin, undefined, (text) => tell(origin, text));
  }

  async function pressedBy(origin: {
    userId: string;
    teamId: string;
  }): Promise<{ actor: Person['actor']; reader: Reader }> {
    const person = await people.find(origin.userId, origin.teamId);
    return { actor: person.actor, reader: people.readerOf(person, now()) };
  }

  async function share(id: string, origin: Origin): Promise<void> {
    const person = await people.find(origin.userId, origin.teamId);
    const kept = (await results.read(id, person.actor)) as Message | undefined;
    if (kept === undefined) {
      await tell(origin, message('This answer is not kept any more.', note('Repeat the command, then share it.')));
      return;
    }
    const by = message(note(mrkdwn`Shared by ${user(origin.userId)}`));
    const place = { channel: origin.place.channelId, thread: origin.place.threadTs, user: origin.userId };
    const { direct } = await outgoing.toChannel(place, message(kept, by));
    if (direct)
      await tell(
        origin,
        message(
          'I am not a member of that channel, so I sent it to you directly.',
          note('Invite me with `/invite`, then share again.'),
        ),
      );
  }

  async function guarded(origin: Origin, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const told = problemOf(error);
      if (told.reference !== undefined) log.error({ err: error, reference: told.reference }, 'unexpected error');
      await tell(origin, told.message).catch((second: unknown) =>
        log.error({ err: second }, 'the person could not be told'),
      );
    }
  }

  return {
    typed: (line, origin) =>
      guarded(origin, async () => {
        await follow(line, origin);
      }),

    pressed: ({ id, value }, origin) =>
      guarded(origin, async () => {
        const kind = id.split(':', 1)[0];
        if (kind === 'command') {
          await follow(value, origin);
        } else if (kind === 'form') await openForm(value, origin);
        else if (kind === 'confirm') await confirmFromMessage(value, origin);
        else if (kind === 'share') await share(value, origin);
        else if (kind === 'run') await runApproved(value, origin);
        else if (kind === 'undo') await undo(value, origin);
        else if (kind === 'cancel') {
          const { actor } = await pressedBy(origin);
          const found = await runner.read(value);
          await tell(origin, await runner.cancel(value, actor), { replace: found?.confirmation.actor === actor.id });
          await runner.told(value);
          if (found !== undefined) await refreshCard(found.confirmation);
        } else if (await approval.pressed(id, value, origin, (await pressedBy(origin)).actor)) return;
        else throw new UsageError('This button is not known any more.', { hint: 'Type the command again.' });
      }),

    submitted(view, person) {
      const memory = memoryOf(view);
      const operation = operationNamed(memory.operation);
      const origin = originOf(memory, person);
      const { purpose, confirmation: decided } = memory;
      if (purpose !== undefined && decided !== undefined) {
        const reason = Object.values(view.values.reason ?? {})[0]?.value?.trim() ?? '';
        return {
          answer: { response_action: 'update', view: buildWorkingView('Approval', 'Working …') },
          work: () =>
            guarded(origin, async () => {
              const { actor } = await pressedBy(person);
              const shown = await approval.reasoned(purpose, decided, reason, origin, actor);
              await outgoing.updateView(view.id, buildShownView('Approval', shown));
            }),
        };
      }
      if (operation === undefined) {
        return {
          answer: {
            response_action: 'update',
            view: buildWorkingView('Edgewise', 'This command does not exist any more.'),
          },
        };
      }
      const working: Submission['answer'] = {
        response_action: 'update',
        view: buildWorkingView(titleOf(operation), 'Working …'),
      };
      if (memory.confirmation !== undefined) {
        const { confirmation, typedName } = memory;
        const typed = Object.values(view.values.name ?? {})[0]?.value?.trim();
        if (typedName !== undefined && typed !== typedName) {
          return {
            answer: { response_action: 'errors', errors: { name: `That is not the name. Type exactly: ${typedName}` } },
          };
        }
        return {
          answer: working,
          work: () =>
            guarded(origin, async () => {
              const pressed = await pressedBy(person);
              const outcome = await runner.confirm(confirmation, {
                ...pressed,
                ...(typed === undefined ? {} : { typedName: typed }),
              });
              await end(outcome, operation, origin, view.id, async () => undefined);
            }),
        };
      }
      const given = givenOf(operation, view.values, memory);
      const secret = Object.entries(given).find(([, text]) => holdsSecret(text));
      if (secret !== undefined) {
        const complaint = `There is a key, a token or a password in here. ${ROTATE}`;
        return { answer: { response_action: 'errors', errors: { [secret[0]]: complaint } } };
      }
      try {
        checked(operation, given, now());
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        const field = error.argument ?? Object.keys(operation.args)[0] ?? 'form';
        return { answer: { response_action: 'errors', errors: { [field]: error.message.replaceAll('`', '') } } };
      }
      return {
        answer: working,
        work: () =>
          guarded(origin, async () => {
            const answer = await runner.start(await requestOf(operation, given, origin));
            await showInView(view.id, answer, operation, given, origin);
          }),
      };
    },

    async closed(view, person) {
      const { confirmation, keep } = memoryOf(view);
      if (confirmation === undefined || keep === true) return;
      const { actor } = await pressedBy(person);
      await runner.cancel(confirmation, actor);
      // The view that they closed was all there was to tell them in.
      await runner.told(confirmation);
    },

    async suggest(view, argument, query, person) {
      const memory = memoryOf(view);
      const operation = operationNamed(memory.operation);
      if (operation === undefined) return [];
      const given = givenOf(operation, view.values, memory);
      return runner.suggest(await requestOf(operation, given, originOf(memory, person)), argument, query);
    },

    expired: (confirmation) => approval.expired(confirmation),

    async recovered(found) {
      const { id, actor, team, channel, thread } = found.confirmation;
      if ('approved' in found) {
        const place = { channelId: channel, ...(thread === undefined ? {} : { threadTs: thread }) };
        await approval.resumed(found.approved, { userId: actor, teamId: team, place });
      } else {
        // In the direct messages: what stood in the channel for them alone may be gone by now.
        await outgoing.toPerson({ user: actor }, found.message);
        await runner.told(id);
        await refreshCard(found.confirmation);
      }
    },

    async putBack({ original, outcome, requester }) {
      if (outcome.kind === 'done') await announced(original, outcome.message);
      const { actor, channel, thread } = original;
      if (requester !== undefined) await outgoing.toPerson({ user: actor, channel, thread }, requester);
      if ('confirmation' in outcome && outcome.confirmation !== undefined) await runner.told(outcome.confirmation.id);
    },

    async home(userId, teamId) {
      const person = await people.find(userId, teamId);
      const permitted = services.permitted(person);
      const more = permitted.length === 0 ? undefined : await services.onHome(people.readerOf(person, now()));
      await outgoing.publishHome(userId, message(homeOf(permitted), more ?? message()).blocks);
    },
  };
}
