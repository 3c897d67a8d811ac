import type { Button } from '@slack/types';
import type { Logger } from 'pino';
import type { Words } from '../blocks/mrkdwn.ts';
import type { Spoken } from '../changes/permission.ts';
import type { Observe } from '../observe.ts';
import type { Policy } from '../policy/policy.ts';
import type { Poster } from '../reports/post.ts';
import type { AnyReport } from '../reports/report.ts';
import type { Anchors } from '../store/anchors.ts';
import type { ReportLedger } from '../store/report-ledger.ts';
import type { Subscription, Subscriptions } from '../store/subscriptions.ts';
import type { CollectReport } from './collect.ts';

export interface ChangesAround {
  /** `Began 3 min after deploy 4f2a of checkout` */
  began?: readonly Words[];
  /** The button that takes back the change that it began after. */
  back?: Button | undefined;
  before: readonly Words[];
  after: readonly Words[];
}

export interface ReportServices {
  reports: readonly AnyReport[];
  subscriptions: Subscriptions;
  ledger: ReportLedger;
  anchors: Anchors;
  collect: CollectReport;
  poster: Poster;
  /** Admins replace owners who have left. */
  policy: Pick<Policy, 'admins'>;
  /** Changes around the time that its zones failed (`since`, Unix milliseconds). Undefined: the channel may not see them. */
  changesAround?: (
    subscription: Subscription,
    zones: Readonly<Record<string, { since: number }>>,
  ) => Promise<ChangesAround | undefined>;
  /** `address`: of the workspace, with a final slash. */
  identity?: { address?: string | undefined };
  log: Logger;
  observe?: Observe | undefined;
  /** Throws if the owner may no longer subscribe. */
  stillMay(subscription: Subscription): Promise<void>;
  /** Why the person may no longer have this where they asked. */
  refusalNow(spoken: Spoken): Promise<string | undefined>;
  /** By the monotonic clock. Rejects when the signal aborts. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
  elapsed(): number;
}
