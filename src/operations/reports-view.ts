import type { Button } from '@slack/types';
import type { Reading } from '../blocks/format.ts';
import type { Message } from '../blocks/message.ts';
import type { BrokenNow, Doubt, Seen, ToldIncident } from '../reports/report.ts';
import type { Subscription, SubscriptionSettings } from '../store/subscriptions.ts';

export interface ReportListing {
  name: string;
  summary: string;
  /** Commands that whoever gets it also has to be allowed. */
  needs?: readonly string[] | undefined;
  /** The default, as cron. */
  schedule: string;
  /** Thresholds with their defaults. */
  thresholds: Readonly<Record<string, number>>;
}

export interface ChannelRef {
  id: string;
  /** With `#`, or the id if the name is unknown. */
  name: string;
  /** False: the bot cannot post there. */
  member?: boolean | undefined;
  archived?: boolean | undefined;
  /** Whether people of other organisations are in it (Slack Connect). A text: why Slack does not say. */
  external: boolean | string;
}

export interface Channels {
  find(text: string, options?: { fresh: boolean }): Promise<ChannelRef | undefined>;
  /** `#ops`, or the id if the name is unknown. */
  nameOf(id: string): Promise<string>;
}

export interface ListedSubscription extends Subscription {
  channelName: string;
  /** Without it the id is shown. */
  mutedByName?: string | undefined;
  /** Troubles marked as no problem, in words. */
  dismissed: readonly string[];
}

/** In a channel the details go into the thread. */
export interface MadeReport {
  message: Message;
  details?: Message | undefined;
}

export interface ShownIncident extends Pick<Message, 'text' | 'blocks'> {
  ts: string;
}

export interface ShownTrouble extends BrokenNow {
  channelName?: string | undefined;
  /** Who is on it. */
  by?: string | undefined;
  troubles: readonly (BrokenNow['troubles'][number] & {
    name?: string | undefined;
    words: string;
    /** Of its requests that fail. */
    share?: number | undefined;
    /** A few failed since its last failure beyond the usual. */
    isUsual?: boolean;
    /** Mostly plain HTTP arrives. */
    isPlainHttp?: boolean | undefined;
    /** The figure of the statistics that shows it. */
    measure?: string | undefined;
    /** A button to what shows it, if that is not its errors. */
    look?: Button | undefined;
  })[];
}

export type ReportSelection = Pick<SubscriptionSettings, 'targets' | 'include' | 'exclude' | 'thresholds'>;

export interface ReportsView {
  all(): readonly ReportListing[];
  /** Without those that have ended. */
  subscriptions(): Promise<ListedSubscription[]>;
  subscribe(settings: SubscriptionSettings): Promise<ListedSubscription>;
  /** False: it had ended. */
  unsubscribe(id: number): Promise<boolean>;
  mute(id: number, until: Date | 'changed', by: string): Promise<boolean>;
  /** False: it was not muted. */
  unmute(id: number): Promise<boolean>;
  /** Troubles of the current incidents, or of that zone's. */
  incident(id: number, zone?: string): Promise<ShownTrouble['troubles'] | undefined>;
  /** The current incidents. */
  incidents(): Promise<ShownTrouble[]>;
  /** By zone: what is not worth a message yet. */
  doubts(): Promise<readonly (Doubt & Pick<ShownTrouble['troubles'][number], 'asOf'>)[]>;
  /** By zone, of a look of the last minutes; until when logs and statistics were looked at, in Unix milliseconds. */
  seen(): Promise<{
    zones: Readonly<Record<string, Seen>>;
    logs?: number | undefined;
    statistics?: number | undefined;
  }>;
  /** What ended within the hour, the newest first. */
  recovered(): Promise<readonly Omit<ToldIncident, 'words' | 'isOver'>[]>;
  /** Who is on the current incident, in whatever channel they said so. Undefined: there is none. `thread`: `shown` is a reply. `isOver`: somebody may be on it already. */
  take(
    id: number,
    by: string,
    press: { shown?: ShownIncident | undefined; thread?: string | undefined; isOver: boolean },
  ): Promise<{ by: string; isNew: boolean } | undefined>;
  /** All troubles, or only that of a zone. False: there is none. */
  dismiss(id: number, by: string, zone?: string): Promise<boolean>;
  /** False: nothing was dismissed. */
  undismiss(id: number, by: string): Promise<boolean>;
  /** Says so where there is nothing to report. */
  make(report: string, selection: ReportSelection, reader: Reading, signal: AbortSignal): Promise<MadeReport>;
  /** Posts it before scheduled posts. Throws ForbiddenError if the person may not show it there now. */
  post(by: { actor: { id: string; teamId: string }; place: { channelId: string } }, made: MadeReport): Promise<void>;
  /** By `#name`, mention or id. */
  channel(text: string, options?: { fresh: boolean }): Promise<ChannelRef | undefined>;
}
