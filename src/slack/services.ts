import type { KnownBlock } from '@slack/types';
import type { Services } from '../changes/services.ts';
import type { Place } from '../operations/context.ts';
import type { AnyOperation } from '../operations/operation.ts';
import type { Poster } from '../reports/post.ts';
import type { Subscriptions } from '../store/subscriptions.ts';
import type { SlackDirectory } from './directory.ts';
import type { Outgoing } from './out/outgoing.ts';
import type { SecretFilter } from './out/secrets.ts';
import type { People } from './people.ts';

export interface Bot extends Services {
  outgoing: Outgoing;
  poster: Pick<Poster, 'tell' | 'update'>;
  subscriptions: Pick<Subscriptions, 'list' | 'end'>;
  people: People;
  directory: Pick<SlackDirectory, 'catchUp'>;
  secrets: SecretFilter;
  running: Map<string, Running>;
  /** Presses under way, by the id of the confirmation or the value of the button. */
  pressed: Set<string>;
}

export interface Running {
  id: string;
  /** Slack id. Only they may ask for the progress or stop it. */
  asker: string;
  operation: AnyOperation;
  controller: AbortController;
  reached: string | undefined;
  /** The message of this press shows the progress and then becomes the answer. */
  pressed: Origin | undefined;
}

export interface SlackUser {
  userId: string;
  teamId: string;
}

export interface Origin extends SlackUser {
  place: Place;
  /** Where the answer goes, if elsewhere: a change keeps the place where it was asked for. */
  answered?: Place | undefined;
  responseUrl?: string | undefined;
  triggerId?: string | undefined;
  /** The view around the pressed button; unset for a form. */
  view?: { id: string; title: string; blocks: KnownBlock[] } | undefined;
  /** The message around the pressed button. */
  message?: { ts: string; text: string; blocks: KnownBlock[] } | undefined;
  /** The command that plain words were understood as. */
  understood?: string | undefined;
  /** From a form that has closed. If it fails, the answer has a button that opens the form again. */
  isFromForm?: boolean | undefined;
  fileIds?: () => Promise<string[]>;
}
