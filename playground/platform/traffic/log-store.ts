import type { Kept } from '../account/account.ts';
import { DAY, HOUR, startOfDay, startOfHour } from '../clock.ts';
import type { LoadedLog } from './log-file.ts';
import { type LoggedZone, type LogRecord, recordsOfHour } from './records.ts';
import type { Incidents } from './traffic.ts';

/** The records of every zone: generated when they are asked for, or loaded from a file. */
export interface LogStore {
  /** The records of an hour, oldest first, without those of the future. */
  hour(zone: LoggedZone, start: number): readonly LogRecord[];
  /** The records within [from, to), hour by hour. */
  between(zone: LoggedZone, from: number, to: number, order: 'asc' | 'desc'): Iterable<readonly LogRecord[]>;
  /** The records of an hour of a loaded file; undefined where there is no file. */
  loadedHour(zoneId: number, start: number): readonly LogRecord[] | undefined;
}

/** How many generated hours are kept. */
const KEPT = 160;

/** Builds the store; `loaded` replaces the generated traffic of its zone on the UTC days that it covers. */
export function createLogStore(
  seed: number,
  now: () => Date,
  loaded?: LoadedLog & { zoneId: number },
  incidents?: Incidents,
  kept: (zoneId: number, record: LogRecord) => Kept | undefined = () => undefined,
): LogStore {
  const hours = new Map<string, LogRecord[]>();
  const loadedHours = new Map<number, LogRecord[]>();
  for (const record of loaded?.records ?? []) {
    const start = startOfHour(record.at);
    const hour = loadedHours.get(start);
    if (hour) {
      hour.push(record);
    } else {
      loadedHours.set(start, [record]);
    }
  }
  const covers = (zoneId: number, start: number): boolean =>
    loaded !== undefined &&
    loaded.zoneId === zoneId &&
    start >= startOfDay(loaded.first) &&
    start < startOfDay(loaded.last) + DAY;

  function whole(zone: LoggedZone, start: number): LogRecord[] {
    if (covers(zone.Id, start)) {
      return loadedHours.get(start) ?? [];
    }
    const trouble = incidents?.(zone.Id, startOfDay(start));
    // An origin can break and heal in the middle of an hour.
    const key = `${zone.Id}/${start}/${trouble?.from}/${trouble?.to}`;
    const records = hours.get(key) ?? recordsOfHour(seed, zone, start, incidents);
    // Taken out and put back: the map's order is that of use.
    hours.delete(key);
    hours.set(key, records);
    for (const oldest of hours.keys()) {
      if (hours.size <= KEPT) {
        break;
      }
      hours.delete(oldest);
    }
    return records;
  }

  function hour(zone: LoggedZone, start: number): readonly LogRecord[] {
    const records = whole(zone, start);
    const present = now().getTime();
    const come = start + HOUR <= present ? records : records.filter((record) => record.at <= present);
    return come.map((record) => {
      const by = kept(zone.Id, record);
      return by === undefined
        ? record
        : { ...record, statusCode: by.by === 'limit' ? 429 : 403, cacheStatus: '-', bytesSent: 480 };
    });
  }

  return {
    hour,
    loadedHour: (zoneId, start) => (covers(zoneId, start) ? (loadedHours.get(start) ?? []) : undefined),
    *between(zone, from, to, order) {
      const starts: number[] = [];
      for (let start = startOfHour(from); start < to; start += HOUR) {
        starts.push(start);
      }
      for (const start of order === 'asc' ? starts : starts.reverse()) {
        const records = hour(zone, start).filter((record) => record.at >= from && record.at < to);
        yield order === 'asc' ? records : records.reverse();
      }
    },
  };
}
