/** A message in the hands of the person who sees it. */

import type { Slack } from '../slack.ts';
import type { UiBlock } from '../ui-types.ts';
import { currentOf, type Message, type Revision, type User } from '../workspace.ts';
import { type ClickOptions, chooseLabel, clickLabel } from './labels.ts';
import { buttonsOf, readBlocks, readMrkdwn } from './shown-text.ts';
import { matches, waitFor } from './wait-for.ts';

/** Everything that a person reads in a message and does with it. */
export interface Card {
  ts: string;
  channel: string;
  /** The root's timestamp when the message is a reply. */
  thread: string | undefined;
  ephemeral: boolean;
  /** The name of the author. */
  author: string;
  /** Everything it shows now, without markup. */
  readonly text: string;
  /** The `text` beside the blocks, as the bot wrote it. */
  readonly fallback: string;
  readonly blocks: UiBlock[];
  readonly buttons: string[];
  readonly files: { id: string; name: string; title: string; text: string }[];
  readonly isGone: boolean;
  /** The message's record in the emulator. */
  message: Message;
  /** Presses a button or an overflow option by its label; resolves when the bot has acked. */
  click(label: string | RegExp, options?: ClickOptions): Promise<void>;
  /** Chooses an option in a menu by the menu's label (or placeholder) and the option's text. */
  select(label: string, option: string | string[]): Promise<void>;
  /** Waits until the message changes to something that matches; looks at every change since it was last seen. */
  expectChange(pattern: RegExp | string): Promise<Card>;
  /** Waits until the message is deleted. */
  expectGone(): Promise<void>;
  /** Waits for whichever comes first. False: it was deleted. */
  expectChangeOrGone(pattern: RegExp | string): Promise<boolean>;
}

/** The text that a revision shows a person. */
export function textOf(slack: Slack, revision: Revision): string {
  const { workspace } = slack;
  const shown = readBlocks(revision.blocks, workspace);
  return shown === '' ? readMrkdwn(revision.text, workspace) : shown;
}

/** `seen` is the index of the revision that was matched; `acted` is called when the person does something. */
export function createCard(slack: Slack, user: User, message: Message, seen: number, acted: () => void): Card {
  let seenRevision = seen;
  const at = { channel: message.channel, ts: message.ts };
  const card: Card = {
    ...at,
    message,
    thread: message.threadTs,
    ephemeral: message.ephemeralTo !== undefined,
    author: slack.workspace.users.get(message.user)?.name ?? 'slackbot',
    get text() {
      return textOf(slack, currentOf(message));
    },
    get fallback() {
      return currentOf(message).text;
    },
    get blocks() {
      return currentOf(message).blocks;
    },
    get buttons() {
      return buttonsOf(card.blocks);
    },
    get files() {
      return message.files.flatMap((id) => {
        const file = slack.workspace.files.get(id);
        return file ? [{ id, name: file.name, title: file.title, text: file.bytes.toString('utf8') }] : [];
      });
    },
    get isGone() {
      return message.isDeleted;
    },
    async click(label, options = {}) {
      acted();
      const blocks = options.stale ? message.revisions.flatMap((revision) => revision.blocks) : card.blocks;
      await clickLabel(slack, user, { at, blocks }, label, options);
    },
    async select(label, option) {
      acted();
      await chooseLabel(slack, user, { at, blocks: card.blocks }, label, option);
    },
    async expectChange(pattern) {
      const found = await waitFor(
        slack,
        () => {
          for (let index = seenRevision + 1; index < message.revisions.length; index += 1) {
            if (matches(textOf(slack, message.revisions[index]!), pattern)) return index;
          }
          return undefined;
        },
        () =>
          `the message did not change to ${String(pattern)}; it shows:\n${card.text}${message.isDeleted ? '\n(deleted)' : ''}`,
      );
      seenRevision = found;
      return card;
    },
    async expectChangeOrGone(pattern) {
      const found = await waitFor(
        slack,
        () => {
          for (let index = seenRevision + 1; index < message.revisions.length; index += 1) {
            if (matches(textOf(slack, message.revisions[index]!), pattern)) return index;
          }
          return message.isDeleted ? -1 : undefined;
        },
        () => `the message neither changed to ${String(pattern)} nor went away; it shows:\n${card.text}`,
      );
      if (found >= 0) seenRevision = found;
      return found >= 0;
    },
    async expectGone() {
      await waitFor(
        slack,
        () => (message.isDeleted ? true : undefined),
        () => `the message is still there:\n${card.text}`,
      );
    },
  };
  return card;
}
