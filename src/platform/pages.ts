import type { Listed } from './shapes.ts';
import type { CallOptions } from './transport.ts';

/** Lists are followed this far and no further, in pages, bytes and milliseconds; what lies beyond is said by `hasMore`. */
const MAX_PAGES = 50;
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_TIME = 30_000;

/** Says when a list has been followed far enough. */
export function createReach(options: CallOptions = {}, elapsed = () => performance.now()) {
  const started = elapsed();
  let pages = 0;
  let bytes = 0;
  return {
    /** Each page is asked for with these, so that it counts. */
    options: {
      ...options,
      onBody: (size: number) => {
        bytes += size;
      },
    },
    /** Asked after every page. */
    isOver: () => {
      pages += 1;
      return pages >= MAX_PAGES || bytes > MAX_BYTES || elapsed() - started > MAX_TIME;
    },
  };
}

interface NumberedPage<T> {
  Items: T[];
  HasMoreItems?: boolean | undefined;
  TotalItems?: number | undefined;
}

/** Gathers a list whose pages are counted from 1. An empty page ends it, whatever it says. */
export async function gatherPages<T>(
  fetchPage: (page: number, options: CallOptions) => Promise<NumberedPage<T>>,
  options?: CallOptions,
): Promise<Listed<T>> {
  const reach = createReach(options);
  const items: T[] = [];
  let total: number | undefined;
  let hasMore = false;
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const answer = await fetchPage(page, reach.options);
    items.push(...answer.Items);
    total = answer.TotalItems ?? total;
    hasMore = answer.HasMoreItems === true && answer.Items.length > 0;
    if (!hasMore || reach.isOver()) break;
  }
  return { items, hasMore, ...(total === undefined ? {} : { totalItems: total }) };
}
