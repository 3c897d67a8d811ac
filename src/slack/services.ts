import type { KnownBlock } from '@slack/types';
import type { ChangeServices } from '../changes/services.ts';
import type { Place } from '../operations/context.ts';
import type { AnyOperation } from '../operations/operation.ts';
import type { Poster } from '../reports/post.ts';
import type { Subscriptions } from '../store/subscriptions.ts';
import type { SlackDirectory } from './directory.ts';
import type { HomeTabs } from './home/watch.ts';
import type { Outgoing } from './out/outgoing.ts';
import type { SecretFilter } from './out/secrets.ts';
import type { People } from './people.ts';

/** Everything that Slack's payloads are answered with. */
export interface SlackServices extends ChangeServices {
  outgoing: Outgoing;
  poster: Pick<Poster, 'tell' | 'update'>;
  subscriptions: Pick<Subscriptions, 'list' | 'end'>;
  people: People;
  directory: Pick<SlackDirectory, 'catchUp'>;
  secrets: SecretFilter;
  /** The Home tabs that were opened a moment ago. */
  homeTabs: HomeTabs;
  /** Work that people wait for in this process, by the id on its buttons. */
  running: Map<string, Running>;
  /** Presses that are being done: of a confirmation by its id, of another button by what it sends. */
  pressed: Set<string>;
}

/** Work that has not been answered yet. */
export interface Running {
  id: string;
  /** Slack id of the one who waits for it: nobody else asks how far it is, or stops it. */
  asker: string;
  operation: AnyOperation;
  controller: AbortController;
  /** How far it is, in words; undefined before anything was reported. */
  reached: string | undefined;
  /** The press whose message shows how far it is: the answer takes that message's place. */
  pressed: Origin | undefined;
}

/** Somebody, as Slack names them. */
export interface SlackUser {
  userId: string;
  teamId: string;
}

/** Where something came from: who, where, and by which ways an answer can go back. */
export interface Origin extends SlackUser {
  place: Place;
  /** Where it is answered, if elsewhere: a change keeps the place that it was asked for in. */
  answered?: Place | undefined;
  responseUrl?: string | undefined;
  triggerId?: string | undefined;
  /** The view that a button was pressed in, with its content; none for a view that is to be submitted. */
  view?: { id: string; title: string; blocks: KnownBlock[] } | undefined;
  /** The message that a button was pressed in, as Slack has it. */
  message?: { ts: string; text: string; blocks: KnownBlock[] } | undefined;
  /** The command that a request in plain words was understood as. */
  understood?: string | undefined;
  /** A form that is closed by now: what was filled in is offered again where it could not be done. */
  isFromForm?: boolean | undefined;
  /** Files that came with a message, newest first. */
  fileIds?: () => Promise<string[]>;
}
