/**
 * The vocabulary of tests: people who type, read, press and fill in. Nothing polls; every wait looks again at each change
 * and ends after five seconds with what there was instead.
 */

import { reloadClient, setAway } from '../built-ins.ts';
import { untilIdle } from '../changes.ts';
import { deleteText, editText, typeText } from '../compose.ts';
import { openHome } from '../events.ts';
import { runShortcut } from '../shortcuts.ts';
import type { Slack, View } from '../slack.ts';
import { stackOf } from '../views.ts';
import { isVisibleTo, type Message, type User } from '../workspace.ts';
import { type Card, createCard, textOf } from './card.ts';
import { fileId, type PickedFile } from './fill.ts';
import { createForm, describeStack, type Form, isLoading } from './form.ts';
import { matches, waitFor } from './wait-for.ts';

export type { Card } from './card.ts';

export type { Form } from './form.ts';

/** A person at one conversation. */
export interface Conversation {
  channel: string;
  /**
   * Types: a slash command when the text begins with `/`, else a message. Resolves when the bot has acked what it was
   * sent; with the message's timestamp.
   */
  type(text: string, options?: { thread?: string; files?: (PickedFile | string)[] }): Promise<string>;
  /** Changes a message of theirs, by its timestamp. Resolves when the bot has acked what it was sent. */
  edit(ts: string, text: string): Promise<void>;
  /** Takes a message of theirs away. */
  delete(ts: string): Promise<void>;
  /** Waits for a message that matches and was not seen yet, among those this person sees here; the earliest one. */
  expectMessage(pattern: RegExp | string, options?: { thread?: string }): Promise<Card>;
  /** Has seen all that is here now: only what comes from now on is expected. */
  readAll(): void;
  /** Waits until the bot is idle; fails when it posted something here that this person sees, since they last did something. */
  expectNothing(): Promise<void>;
  /** All messages of the bot that the person sees here now, oldest first. */
  readonly messages: Card[];
}

/** Somebody in the workspace, with everything that they can do. */
export interface Person {
  id: string;
  name: string;
  /** `#ops`, or `@edgewise` for the direct message. */
  in(channel: string): Conversation;
  /** Waits for a modal with this title on top of the stack; with `ready` also until it is no loading view. */
  expectModal(title: RegExp | string, options?: { ready?: boolean }): Promise<Form>;
  expectNoModal(): Promise<void>;
  openHome(): Promise<void>;
  /** The App Home as published for this person; `undefined` before that. */
  readonly home: Form | undefined;
  /** Waits until the home shows something that matches. */
  expectHome(pattern: RegExp | string): Promise<Form>;
  /** Goes away: ephemeral messages do not reach them, now or later, until they type, press or come back. */
  goAway(): void;
  comeBack(): void;
  /** Loads Slack anew: their ephemeral messages and modals are gone. */
  reload(): void;
  /** Runs a global shortcut, or with a card one on that message. */
  shortcut(callbackId: string, on?: Card): Promise<void>;
}

/** A person as a reader: everything they have seen, in all their conversations. */
interface Reader {
  slack: Slack;
  user: User;
  /** Messages that were expected, and came. */
  seen: Set<Message>;
  /** By channel: messages that were there when the person last did something. */
  known: Map<string, Set<Message>>;
}

/** A person who has read nothing yet. */
export function createPerson(slack: Slack, user: User): Person {
  const reader: Reader = { slack, user, seen: new Set(), known: new Map() };
  const conversations = new Map<string, Conversation>();
  const acted = (): void => markKnown(reader);
  const person: Person = {
    id: user.id,
    name: user.name,

    in(name) {
      const { workspace } = slack;
      const { id } = name === '@edgewise' ? workspace.directMessage(user.id) : workspace.channel(name);
      const conversation = conversations.get(id) ?? createConversation(reader, id);
      conversations.set(id, conversation);
      return conversation;
    },

    async expectModal(title, options = {}) {
      return createForm(slack, user, await waitForModal(slack, user, title, options.ready === true), acted);
    },

    async expectNoModal() {
      await untilIdle(slack);
      if (stackOf(slack, user.id).length > 0) throw new Error(describeStack(slack, user));
    },

    async openHome() {
      await openHome(slack, user);
    },

    get home() {
      const view = slack.homes.get(user.id);
      return view && createForm(slack, user, view, acted);
    },

    expectHome: (pattern) =>
      waitFor(
        slack,
        () => (person.home && matches(person.home.text, pattern) ? person.home : undefined),
        () => `the home of ${user.name} does not show ${String(pattern)}; it shows:\n${person.home?.text ?? 'nothing'}`,
      ),

    goAway: () => setAway(slack, user, true),
    comeBack: () => setAway(slack, user, false),
    reload: () => reloadClient(slack, user),

    async shortcut(callbackId, on) {
      const at = on ? { at: { channel: on.channel, ts: on.ts } } : {};
      const answer = await runShortcut(slack, user, { callbackId, ...at });
      if (!answer.ok) throw new Error(answer.error);
    },
  };
  return person;
}

function waitForModal(slack: Slack, user: User, title: RegExp | string, isReady: boolean): Promise<View> {
  return waitFor(
    slack,
    () => {
      const top = stackOf(slack, user.id).at(-1);
      if (!top) return undefined;
      const shown = top.draft.title?.text ?? '';
      const isIt = typeof title === 'string' ? shown === title : matches(shown, title);
      return isIt && !(isReady && isLoading(top, slack)) ? top : undefined;
    },
    () => `no modal “${String(title)}” came for ${user.name}: ${describeStack(slack, user)}`,
  );
}

/** The messages that the person sees in a channel now. */
function visibleIn({ slack: { workspace }, user }: Reader, channel: string): Message[] {
  return (workspace.messages.get(channel) ?? []).filter((message) => isVisibleTo(workspace, message, user.id));
}

/** The person did something: from now on, what comes to their conversations is new. */
function markKnown(reader: Reader): void {
  for (const channel of reader.known.keys()) reader.known.set(channel, new Set(visibleIn(reader, channel)));
}

function createConversation(reader: Reader, channel: string): Conversation {
  const { slack, user, seen, known } = reader;
  known.set(channel, new Set(visibleIn(reader, channel)));
  const card = (message: Message, revision: number): Card =>
    createCard(slack, user, message, revision, () => markKnown(reader));

  return {
    channel,

    async type(text, options = {}) {
      markKnown(reader);
      const files = (options.files ?? []).map((file) => fileId(slack, user, file));
      const length = slack.workspace.messages.get(channel)?.length ?? 0;
      const answer = await typeText(slack, user, { channel, text, thread: options.thread, files });
      if (!answer.ok) throw new Error(answer.error);
      const later = slack.workspace.messages.get(channel)?.slice(length);
      const own = later?.find((message) => message.user === user.id);
      if (own) seen.add(own);
      return own?.ts ?? '';
    },

    async edit(ts, text) {
      markKnown(reader);
      const answer = await editText(slack, user, { channel, ts, text });
      if (!answer.ok) throw new Error(answer.error);
    },

    async delete(ts) {
      markKnown(reader);
      const answer = await deleteText(slack, user, { channel, ts });
      if (!answer.ok) throw new Error(answer.error);
    },

    async expectMessage(pattern, options = {}) {
      const { message, revision } = await waitForMessage(reader, channel, pattern, options.thread);
      seen.add(message);
      known.get(channel)?.add(message);
      return card(message, revision);
    },

    readAll() {
      for (const message of visibleIn(reader, channel)) seen.add(message);
    },

    async expectNothing() {
      await untilIdle(slack);
      const fresh = visibleIn(reader, channel).filter(
        (message) => !known.get(channel)?.has(message) && message.user !== user.id,
      );
      if (fresh.length > 0) throw new Error(`something came:\n${textsOf(slack, fresh).join('\n---\n')}`);
    },

    get messages() {
      return visibleIn(reader, channel)
        .filter((message) => message.botId !== undefined)
        .map((message) => card(message, message.revisions.length - 1));
    },
  };
}

/** The earliest message that matches and was not seen yet, with the revision that does. */
function waitForMessage(
  reader: Reader,
  channel: string,
  pattern: RegExp | string,
  thread: string | undefined,
): Promise<{ message: Message; revision: number }> {
  const { slack, user, seen } = reader;
  const unseen = (): Message[] =>
    visibleIn(reader, channel).filter(
      (message) =>
        !seen.has(message) && message.user !== user.id && (thread === undefined || message.threadTs === thread),
    );
  return waitFor(
    slack,
    () => {
      for (const message of unseen()) {
        const revision = message.revisions.findLastIndex((each) => matches(textOf(slack, each), pattern));
        if (revision >= 0) return { message, revision };
      }
      return undefined;
    },
    () => {
      const texts = textsOf(slack, unseen()).join('\n---\n') || 'none';
      return `no message ${String(pattern)} came for ${user.name}; unseen are:\n${texts}`;
    },
  );
}

/** The texts that messages show now. */
function textsOf(slack: Slack, messages: Message[]): string[] {
  return messages.map((message) => textOf(slack, message.revisions.at(-1)!));
}
