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
  /** Presses that are being done: by the id of a confirmation, or by what another button sends. */
  pressed: Set<string>;
}

export interface Running {
  id: string;
  /** Their Slack id: nobody else may ask how far it is, or stop it. */
  asker: string;
  operation: AnyOperation;
  controller: AbortController;
  reached: string | undefined;
  /** The message of this press shows how far it is, and becomes the answer. */
  pressed: Origin | undefined;
}

export interface SlackUser {
  userId: string;
  teamId: string;
}

export interface Origin extends SlackUser {
  place: Place;
  /** Where it is answered, if elsewhere: a change keeps the place that it was asked for in. */
  answered?: Place | undefined;
  responseUrl?: string | undefined;
  triggerId?: string | undefined;
  /** Around the button; not set for a view that is to be submitted. */
  view?: { id: string; title: string; blocks: KnownBlock[] } | undefined;
  /** Around the button. */
  message?: { ts: string; text: string; blocks: KnownBlock[] } | undefined;
  /** A request in plain words was understood as this. */
  understood?: string | undefined;
  /** A closed form, which is offered again where it could not be done. */
  isFromForm?: boolean | undefined;
  fileIds?: () => Promise<string[]>;
}
