import type { Reading } from '../blocks/format.ts';
import type { Message } from '../blocks/message.ts';
import type { Subscription, SubscriptionSettings } from '../store/subscriptions.ts';

/** A report that channels can subscribe to. */
export interface ReportListing {
  name: string;
  summary: string;
  /** When nothing else is wanted, as cron. */
  schedule: string;
  /** Its own numbers, with what they are when nothing else is wanted. */
  thresholds: Readonly<Record<string, number>>;
}

/** A channel as far as the bot sees it. */
export interface ChannelRef {
  id: string;
  /** With its `#`; the id when Slack does not say. */
  name: string;
  /** False: the bot is not in it, and cannot post there. */
  member?: boolean | undefined;
  archived?: boolean | undefined;
  /** People of other organisations are in it, or invited (Slack Connect); why nobody can say it, where Slack does not. */
  external: boolean | string;
}

/** Finds channels by what people call them. */
export interface Channels {
  find(text: string, options?: { fresh: boolean }): Promise<ChannelRef | undefined>;
  /** `#ops`; the id when Slack does not say. */
  nameOf(id: string): Promise<string>;
}

/** A subscription with the name of its channel and of the person who muted it. */
export interface ListedSubscription extends Subscription {
  channelName: string;
  /** The id when Slack does not say. */
  mutedByName?: string | undefined;
  /** Troubles that somebody said are no problem, in words. */
  dismissed: readonly string[];
}

/** A report as it is now, and its tables: in a channel these stand in its thread. */
export interface MadeReport {
  message: Message;
  details?: Message | undefined;
}

/** A message of an incident as it stands in Slack. */
export interface ShownIncident extends Pick<Message, 'text' | 'blocks'> {
  ts: string;
}

/** The zones, filters and thresholds of a report. */
export type ReportSelection = Pick<SubscriptionSettings, 'targets' | 'include' | 'exclude' | 'thresholds'>;

/** The reports and the channels that get them, as operations use them. */
export interface ReportsView {
  all(): readonly ReportListing[];
  /** Those that have not ended, by number. */
  subscriptions(): Promise<ListedSubscription[]>;
  subscribe(settings: SubscriptionSettings): Promise<ListedSubscription>;
  /** False: it had ended already. */
  unsubscribe(id: number): Promise<boolean>;
  /** Until a moment, or until the report says something else than the last time. */
  mute(id: number, until: Date | 'changed', by: string): Promise<boolean>;
  /** False: it was not muted. */
  unmute(id: number): Promise<boolean>;
  /** The troubles of the incident that goes on, in words; undefined: there is none. */
  incident(id: number): Promise<readonly string[] | undefined>;
  /** The incidents that go on: where they are told, and their troubles in words, each with its zone's id and since when. */
  incidents(): Promise<{ channelName: string; troubles: readonly { zone: string; words: string; since: Date }[] }[]>;
  /** Somebody is on the incident that goes on, and its message says so. Undefined: there is none; else who is on it. */
  take(id: number, by: string, shown?: ShownIncident): Promise<string | undefined>;
  /** It is no problem. False: there is none. */
  dismiss(id: number, by: string): Promise<boolean>;
  /** False: nothing was dismissed. */
  undismiss(id: number): Promise<boolean>;
  /** The report as it is now; undefined: it has nothing to say. */
  make(
    report: string,
    selection: ReportSelection,
    reader: Reading,
    signal: AbortSignal,
  ): Promise<MadeReport | undefined>;
  /** Posts what somebody asked for where they asked for it, behind nothing but the channel's own queue. */
  post(channel: string, made: MadeReport): Promise<void>;
  /** By `#name`, mention or id. Undefined: there is none that the bot can see. */
  channel(text: string, options?: { fresh: boolean }): Promise<ChannelRef | undefined>;
}
