import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { DAY, startOfDay } from '../clock.ts';
import type { LogRecord } from './records.ts';

/** A log that was read from a file. */
export interface LoadedLog {
  /** Oldest first. */
  records: LogRecord[];
  /** Milliseconds of the first and the last record. */
  first: number;
  last: number;
}

/** One line of a v1 log as a record; undefined when it has not the 12 fields. */
function parseLogLine(line: string): LogRecord | undefined {
  const fields = line.split('|');
  const [cacheStatus, status, at, bytes, , remoteIp, referer, address, edge, userAgent, requestId, country] = fields;
  if (fields.length < 12 || !/^\d{3}$/.test(status ?? '') || !/^\d{10,}$/.test(at ?? '')) {
    return undefined;
  }
  const url = /^(?:https?:)?\/\/([^/]+)(.*)$/.exec(address ?? '');
  return {
    at: Number(at),
    cacheStatus: cacheStatus ?? '-',
    statusCode: Number(status),
    bytesSent: Number(bytes),
    remoteIp: remoteIp ?? '',
    referer: referer === '-' ? undefined : referer,
    host: url?.[1] ?? '',
    path: url?.[2] ?? address ?? '',
    edgeLocation: edge ?? '',
    userAgent: userAgent ?? '',
    requestId: requestId ?? '',
    countryCode: country ?? '',
    asn: 64_511,
    asnOrganization: 'Example',
  };
}

/** One record as a line of a v1 log. */
export function logLineOf(record: LogRecord, pullZoneId: number): string {
  return [
    record.cacheStatus,
    record.statusCode,
    record.at,
    record.bytesSent,
    pullZoneId,
    record.remoteIp,
    record.referer ?? '-',
    `https://${record.host}${record.path}`,
    record.edgeLocation,
    record.userAgent,
    record.requestId,
    record.countryCode,
  ].join('|');
}

/** Reads a v1 log and shifts it by whole days, so that its last UTC date is the day before `today`. */
export async function loadLog(file: string, today: Date): Promise<LoadedLog> {
  const records: LogRecord[] = [];
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    const record = parseLogLine(line);
    if (record) {
      records.push(record);
    }
  }
  records.sort((one, other) => one.at - other.at);
  const [first, last] = [records[0], records.at(-1)];
  if (!first || !last) {
    throw new RangeError(`No line of ${file} is a record of an access log.`);
  }
  const shift = startOfDay(today.getTime()) - DAY - startOfDay(last.at);
  for (const record of records) {
    record.at += shift;
  }
  return { records, first: first.at, last: last.at };
}
