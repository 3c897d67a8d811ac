import { z } from 'zod';
import { DAY } from '../../time.ts';
import { fieldsOf } from '../audit-diff.ts';
import { toWireInstant } from '../dates.ts';
import { createReach } from '../pages.ts';
import { instant, maybe, maybeBoolean, maybeString } from '../shapes.ts';
import { type CallOptions, endpoint, type Transport } from '../transport.ts';

const PER_PAGE = 1_000;
const MOST_ENTRIES = 20_000;
/** In characters. */
const LONGEST = 200;

const text = maybe(z.union([z.string(), z.number().transform(String)]).transform((given) => given.slice(0, LONGEST)));

const logged = z
  .object({
    Timestamp: instant,
    Product: text,
    ResourceType: text,
    ResourceId: text,
    Action: text,
    ActorId: text,
    ActorType: text,
    Diff: maybeString,
  })
  .transform(({ Timestamp, Diff, ...rest }) => ({
    ...rest,
    at: Timestamp,
    // The value of a variable is secret whatever its name.
    fields: fieldsOf(Diff, /variable|secret|key|token|password/i.test(rest.ResourceType ?? '')),
  }));

/** Who did what, by the key or in the dashboard. */
export type UserAuditEntry = z.output<typeof logged>;

const restOfPage = z.object({ HasMoreData: maybeBoolean, ContinuationToken: maybeString });

export interface UserAudit {
  /** In no order. `isCut`: there were more than are read. */
  between(
    stretch: { from: Date; to: Date },
    options?: CallOptions,
  ): Promise<{ entries: UserAuditEntry[]; isCut: boolean }>;
}

export function createUserAudit(transport: Transport): UserAudit {
  return {
    async between({ from, to }, options) {
      const reach = createReach(options);
      const entries: UserAuditEntry[] = [];
      let isCut = false;
      const days = Math.floor(to.getTime() / DAY) - Math.floor(from.getTime() / DAY);
      for (let back = 0; back <= days; back += 1) {
        const day = toWireInstant(new Date((Math.floor(to.getTime() / DAY) - back) * DAY));
        let token: string | undefined;
        for (let isFollowed = true; isFollowed; ) {
          const query = { Order: 'Descending', Limit: PER_PAGE, ContinuationToken: token };
          const {
            records,
            rest,
            isCut: isLong,
          } = await transport.readRecords(
            { ...endpoint('GET /user/audit/{date}', encodeURIComponent(day)), query },
            { list: 'Logs', schema: logged, rest: restOfPage, most: MOST_ENTRIES },
            reach.options,
          );
          entries.push(...records.filter(({ at }) => at >= from && at < to));
          const next = rest?.ContinuationToken;
          // Newest first: what follows is too old.
          const isOld = (records.at(-1)?.at ?? to) < from;
          const hasMore = rest?.HasMoreData === true && !isOld;
          isFollowed = hasMore && next !== undefined && next !== token && !reach.isOver();
          isCut ||= isLong || (hasMore && !isFollowed) || entries.length >= MOST_ENTRIES;
          if (isCut) return { entries, isCut };
          token = next;
        }
      }
      return { entries, isCut };
    },
  };
}
