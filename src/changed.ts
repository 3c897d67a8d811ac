import type { Button } from '@slack/types';
import type { Words } from './blocks/mrkdwn.ts';
import type { PlatformFailure } from './platform/errors.ts';
import type { StoredAuditEntry } from './store/audit-entry.ts';
import { MINUTE } from './time.ts';

/** In milliseconds: how late an entry of the platform’s audit may come. */
export const LATE = 30 * MINUTE;

interface Made {
  at: Date;
  /** The ids of pull zones. Empty: it concerns none, or all. */
  zones: readonly number[];
}

export interface MadeElsewhere extends Made {
  by: 'somebody else';
  /** Entries have no id: two may be alike. */
  key: string;
  actor: Words;
  /** Follows the actor: `switched force HTTPS *on → off* for …` */
  done: Words;
  /** The command that does the same. */
  operation?: string | undefined;
  /** *Put back* */
  back?: Button | undefined;
}

/** `bot`: by Edgewise, as its own audit has it. `mark`: what others say that they did. `isMissing`: the platform’s audit should have it, and does not. */
export type Changed =
  | MadeElsewhere
  | (Made & { by: 'mark'; words: Words })
  | (Made & { by: 'bot'; entry: StoredAuditEntry; isMissing?: boolean });

/** What changed on one pull zone, or anywhere, whoever did it. Up to now, or up to `to`. */
export type ReadTimeLine = (stretch: { zone?: number | undefined; from: Date; to?: Date | undefined }) => Promise<{
  /** Newest first. */
  changes: readonly Changed[];
  /** There were more than are read. */
  isCut: boolean;
  /** Why the platform’s audit is not in it, to complete a sentence. */
  unread?: string | undefined;
  /** Set if it may be there a moment later. */
  failure?: PlatformFailure | undefined;
}>;
