import { bytes, countOf } from '../../blocks/format.ts';
import { message, note, nothing } from '../../blocks/message.ts';
import { bold, mrkdwn } from '../../blocks/mrkdwn.ts';
import { UsageError } from '../../errors.ts';
import { withoutAuthorization } from '../../logs/authorization.ts';
import { toType } from '../../own-name.ts';
import { day } from '../arguments/dates.ts';
import { nameWithId } from '../arguments/resources/look-up.ts';
import { pullZone } from '../arguments/resources/zones.ts';
import { defineOperation } from '../operation.ts';
import { shown } from '../unreadable.ts';

/** For admins, because it contains visitors’ requests with queries. */
export const downloadLog = defineOperation({
  name: 'log download',
  summary: 'Get a day of a zone’s access log as a file',
  synonyms: { verbs: 'dl, save, export, fetch, file, get, give, raw', nouns: 'logs, access log, log file' },
  effect: 'read',
  args: { zone: pullZone(), date: day('Date') },
  examples: ['log download shop-assets yesterday'],

  target: ({ zone, date }) => `${nameWithId(zone)}, ${date.text}`,

  async run({ zone, date }, { platform, signal, progress }) {
    const file = await shown('the log of a whole day', `Try ${toType('log search')} for its requests.`, () =>
      platform.accessLogs.download(zone.Id, date.instant, { signal }),
    );
    // In bytes, both in memory and for Slack.
    const largest = 50_000_000;
    const pieces: Buffer[] = [];
    let size = 0;
    const cleaner = withoutAuthorization();
    for await (const chunk of file) {
      const bytesRead = chunk as Buffer;
      size += bytesRead.length;
      // Leaving the loop ends the request.
      if (size > largest) {
        throw new UsageError(
          `The log of ${date.text} is larger than ${bytes(largest)}, which is the most a message takes.`,
          {
            hint: `${toType(`log summary ${zone.Id} --date ${date.text}`)} sums it up; ${toType(`log search ${zone.Id}`)} finds requests in it.`,
          },
        );
      }
      pieces.push(cleaner.push(bytesRead));
      progress(size, undefined, 'bytes');
    }
    const content = Buffer.concat([...pieces, cleaner.end()]);
    return { content, ...cleaner.counts() };
  },

  render({ content, lines, leftOut }, { zone, date }, reader) {
    if (lines === 0 && leftOut === 0)
      return nothing(mrkdwn`${bold(nameWithId(zone))}, ${date.text} (UTC): the log is empty.`);
    if (lines === 0) {
      return message(
        mrkdwn`${bold(nameWithId(zone))}, ${date.text} (UTC): the log has ${countOf(leftOut, 'line', reader)}, and no record.`,
      );
    }
    const shownMessage = message(
      mrkdwn`${bold(nameWithId(zone))}, ${date.text} (UTC): ${countOf(lines, 'request', reader)} in a file of ${bytes(content.length, reader)}.`,
      leftOut > 0 &&
        note(
          `Left out: ${countOf(leftOut, 'line', reader)} that I couldn’t parse, because they may contain credentials.`,
        ),
      note(
        'CacheStatus|StatusCode|Timestamp|BytesSent|PullZoneId|RemoteIp|Referer|Url|EdgeLocation|UserAgent|RequestId|CountryCode, and with extended logging BodyBytesSent|Range. Authorizations are removed; query strings are not: they may hold secrets.',
      ),
    );
    return {
      ...shownMessage,
      files: [{ name: `${zone.Id}-${date.text}.log`, content, title: `Access log of ${date.text}` }],
    };
  },
});
