import type { Logger } from 'pino';
import { type Message, message, note } from '../blocks/message.ts';
import type { Request } from '../changes/ask.ts';
import { notified, type Recovered } from '../changes/recover.ts';
import type { ChangeServices } from '../changes/services.ts';
import type { TakenBack } from '../changes/undo.ts';
import type { Option } from '../operations/argument.ts';
import type { Reader } from '../operations/context.ts';
import type { AnyOperation } from '../operations/operation.ts';
import { problemOf } from '../problem.ts';
import type { Confirmation } from '../store/confirmations.ts';
import type { Deliveries } from '../store/deliveries.ts';
import type { Results } from '../store/results.ts';
import type { Store } from '../store/store.ts';
import { createPressed } from './actions.ts';
import { createAnswers } from './answers.ts';
import { createApprovalConversation } from './approval.ts';
import { createTyped } from './commands.ts';
import { buildShownView } from './form.ts';
import { homeOf } from './home.ts';
import { type Origin, recipientOf, type SlackUser } from './origin.ts';
import type { Outgoing } from './out/outgoing.ts';
import type { SecretFilter } from './out/secrets.ts';
import { createEnding } from './outcome.ts';
import { type People, type Person, readerOf, type WhoIs } from './people.ts';
import { createUnderway } from './progress.ts';
import { createSubmitted, type Submission, type SubmittedView } from './views.ts';

/** Slack's payloads on one side, changes on the other. Knows no operation by name. */
export interface Conversation {
  typed(line: string, origin: Origin): Promise<void>;
  pressed(action: { id: string; value: string }, origin: Origin): Promise<void>;
  /** Pure: what needs I/O is in `work`. */
  submitted(view: SubmittedView, person: SlackUser): Submission;
  closed(view: SubmittedView, person: SlackUser): Promise<void>;
  suggest(view: SubmittedView, argument: string, query: string, person: SlackUser): Promise<Option[]>;
  home(userId: string, teamId: string): Promise<void>;
  /** Nothing was begun of what came, because the store did not answer: said in the view that was sent, else to the person. */
  notBegun(origin: Origin, viewId?: string): Promise<void>;
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
  changes: ChangeServices;
  outgoing: Outgoing;
  people: People;
  results: Results;
  deliveries: Deliveries;
  approvals: Store['approvals'];
  secrets: SecretFilter;
  log: Logger;
  now: () => Date;
}

export function createConversation(services: ConversationServices): Conversation {
  const { operations, changes, outgoing, people, results, log, now } = services;
  const operationNamed = (name: string) => operations.find((operation) => operation.name === name);
  /** What was typed is in Slack's history now, for whoever can read it: the bot does nothing with it but say so. */
  const holdsSecret = (text: string) => services.secrets.hide(text) !== text;
  const tell = (origin: Origin, text: Message, options?: { replace?: boolean }) =>
    outgoing.toPerson(recipientOf(origin), text, options);

  const whoIs: WhoIs = async ({ userId, teamId }) => {
    const person = await people.find(userId, teamId);
    return { actor: person.actor, reader: readerOf(person, now()) };
  };

  async function requestOf(operation: AnyOperation, given: Record<string, string>, origin: Origin): Promise<Request> {
    return { operation, given, place: origin.place, ...(await whoIs(origin)) };
  }

  const approval = createApprovalConversation({
    changes,
    approvals: services.approvals,
    outgoing,
    log,
    tell,
  });
  const ending = createEnding({ changes, outgoing, approval, log, operationNamed, tell });
  const { announced, refreshCard } = ending;
  const underway = createUnderway({ deliveries: services.deliveries, tell, log });
  const answers = createAnswers({ changes, outgoing, underway, tell });
  const typed = createTyped({ operations, changes, outgoing, answers, underway, holdsSecret, requestOf, tell, now });
  const pressed = createPressed({ changes, outgoing, results, typed, underway, approval, ending, whoIs, tell, log });
  const { submitted, closed, suggest } = createSubmitted({
    changes,
    outgoing,
    answers,
    approval,
    ending,
    operationNamed,
    holdsSecret,
    requestOf,
    whoIs,
    guarded,
    tell,
    now,
  });

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
    typed: (line, origin) => guarded(origin, () => typed.follow(line, origin)),
    pressed: (action, origin) => guarded(origin, () => pressed(action, origin)),
    submitted(view, person) {
      const { answer, ...rest } = submitted(view, person);
      return { answer: services.secrets.hideIn(answer), ...rest };
    },
    closed,
    async suggest(...asked) {
      // Half of a value would be something else: what holds a secret is not suggested.
      const found = (await suggest(...asked)).filter(({ value }) => !holdsSecret(value));
      return services.secrets.hideIn(found);
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
        await notified(changes, id);
        await refreshCard(found.confirmation);
      }
    },

    async putBack({ original, outcome, requester, other, channel: everybody }) {
      if (outcome.kind === 'done') await announced(original, outcome.message);
      const { actor, channel, thread } = original;
      // In direct messages everybody is the requester, who is told more.
      if (everybody !== undefined && !channel.startsWith('D')) await announced(original, everybody);
      if (requester !== undefined) await outgoing.toPerson({ user: actor, channel, thread }, requester);
      if (other !== undefined) await outgoing.toPerson({ user: other.user }, other.message);
      if ('confirmation' in outcome && outcome.confirmation !== undefined)
        await notified(changes, outcome.confirmation.id);
    },

    async home(userId, teamId) {
      const person = await people.find(userId, teamId);
      const permitted = services.permitted(person);
      const more = permitted.length === 0 ? undefined : await services.onHome(readerOf(person, now()));
      await outgoing.publishHome(userId, message(homeOf(permitted), more ?? message()).blocks);
    },

    async notBegun(origin, viewId) {
      const text = message('Edgewise’s own store did not answer. Nothing was done.', note('Try again in a moment.'));
      if (viewId === undefined) await tell(origin, text);
      else await outgoing.updateView(viewId, buildShownView('Edgewise', text));
    },
  };
}
