import type { Reading } from '../blocks/format.ts';
import type { Message } from '../blocks/message.ts';
import type { ReadTimeLine } from '../changed.ts';
import type { RecordFilter } from '../logs/record-filter.ts';
import type { Platform } from '../platform/client.ts';
import type { PullZone } from '../platform/resources/pull-zones.ts';
import type { Dismissed } from './dismissed.ts';
import type { Watched } from './statistics-watch/watch.ts';
import type { HoursReader } from './zone-hours.ts';

export interface ReportContext {
  platform: Platform;
  /** Zones of the subscription. `missing`: why the list could not be read. */
  zones(): Promise<{ items: readonly PullZone[]; missing?: string }>;
  /** The subscription covers all zones, so the figures of the whole account apply. */
  whole: boolean;
  filter: RecordFilter;
  /** The end of the last window. */
  from: Date;
  /** The time of the slot minus the lag. */
  to: Date;
  /** Since when zones fail in incidents that go on, in Unix milliseconds. */
  known?: Readonly<Record<string, number>> | undefined;
  /** Zones of incidents that go on (`now`, or `again` if they had ended) or ended less than three hours ago (`before`). */
  told?: Readonly<Record<string, 'now' | 'again' | 'before'>> | undefined;
  /** The last failure, in Unix milliseconds, that a message about the end of an incident has told. */
  ended?: Readonly<Record<string, number>> | undefined;
  dismissed?: Dismissed | undefined;
  /** Without it UTC. */
  timezone?: string | undefined;
  /** When the next looks are. */
  cron?: string | undefined;
  /** What is remembered of this choice of zones and filters. */
  failures?: { read(): Promise<FailuresBefore | undefined>; keep(failures: FailuresBefore): Promise<void> } | undefined;
  watch?: ((zones: readonly PullZone[]) => Promise<Watched>) | undefined;
  hours: HoursReader;
  /** What changed, whoever did it. */
  timeLine?: ReadTimeLine | undefined;
  /** When the zone’s cache was last emptied, whoever did it, in Unix milliseconds. */
  emptied?: ((zone: number, since: Date) => Promise<number | undefined>) | undefined;
  /** The `state` that the slot before left. */
  last?: string | undefined;
  /** Incidents that were posted in the last two days, oldest first. */
  incidents?: (() => Promise<readonly ToldIncident[]>) | undefined;
  /** Incidents that go on, as `/edge now` has them. */
  broken?: (() => Promise<readonly BrokenNow[]>) | undefined;
  signal: AbortSignal;
}

/** Failed requests of zones in the `length` milliseconds before `until`. */
export interface FailuresBefore {
  until: number;
  length: number;
  zones: Readonly<Record<string, number>>;
}

/** `address`: of its message. */
export interface BrokenNow {
  address?: string | undefined;
  /** By zone id. */
  troubles: readonly (Pick<Trouble, 'zone' | 'isAbout' | 'lately'> & {
    since: Date;
    /** Its last failure, if a later look at its logs saw no more than usual, or nobody has looked. */
    last?: Date | undefined;
    /** When that was known, if it was minutes ago. */
    asOf?: Date | undefined;
    /** Not worth waking anybody. */
    isMinor?: boolean;
  })[];
}

/** From its first to its last failure, in Unix milliseconds. */
export interface ToldIncident {
  zone: number;
  name?: string | undefined;
  from: number;
  /** When it last began, if it had recovered in between. */
  since?: number;
  to: number;
  words: readonly string[];
  /** By the last look. */
  isOver: boolean;
  /** Its last failure, if it is quiet since. */
  quiet?: number | undefined;
  /** Only statistics show from when to when. */
  isAbout?: boolean;
}

/** A failure in one zone. The same kind in the same zone is the same incident. */
export interface Trouble {
  kind: string;
  zone: string;
  name?: string;
  since: number;
  /** When it ended. */
  until?: number | undefined;
  words?: string;
  /** How bad it is, in a unit of its kind. */
  size?: number | undefined;
  /** Only statistics show since when. */
  isAbout?: boolean | undefined;
  /** Its zone has no log. */
  isUnlogged?: boolean | undefined;
  /** Mostly plain HTTP arrives. */
  isPlainHttp?: boolean | undefined;
  /** If it is getting better: `size` in the last five minutes; 0: nothing fails, or it is near its usual. */
  lately?: number | undefined;
  /** Its last failure so far beyond the usual, or until when statistics of it reach, in Unix milliseconds. */
  last?: number;
  /** Its last failure of all. */
  seen?: number;
  /** Failed requests of this window. Each counts in only one trouble of its zone. */
  failures?: number;
}

/** What may become a trouble, or without `since` why a zone is not told, but not fine. `isNew`: a minute later more will be known. */
export interface Doubt {
  zone: string;
  since?: number | undefined;
  words: string;
  isNew?: boolean;
  /** Visitors see failures. */
  fails?: boolean;
  /** Somebody has called it no problem. */
  isDismissed?: boolean;
  /** Until when statistics show it. */
  to?: number;
  /** Only statistics show since when. */
  isAbout?: boolean;
}

/** How many requests failed in the five minutes before a look. `of`: about how many there were. */
export interface Seen {
  failed: number;
  of?: number | undefined;
}

/** The prefix of the kinds of trouble that statistics show. */
export const STATISTICS = 'statistics';

/** Worth waking somebody: visitors stay away, or one in twenty sees a failure. `measure`: of statistics. */
export const isGrave = (share = 1, measure?: string): boolean =>
  measure === undefined ? share >= 0.05 : measure === 'traffic' || measure === '5xx';

/** `collect` asks the platform, and `render` makes the message. Neither knows where it goes. */
export interface Report<A extends object, C> {
  /** Commands that whoever gets it also has to be allowed. */
  needs?: readonly string[];
  /** Its name in the settings and the store. */
  name: string;
  /** One line with a capital and no full stop. */
  summary: string;
  /** Cron, unless something else is set. */
  schedule: string;
  /** Numbers are thresholds that a subscription may set. */
  args: A;
  /** In milliseconds: the first window, the longest one, and how long before the slot it ends, because logs come late. */
  window?: { first: number; longest: number; lag: number };
  /** While they last the message is edited, and without any nothing is posted. Undefined: this window is posted whatever it holds. */
  troubles?(collected: C, args: A): readonly Trouble[] | undefined;
  /** What is not worth a message yet. */
  doubts?(collected: C): readonly Doubt[];
  /** By zone. What is not in it was not looked at. */
  seen?(collected: C): Readonly<Record<string, Seen>>;
  /** What could not be read, in sentences. The owner gets them if no message can show them. */
  unread?(collected: C): readonly string[];
  collect(args: A, context: ReportContext): Promise<C>;
  /** An equal text is not news while *only changes* are wanted. Without it the message’s text is compared. */
  fingerprint?(collected: C, args: A): string;
  /** For the `last` of the next slot, whether this one posts or not. */
  state?(collected: C): string;
  render(collected: C, args: A, reading: Reading): Message | undefined;
  /** Only what concerns these zones. */
  of?(collected: C, zones: ReadonlySet<string>): C;
  details?(collected: C, args: A, reading: Reading): Message | undefined;
}

export type AnyReport = Report<object, unknown>;

/** Infers the types of `args` and of what was collected for `render`. */
export function defineReport<A extends object, C>(report: Report<A, C>): Report<A, C> {
  return report;
}
