import { causeIn } from '../../logs/causes.ts';
import { DAY } from '../../time.ts';
import { inSentence } from '../in-sentence.ts';
import { isPlatforms } from '../platform-errors.ts';
import type { ReportContext } from '../report.ts';

/** Fewer records than these say nothing about what most of them are. */
const FEW_RECORDS = 10;

const WORDS: Record<string, string> = {
  http_timeout: 'origin time-outs',
  network_socket_exception: 'refused connections to the origin',
  dns_lookup: 'origin names that do not resolve',
  http_request_failure: 'errors of the origin itself',
  http_request_exception: 'broken connections to the origin',
};

/**
 * The most frequent error between edge and origin in a time, in words, from `GET {origin_logs_url}/{pullZoneId}/{dateTime}`.
 * Undefined where it cannot be read, or most errors are of other kinds.
 */
export async function causeOf(
  zone: number,
  from: Date,
  to: Date,
  { platform, signal }: ReportContext,
): Promise<string | undefined> {
  const kinds: string[] = [];
  try {
    const last = to.getTime() - 1;
    for (let at = from.getTime(); Math.floor(at / DAY) <= Math.floor(last / DAY); at += DAY) {
      const options = { signal, priority: 'background', from, to } as const;
      const { logs } = await platform.originErrors.get(zone, new Date(Math.min(at, last)), options);
      for (const { at: time, error } of logs) {
        if (time < from || time >= to) continue;
        const { ErrorCode: code = 'unknown', Message: said = '' } = error;
        kinds.push(WORDS[code] ?? inSentence(causeIn(said)?.means ?? code));
      }
    }
  } catch (error) {
    if (!isPlatforms(error)) throw error;
    return undefined;
  }
  return mostly(kinds);
}

function mostly(kinds: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const [most] = [...counts].sort((a, b) => b[1] - a[1]);
  if (most === undefined || kinds.length < FEW_RECORDS || most[1] < kinds.length / 2) return undefined;
  return most[0];
}
