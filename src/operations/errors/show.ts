import { count, logTime } from '../../blocks/format.ts';
import { message, note } from '../../blocks/message.ts';
import { mrkdwn } from '../../blocks/mrkdwn.ts';
import { type Cell, table } from '../../blocks/table.ts';
import type { OriginError, OriginErrorDay } from '../../platform/types.ts';
import { day, isoDay } from '../arguments/dates.ts';
import { optional } from '../arguments/plain.ts';
import { pullZone, zoneName } from '../arguments/resources/zones.ts';
import { defineOperation, type Reader } from '../operation.ts';
import { withoutQueries } from './redaction.ts';

/** Two tables share a message's 10,000 characters. */
const LATEST = 20;
const MOST_GROUPS = 20;

/** Errors that are the same: code, status and message. */
export interface ErrorGroup {
  code: string;
  status: string;
  message: string;
  requests: number;
  /** Edge regions with their counts, most first. */
  regions: [region: string, requests: number][];
}

const codeOf = ({ error }: OriginError) => error.ErrorCode ?? '–';
const statusOf = ({ error }: OriginError) => (error.StatusCode === undefined ? '–' : String(error.StatusCode));
const messageOf = ({ error }: OriginError) => withoutQueries(error.Message ?? '–');
const regionOf = ({ labels }: OriginError) => labels?.ServerZone ?? '–';

const byCount = (a: [string, number], b: [string, number]) => b[1] - a[1] || a[0].localeCompare(b[0]);

/** Errors by code, status and message, most first. */
export function groupsOf(errors: readonly OriginError[]): ErrorGroup[] {
  const groups = new Map<string, { first: OriginError; regions: Map<string, number> }>();
  for (const error of errors) {
    const key = JSON.stringify([codeOf(error), statusOf(error), messageOf(error)]);
    const group = groups.get(key) ?? { first: error, regions: new Map<string, number>() };
    group.regions.set(regionOf(error), (group.regions.get(regionOf(error)) ?? 0) + 1);
    groups.set(key, group);
  }
  return [...groups.values()]
    .map(({ first, regions }) => ({
      code: codeOf(first),
      status: statusOf(first),
      message: messageOf(first),
      requests: [...regions.values()].reduce((sum, requests) => sum + requests, 0),
      regions: [...regions].sort(byCount),
    }))
    .sort((a, b) => b.requests - a.requests || a.code.localeCompare(b.code));
}

function regionWords(regions: ErrorGroup['regions'], reader: Reader): string {
  const shown = regions.slice(0, 5).map(([region, requests]) => `${region} ${count(requests, reader)}`);
  return [...shown, ...(regions.length > 5 ? [`${regions.length - 5} more`] : [])].join(', ');
}

function latestRow(error: OriginError): Cell[] {
  const { at, error: detail } = error;
  return [
    at === undefined || Number.isNaN(at.getTime()) ? '–' : logTime(at),
    codeOf(error),
    statusOf(error),
    regionOf(error),
    detail.RequestUrl === undefined ? '–' : withoutQueries(detail.RequestUrl),
    messageOf(error),
  ];
}

/** 2026-11-20 → 11-20-2026, as row 14 wants it. */
const monthFirst = (iso: string) => `${iso.slice(5)}-${iso.slice(0, 4)}`;

export const showErrors = defineOperation({
  name: 'errors show',
  summary: 'Show a day’s errors between the edge and the origin',
  effect: 'read',
  args: { zone: pullZone(), date: optional(day('Date')) },
  examples: ['errors show shop-assets', 'errors show shop-assets yesterday', 'errors show 1001 11-20-2026'],

  target: ({ zone }) => zoneName(zone),

  async run({ zone, date }, { platform, now, signal }): Promise<OriginErrorDay & { day: string; assumed: boolean }> {
    const asked = date?.text ?? isoDay(now);
    const answer = await platform.originErrors.get(zone.Id, monthFirst(asked), { signal });
    return { ...answer, day: asked, assumed: date === undefined };
  },

  render({ logs, hasMoreData, day, assumed }, { zone }, reader) {
    const when = assumed ? `${day} (today in UTC, since no date was given)` : `${day} (UTC)`;
    const more =
      hasMoreData &&
      note('There are more records of this day than these; the platform has no known way to ask for them.');
    if (logs.length === 0) {
      return message(
        mrkdwn`${zoneName(zone)}: no origin errors on ${when}.`,
        more,
        note('The platform keeps recent days only, and does not say how many.'),
      );
    }
    const groups = groupsOf(logs);
    const latest = [...logs].sort((a, b) => (b.at?.getTime() || 0) - (a.at?.getTime() || 0)).slice(0, LATEST);
    return message(
      mrkdwn`*${zoneName(zone)}*: ${count(logs.length, reader)} origin ${logs.length === 1 ? 'error' : 'errors'} on ${when}.`,
      table({
        caption:
          groups.length > MOST_GROUPS
            ? `The ${MOST_GROUPS} most frequent of ${count(groups.length, reader)} kinds`
            : 'By kind',
        columns: [
          { label: 'Requests', align: 'right' },
          { label: 'Error' },
          { label: 'Status' },
          { label: 'Message' },
          { label: 'Regions' },
        ],
        rows: groups
          .slice(0, MOST_GROUPS)
          .map((group) => [
            group.requests,
            group.code,
            group.status,
            group.message,
            regionWords(group.regions, reader),
          ]),
      }),
      table({
        caption: logs.length > LATEST ? `The latest ${LATEST}` : 'Latest first',
        columns: [
          { label: 'Time (UTC)' },
          { label: 'Error' },
          { label: 'Status' },
          { label: 'Region' },
          { label: 'Address' },
          { label: 'Message' },
        ],
        rows: latest.map(latestRow),
      }),
      more,
      note('Addresses are shown without what follows the question mark: it may hold secrets.'),
    );
  },
});
