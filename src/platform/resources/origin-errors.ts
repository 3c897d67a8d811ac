import * as z from 'zod';
import { parseJson } from '../bodies.ts';
import { monthFirst } from '../dates.ts';
import { instant, maybe, maybeBoolean, maybeNumber, maybeString, momentOf, numericId, shortText } from '../shapes.ts';
import { type CallOptions, endpoint, type Transport } from '../transport.ts';

const text = maybe(z.union([shortText, z.number().transform(String)]));

const labels = z.object({ ErrorCode: text, StatusCode: text, ServerZone: text });

/** `RequestUrl` may be a path. Its query may hold secrets. */
const logged = z.object({
  RequestUrl: maybeString,
  PullZoneId: maybeNumber,
  Message: maybeString,
  ErrorCode: text,
  StatusCode: maybeNumber,
});

/** Reads the `log`. The labels give what it lacks. */
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
    error: understand(log, rest.labels),
  }));

const restOfAnswer = z.object({ logs: z.array(z.unknown()).nullable(), hasMoreData: maybeBoolean });

export type OriginError = z.output<typeof record>;
export interface OriginErrorDay {
  logs: OriginError[];
  /** There are more, which cannot be fetched. */
  hasMoreData: boolean;
  /** There are more than are kept. */
  isCut: boolean;
}

interface OriginErrorStretch {
  /** Inclusive. */
  from?: Date | undefined;
  /** Exclusive. */
  to?: Date | undefined;
}

/** `given` is as received, unchecked. */
function isWithin(given: unknown, { from, to }: OriginErrorStretch): boolean {
  if (from === undefined && to === undefined) return true;
  const at = momentOf((given as { timestamp?: unknown }).timestamp);
  return at >= (from?.getTime() ?? Number.NEGATIVE_INFINITY) && at < (to?.getTime() ?? Number.POSITIVE_INFINITY);
}

export function createOriginErrors(transport: Transport) {
  return {
    /** `day`: any moment of a UTC day. The platform gives whole days. */
    async get(zoneId: number, day: Date, options: CallOptions & OriginErrorStretch = {}) {
      const { records, rest, isCut } = await transport.readRecords(
        endpoint('GET {origin_logs_url}/{pullZoneId}/{dateTime}', numericId(zoneId, 'pull zone'), monthFirst(day)),
        {
          list: 'logs',
          schema: record,
          // The newest ones.
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
