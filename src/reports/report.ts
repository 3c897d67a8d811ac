import type { Reading } from '../blocks/format.ts';
import type { Message } from '../blocks/message.ts';
import type { GroupMemory } from '../logs/group-memory.ts';
import type { RecordFilter } from '../logs/record-filter.ts';
import type { Platform } from '../platform/client.ts';
import type { PullZone } from '../platform/resources/pull-zones.ts';
import type { Dismissed } from './dismissed.ts';
import type { Watched } from './statistics-watch/watch.ts';
import type { HoursReader } from './zone-hours.ts';

export interface ReportContext {
  platform: Platform;
  /** Less those that the subscription leaves out; `missing` says why there is no list. */
  zones(): Promise<{ items: readonly PullZone[]; missing?: string }>;
  /** All zones: the platform's figures for the whole account are theirs. */
  whole: boolean;
  filter: RecordFilter;
  /** Where the last window ended. */
  from: Date;
  /** The slot's time, less the lag. */
  to: Date;
  /** What was told goes on since, by zone, in Unix milliseconds. */
  known?: Readonly<Record<string, number>> | undefined;
  /** Zones of incidents: `now`, or of one that is over since less than three hours. */
  told?: Readonly<Record<string, 'now' | 'before'>> | undefined;
  dismissed?: Dismissed | undefined;
  /** UTC when not given. */
  timezone?: string | undefined;
  memory?: GroupMemory | undefined;
  watch?: ((zones: readonly PullZone[]) => Promise<Watched>) | undefined;
  hours: HoursReader;
  /** When the zone's cache was last emptied with the bot, in Unix milliseconds. */
  emptied?: ((zone: number, since: Date) => Promise<number | undefined>) | undefined;
  /** What the bot told in the last two days, oldest first. */
  incidents?: (() => Promise<readonly ToldIncident[]>) | undefined;
  signal: AbortSignal;
}

/** From its first to its last failure, in Unix milliseconds. */
export interface ToldIncident {
  zone: number;
  from: number;
  to: number;
  words: readonly string[];
}

/** More of the same kind in the same zone is the same incident. */
export interface Trouble {
  kind: string;
  zone: string;
  name?: string;
  since: number;
  /** It is over since then. */
  until?: number | undefined;
  words?: string;
  /** In a unit of its kind's own, worse being more. */
  size?: number | undefined;
  /** Requests that failed in this window, each in one trouble of its zone. */
  failures?: number;
}

/** Kinds that statistics show begin with this word. */
export const STATISTICS = 'statistics';

/** `collect` asks the platform, `render` makes the message; neither knows where it goes. */
export interface Report<A extends object, C> {
  /** As in the settings and the store. */
  name: string;
  /** One line, capital first, no full stop. */
  summary: string;
  /** Cron, when nothing else is set. */
  schedule: string;
  /** UTC when not given. */
  timezone?: string;
  /** Numbers are thresholds, which a subscription may set. */
  args: A;
  /** In ms: the first window, the longest, and how long before the slot's time it ends (logs come late). */
  window?: { first: number; longest: number; lag: number };
  /** Its message is edited while they last; without any nothing is posted. Undefined: this window is told whatever is in it. */
  troubles?(collected: C, args: A): readonly Trouble[] | undefined;
  /** Sentences on what could not be read; the owner is told of them where no message can say so. */
  unread?(collected: C): readonly string[];
  collect(args: A, context: ReportContext): Promise<C>;
  /** Equal texts are no news for those who want only changes. Without it the message's text is compared. */
  fingerprint?(collected: C, args: A): string;
  render(collected: C, args: A, reading: Reading): Message | undefined;
  /** What is about these zones alone. */
  of?(collected: C, zones: ReadonlySet<string>): C;
  details?(collected: C, args: A, reading: Reading): Message | undefined;
}

export type AnyReport = Report<object, unknown>;

/** So that the types of `args` and of what was collected reach `render`. */
export function defineReport<A extends object, C>(report: Report<A, C>): Report<A, C> {
  return report;
}
