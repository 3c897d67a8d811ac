import { pathTemplate } from '../../logs/template.ts';
import type { Platform } from '../../platform/client.ts';
import { MINUTE } from '../../time.ts';
import { dominant } from '../dominant.ts';
import { isPlatforms } from '../platform-errors.ts';
import type { Finding } from './findings.ts';

/** Records that say enough. */
const MOST_RECORDS = 500;
/** Of the records so many have to say the same. */
const MOSTLY = 0.5;
const LOOK_BACK = 30 * MINUTE;
/** A beginning is estimated: what the log has of these last minutes decides whether visitors stay away. */
const RECENT = 10 * MINUTE;

/**
 * The finding with the words of the zone's access log (`GET {logging_url}/v2/pullzones/{pullZoneId}/logs`). Undefined: it has the
 * requests that statistics miss, so these are late and nothing is wrong. As it came where the log cannot be read.
 */
export async function withEvidence(
  platform: Pick<Platform, 'accessLogs'>,
  zone: number,
  finding: Finding,
  now: number,
  signal: AbortSignal,
): Promise<Finding | undefined> {
  const newest = async (from: number, to: number, limit: number, status?: readonly string[]) => {
    const query = { from: new Date(from), to: new Date(to), status, limit, order: 'desc' as const };
    const { data } = await platform.accessLogs.query(zone, query, { signal, priority: 'background' });
    return data;
  };
  try {
    if (finding.measure === 'traffic') {
      const { since, to, usual } = finding;
      const rate = usual / (to - since);
      // Of a busy zone what is left of its visitors fills a page too: there the last minutes, or seconds, say it.
      const recent = Math.min(to - since, RECENT, (2 * MOST_RECORDS) / rate);
      const half = Math.ceil(Math.max(1, (rate * recent) / 2));
      const records = await newest(since - RECENT, to, half);
      const after = (from: number) => records.filter(({ timestamp }) => Date.parse(timestamp ?? '') >= from);
      if (after(to - recent).length >= half) return undefined;
      const missed = after(since);
      const last = Date.parse(records[0]?.timestamp ?? '');
      // The log says to the second when the last visitor came.
      if (finding.now === 0 && last < finding.to) return { ...finding, since: last };
      const scheme = dominant(missed, ({ url = '' }) => url.split(':')[0], MOSTLY);
      return missed.length >= 5 && scheme === 'http'
        ? { ...finding, detail: 'what still comes is without TLS' }
        : finding;
    }
    if (finding.measure !== '4xx') return finding;
    const records = await newest(Math.max(finding.since, now - LOOK_BACK), now, MOST_RECORDS, ['4xx']);
    const status = dominant(records, ({ statusCode }) => statusCode, MOSTLY);
    const path = dominant(records, ({ path = '/' }) => pathTemplate(path), MOSTLY);
    const words = [status, path !== undefined && `on ${path}`].filter(Boolean).join(' ');
    return records.length === 0 || words === '' ? finding : { ...finding, detail: words };
  } catch (error) {
    if (!isPlatforms(error)) throw error;
    return finding;
  }
}
