import type { Reading } from '../blocks/format.ts';
import type { Message } from '../blocks/message.ts';
import type { GroupMemory } from '../logs/group-memory.ts';
import type { RecordFilter } from '../logs/record-filter.ts';
import type { Platform } from '../platform/client.ts';
import type { PullZone } from '../platform/resources/pull-zones.ts';
import type { Dismissed } from './dismissed.ts';
import type { Watched } from './statistics-watch/watch.ts';
import type { HoursReader } from './zone-hours.ts';

/** Everything that a report may use. */
export interface ReportContext {
  platform: Platform;
  /** The account's zones, less those that the subscription leaves out; `missing` says why there is no list. */
  zones(): Promise<{ items: readonly PullZone[]; missing?: string }>;
  /** True when those are all zones: then the platform's figures for the whole account are the subscription's too. */
  whole: boolean;
  /** The subscription's filters: records that do not pass are none of its business. */
  filter: RecordFilter;
  /** The window that it is about: from where the last one ended. */
  from: Date;
  /** Its own time, the slot of its schedule, less the lag. */
  to: Date;
  /** Since when that goes on which was told, by zone, in Unix milliseconds. */
  known?: Readonly<Record<string, number>> | undefined;
  /** Troubles that are none: see there. */
  dismissed?: Dismissed | undefined;
  /** In whose days it is told; UTC when not given. */
  timezone?: string | undefined;
  /** The memory of earlier windows, for the same zones and filters. */
  memory?: GroupMemory | undefined;
  /** Looks at the statistics of zones, beside their usual. */
  watch?: ((zones: readonly PullZone[]) => Promise<Watched>) | undefined;
  /** Reads the hours of zones, or has what another has read. */
  hours: HoursReader;
  signal: AbortSignal;
}

/** Something that is wrong. More of the same kind in the same zone is the same incident. */
export interface Trouble {
  kind: string;
  /** The id of its zone. */
  zone: string;
  /** When it began, in Unix milliseconds. */
  since: number;
  /** False: in a zone that was told of it needs no message of its own. */
  isNews: boolean;
  /** The kind as which the same is told until its cause is known. */
  symptom?: string | undefined;
  /** A few words for people, with the zone's name. */
  words?: string;
  /** How bad it is, in a unit of its kind's own, worse being more. */
  size?: number | undefined;
}

/** Kinds of trouble that statistics show begin with this word: logs may have nothing of it. */
export const STATISTICS = 'statistics';

/** A message that the bot posts by itself. `collect` asks the platform, `render` makes the message; neither knows where it goes. */
export interface Report<A extends object, C> {
  /** As in the settings and the store. */
  name: string;
  /** One line, capital first, no full stop. */
  summary: string;
  /** Cron, when nothing else is set. */
  schedule: string;
  /** In which the schedule is meant, when nothing else is set; UTC. */
  timezone?: string;
  /** The arguments with their defaults. Those that are numbers are the report's thresholds: a subscription may set its own. */
  args: A;
  /**
   * For reports about what has happened since the last one, in ms: how long the first window is, the longest, and how long
   * before its own time it ends (logs come in late).
   */
  window?: { first: number; longest: number; lag: number };
  /**
   * For reports that speak up only when something is wrong: what is, beyond the usual. As long as what was told goes on, its
   * message is brought up to date at growing intervals and no other is posted; when nothing is wrong, none is. Undefined: this
   * window is told whatever there is in it.
   */
  troubles?(collected: C, args: A): readonly Trouble[] | undefined;
  /** Sentences on what could not be read. The owner is told of them where no message can say so for some time. */
  unread?(collected: C): readonly string[];
  collect(args: A, context: ReportContext): Promise<C>;
  /**
   * The gist of the message, for subscribers who want it only when something changed: equal texts are no news. Without it,
   * the message's own text is compared.
   */
  fingerprint?(collected: C, args: A): string;
  /** Undefined: there is nothing to say, and nothing is posted. */
  render(collected: C, args: A, reading: Reading): Message | undefined;
  /** Its tables, for those who look closer: they stand in the thread of its message. */
  details?(collected: C, args: A, reading: Reading): Message | undefined;
}

/** A report whose types are not known: as the registry holds it. */
export type AnyReport = Report<object, unknown>;

/** Identity: its use is that the types of `args` and of what was collected reach `render`. */
export function defineReport<A extends object, C>(report: Report<A, C>): Report<A, C> {
  return report;
}
