/**
 * The vocabulary of tests: people who type, read, press and fill in. Nothing polls; every wait looks again at each change
 * and ends after five seconds with what there was instead.
 */

import { openHome, runShortcut } from '../block-actions.ts';
import { typeText } from '../compose.ts';
import { storeFile } from '../files.ts';
import type { Slack } from '../slack.ts';
import { isVisibleTo, type Message, type User } from '../workspace.ts';
import { type Card, createCard, textOf } from './card.ts';
import { createForm, describeStack, type Form, isLoading, type PickedFile } from './form.ts';
import { matches, until } from './wait-for.ts';

export type { Card } from './card.ts';
export type { Filling, Form, PickedFile } from './form.ts';
export type { ClickOptions } from './labels.ts';

/** A person at one conversation. */
export interface Place {
  channel: string;
  /**
   * Types: a slash command when the text begins with `/`, else a message. Resolves when the bot has acked what it was
   * sent; with the message's timestamp.
   */
  type(text: string, options?: { thread?: string; files?: (PickedFile | string)[] }): Promise<string>;
  /** Waits for a message that matches and was not seen yet, among those this person sees here; the earliest one. */
  expectMessage(pattern: RegExp | string, options?: { thread?: string }): Promise<Card>;
  /** Has seen all that is here now: only what comes from now on is expected. */
  readAll(): void;
  /** Waits until the bot is idle; fails when it posted something here that this person sees, since they last did something. */
  expectNothing(): Promise<void>;
  /** All messages of the bot that the person sees here now, oldest first. */
  readonly messages: Card[];
}

export interface Person {
  id: string;
  name: string;
  /** `#ops`, or `@edgewise` for the direct message. */
  in(channel: string): Place;
  /** Waits for a modal with this title on top of the stack; with `ready` also until it is no loading view. */
  expectModal(title: RegExp | string, options?: { ready?: boolean }): Promise<Form>;
  expectNoModal(): Promise<void>;
  openHome(): Promise<void>;
  /** The App Home as published for this person; `undefined` before that. */
  readonly home: Form | undefined;
  /** Waits until the home shows something that matches. */
  expectHome(pattern: RegExp | string): Promise<Form>;
  /** Runs a global shortcut, or with a card one on that message. */
  shortcut(callbackId: string, on?: Card): Promise<void>;
}

export function createPerson(slack: Slack, user: User, idle: () => Promise<void>): Person {
  const { core, views } = slack;
  const places = new Map<string, Place>();
  const seen = new Set<Message>();
  /** What each place does when the person did something: from then on, what comes is new. */
  const resets = new Set<() => void>();
  const acted = (): void => {
    for (const reset of resets) reset();
  };

  const place = (name: string): Place => {
    const channel = name === '@edgewise' ? core.workspace.directMessage(user.id) : core.workspace.channel(name);
    const known = places.get(channel.id);
    if (known) return known;
    const made = createPlace(slack, user, channel.id, { seen, idle, resets, acted });
    places.set(channel.id, made);
    return made;
  };
  const person: Person = {
    id: user.id,
    name: user.name,
    in: place,

    async expectModal(title, options = {}) {
      const view = await until(
        core,
        () => {
          const top = views.stack(user.id).at(-1);
          if (!top) return undefined;
          const shown = top.draft.title?.text ?? '';
          const isIt = typeof title === 'string' ? shown === title : matches(shown, title);
          return isIt && !(options.ready && isLoading(top, slack)) ? top : undefined;
        },
        () => `no modal “${String(title)}” came for ${user.name}: ${describeStack(slack, user)}`,
      );
      return createForm(slack, user, view, acted);
    },

    async expectNoModal() {
      await idle();
      if (views.stack(user.id).length > 0) throw new Error(describeStack(slack, user));
    },

    async openHome() {
      await openHome(slack, user);
    },

    get home() {
      const view = views.home(user.id);
      return view && createForm(slack, user, view, acted);
    },

    async expectHome(pattern) {
      return until(
        core,
        () => (person.home && matches(person.home.text, pattern) ? person.home : undefined),
        () => `the home of ${user.name} does not show ${String(pattern)}; it shows:\n${person.home?.text ?? 'nothing'}`,
      );
    },

    async shortcut(callbackId, on) {
      const answer = await runShortcut(slack, user, {
        callbackId,
        ...(on ? { at: { channel: on.channel, ts: on.ts } } : {}),
      });
      if (!answer.ok) throw new Error(answer.error);
    },
  };
  return person;
}

/** What the places of one person share. */
interface Shared {
  seen: Set<Message>;
  idle: () => Promise<void>;
  resets: Set<() => void>;
  acted: () => void;
}

function createPlace(slack: Slack, user: User, channel: string, { seen, idle, resets, acted }: Shared): Place {
  const { core } = slack;
  const visible = (): Message[] =>
    (core.workspace.messages.get(channel) ?? []).filter((message) => isVisibleTo(core.workspace, message, user.id));
  /** Messages that were there when the person last did something here. */
  let known = new Set(visible());
  resets.add(() => {
    known = new Set(visible());
  });
  const card = (message: Message, revision: number): Card => createCard(slack, user, message, revision, acted);

  return {
    channel,

    async type(text, options = {}) {
      acted();
      const files = (options.files ?? []).map((file) =>
        typeof file === 'string'
          ? file
          : storeFile(core, user.id, file.name, Buffer.from(file.content), file.mimetype).id,
      );
      const length = core.workspace.messages.get(channel)?.length ?? 0;
      const answer = await typeText(slack, user, { channel, text, thread: options.thread, files });
      if (!answer.ok) throw new Error(answer.error);
      const own = core.workspace.messages
        .get(channel)
        ?.slice(length)
        .find((message) => message.user === user.id);
      if (own) seen.add(own);
      return own?.ts ?? '';
    },

    async expectMessage(pattern, options = {}) {
      const isWanted = (message: Message): boolean =>
        !seen.has(message) &&
        message.user !== user.id &&
        (options.thread === undefined || message.threadTs === options.thread);
      const found = await until(
        core,
        () => {
          for (const message of visible().filter(isWanted)) {
            const revision = message.revisions.findLastIndex((each) => matches(textOf(slack, each), pattern));
            if (revision >= 0) return { message, revision };
          }
          return undefined;
        },
        () => {
          const others = visible()
            .filter(isWanted)
            .map((message) => textOf(slack, message.revisions.at(-1)!));
          return `no message ${String(pattern)} came for ${user.name}; unseen are:\n${others.join('\n---\n') || 'none'}`;
        },
      );
      seen.add(found.message);
      known.add(found.message);
      return card(found.message, found.revision);
    },

    readAll() {
      for (const message of visible()) seen.add(message);
    },

    async expectNothing() {
      await idle();
      const fresh = visible().filter((message) => !known.has(message) && message.user !== user.id);
      if (fresh.length > 0) {
        throw new Error(
          `something came:\n${fresh.map((each) => textOf(slack, each.revisions.at(-1)!)).join('\n---\n')}`,
        );
      }
    },

    get messages() {
      return visible()
        .filter((message) => message.botId !== undefined)
        .map((message) => card(message, message.revisions.length - 1));
    },
  };
}
