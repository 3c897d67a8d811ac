import type { Logger } from 'pino';
import type { Words } from '../blocks/mrkdwn.ts';
import type { Spoken } from '../changes/permission.ts';
import type { Observe } from '../observe.ts';
import type { Policy } from '../policy/policy.ts';
import type { Poster } from '../reports/post.ts';
import type { AnyReport } from '../reports/report.ts';
import type { ReportAnchors } from '../store/report-anchors.ts';
import type { ReportLedger } from '../store/report-ledger.ts';
import type { Subscription, Subscriptions } from '../store/subscriptions.ts';
import type { CollectReport } from './collect.ts';

/** In words. */
export interface ChangesAround {
  before: readonly Words[];
  after: readonly Words[];
}

export interface ReportServices {
  reports: readonly AnyReport[];
  subscriptions: Subscriptions;
  ledger: ReportLedger;
  anchors: ReportAnchors;
  collect: CollectReport;
  poster: Poster;
  /** Admins stand in for owners who have left. */
  policy: Pick<Policy, 'admins'>;
  /** As its zones failed (`since`, Unix milliseconds). Undefined: not for that channel. */
  changesAround?: (
    subscription: Subscription,
    zones: Readonly<Record<string, { since: number }>>,
  ) => Promise<ChangesAround | undefined>;
  /** `address`: the workspace’s, with its slash. */
  identity?: { address?: string | undefined };
  log: Logger;
  observe?: Observe | undefined;
  /** Throws where the one who subscribed may not do so any more. */
  stillMay(subscription: Subscription): Promise<void>;
  /** Why somebody may not have this read where they asked, at this moment. */
  refusalNow(spoken: Spoken): Promise<string | undefined>;
  /** By the monotonic clock; rejects when the signal is aborted. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
  elapsed(): number;
}
