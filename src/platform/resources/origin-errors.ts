import { z } from 'zod';
import { parseJson } from '../bodies.ts';
import { monthFirst } from '../dates.ts';
import { instant, maybe, maybeBoolean, maybeString, momentOf, numericId, shortText } from '../shapes.ts';
import { type CallOptions, endpoint, type Transport } from '../transport.ts';

const text = maybe(z.union([shortText, z.number().transform(String)]));
const number = maybe(
  z.union([
    z.number(),
    z
      .string()
      .regex(/^\d+$/)
      .transform((digits) => Number(digits)),
  ]),
);

const labels = z.object({ ErrorCode: text, StatusCode: text, ServerZone: text });

const logged = z.object({
  RequestUrl: maybeString,
  PullZoneId: number,
  Message: maybeString,
  ErrorCode: text,
  StatusCode: number,
});

/** The error itself, from the `log`; from the labels where that is nothing known. */
function understand(log: unknown, given: z.output<typeof labels> | undefined) {
  const { data = {} } = logged.safeParse(typeof log === 'string' ? parseJson(log) : log);
  const text = typeof log === 'string' ? log : JSON.stringify(log ?? undefined);
  const isKnown = Object.values(data).some((value) => value !== undefined);
  return {
    ...data,
    Message: isKnown ? data.Message : text?.slice(0, 20_000) || undefined,
    ErrorCode: data.ErrorCode ?? given?.ErrorCode,
    StatusCode: data.StatusCode ?? (Number(given?.StatusCode) || undefined),
  };
}

const record = z
  .object({ logId: maybeString, timestamp: instant, log: z.unknown().optional(), labels: maybe(labels) })
  .transform(({ log, timestamp, ...rest }) => ({
    ...rest,
    at: timestamp,
    /** The decoded `log`, with the labels' values where it is silent or no JSON. */
    error: understand(log, rest.labels) as OriginErrorDetail,
  }));

const restOfAnswer = z.object({ logs: z.array(z.unknown()).nullable(), hasMoreData: maybeBoolean });

/** The keys of the serialized `log`. `RequestUrl` may be a path, and may carry a query with secrets. */
interface OriginErrorDetail {
  RequestUrl?: string | undefined;
  PullZoneId?: number | undefined;
  Message?: string | undefined;
  ErrorCode?: string | undefined;
  StatusCode?: number | undefined;
}
/** One error between the edge and the origin. */
export type OriginError = z.output<typeof record>;
/** The errors of a day, or of a part of it. */
export interface OriginErrorDay {
  logs: OriginError[];
  /** The platform has more than these, and no known way to fetch them. */
  hasMoreData: boolean;
  /** The answer had more than are kept. */
  isCut: boolean;
}

/** A part of the day; without it the whole. */
interface OriginErrorStretch {
  /** Inclusive. */
  from?: Date | undefined;
  /** Exclusive. */
  to?: Date | undefined;
}

/** A record that nobody has looked at yet is of that time. */
function isWithin(given: unknown, { from, to }: OriginErrorStretch): boolean {
  if (from === undefined && to === undefined) return true;
  const at = momentOf((given as { timestamp?: unknown }).timestamp);
  return at >= (from?.getTime() ?? Number.NEGATIVE_INFINITY) && at < (to?.getTime() ?? Number.POSITIVE_INFINITY);
}

/** The errors between edge and origin. */
export interface OriginErrors {
  /**
   * `day` is any moment of it, in UTC. The platform gives whole days only; of a
   * stretch, everything is kept that the bound allows.
   */
  get(zoneId: number, day: Date, options?: CallOptions & OriginErrorStretch): Promise<OriginErrorDay>;
}

/** Origin errors over a transport. */
export function createOriginErrors(transport: Transport): OriginErrors {
  return {
    async get(zoneId, day, options = {}) {
      const { records, rest, isCut } = await transport.readRecords(
        endpoint('GET {origin_logs_url}/{pullZoneId}/{dateTime}', numericId(zoneId, 'pull zone'), monthFirst(day)),
        {
          list: 'logs',
          schema: record,
          // Of more the newest are kept; `isCut` says so.
          most: 50_000,
          isWanted: (given) => isWithin(given, options),
          timeOf: ({ at }) => at.getTime(),
          rest: restOfAnswer,
        },
        options,
      );
      return { logs: records, hasMoreData: rest?.hasMoreData === true, isCut };
    },
  };
}
