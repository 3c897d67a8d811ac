import * as z from 'zod';
import { DAY } from '../../time.ts';
import { fieldsOf } from '../audit-diff.ts';
import { toWireInstant } from '../dates.ts';
import { createReach } from '../pages.ts';
import { instant, maybe, maybeBoolean, maybeString } from '../shapes.ts';
import { type CallOptions, endpoint, type Transport } from '../transport.ts';

const text = maybe(z.union([z.string(), z.number().transform(String)]).transform((given) => given.slice(0, 200)));

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

const rest = z.object({ HasMoreData: maybeBoolean, ContinuationToken: maybeString });

export function createUserAudit(transport: Transport) {
  return {
    /** Newest first. `isCut`: there were older ones than are read. */
    async between({ from, to }: { from: Date; to: Date }, options?: CallOptions) {
      const reach = createReach(options);
      const wanted = { list: 'Logs', schema: logged, rest, most: 20_000 };
      const entries: UserAuditEntry[] = [];
      let day = Math.floor(to.getTime() / DAY) * DAY;
      let token: string | undefined;
      while (day > from.getTime() - DAY) {
        if (entries.length >= wanted.most || reach.isOver()) return { entries, isCut: true };
        const path = endpoint('GET /user/audit/{date}', encodeURIComponent(toWireInstant(new Date(day))));
        const query = { Order: 'Descending', Limit: 1_000, ContinuationToken: token };
        const read = await transport.readRecords({ ...path, query }, wanted, reach.options);
        entries.push(...read.records.filter(({ at }) => at >= from && at < to));
        const { HasMoreData = false, ContinuationToken: next } = read.rest ?? {};
        // Newest first: what follows is too old.
        const hasMore = HasMoreData && (read.records.at(-1)?.at ?? to) >= from;
        if (read.isCut || (hasMore && (next === undefined || next === token))) return { entries, isCut: true };
        token = hasMore ? next : undefined;
        if (!hasMore) day -= DAY;
      }
      return { entries, isCut: false };
    },
  };
}
