import type { KnownBlock } from '@slack/types';
import type { Place } from '../operations/context.ts';
import type { AnyOperation } from '../operations/operation.ts';
import type { ViewMemory } from './form.ts';
import type { Recipient } from './out/outgoing.ts';

/** Somebody, as Slack names them. */
export interface SlackUser {
  userId: string;
  teamId: string;
}

/** Where something came from: who, where, and by which ways an answer can go back. */
export interface Origin extends SlackUser {
  place: Place;
  responseUrl?: string | undefined;
  triggerId?: string | undefined;
  /** The view that a button was pressed in, with what it shows; none for what is to be submitted. */
  view?: { id: string; title: string; blocks: KnownBlock[] } | undefined;
  /** Files that came with a message, newest first. */
  fileIds?: () => Promise<string[]>;
}

/** Where an answer for that person alone goes. */
export const recipientOf = (origin: Origin): Recipient => ({
  user: origin.userId,
  channel: origin.place.channelId,
  thread: origin.place.threadTs,
  responseUrl: origin.responseUrl,
});

/** What a view has to remember, so that its submission comes from the same place. */
export function memoryFor(operation: AnyOperation, origin: Origin): ViewMemory {
  return {
    operation: operation.name,
    channel: origin.place.channelId,
    thread: origin.place.threadTs,
    responseUrl: origin.responseUrl,
  };
}

/** Where a view was opened from. */
export const originOf = (memory: ViewMemory, person: SlackUser): Origin => ({
  ...person,
  place: { channelId: memory.channel, ...(memory.thread === undefined ? {} : { threadTs: memory.thread }) },
  responseUrl: memory.responseUrl,
});
