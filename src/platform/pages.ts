import type { Listed } from './shapes.ts';
import type { CallOptions } from './transport.ts';

/** Limits how many pages, bytes and seconds a list may take. */
export function createReach(options: CallOptions = {}) {
  const started = performance.now();
  let pages = 0;
  let bytes = 0;
  return {
    /** Every page has to be fetched with these, so that it is counted. */
    options: {
      ...options,
      onBody: (size: number) => {
        bytes += size;
      },
    },
    isOver: () => {
      pages += 1;
      // `hasMore` then says that the list goes on.
      return pages >= 50 || bytes > 128 * 1024 * 1024 || performance.now() - started > 30_000;
    },
  };
}

interface NumberedPage<T> {
  Items: T[];
  HasMoreItems?: boolean | undefined;
  TotalItems?: number | undefined;
}

/** Pages shift while things are made and deleted, so each thing counts once. A page with nothing new ends the list. */
export async function gatherPages<T>(
  idOf: (item: T) => string | number,
  fetchPage: (page: number, options: CallOptions) => Promise<NumberedPage<T>>,
  options?: CallOptions,
): Promise<Listed<T>> {
  const reach = createReach(options);
  const found = new Map<string | number, T>();
  let total: number | undefined;
  let isFollowed = true;
  let hasMore = false;
  for (let page = 1; isFollowed; page += 1) {
    const before = found.size;
    const answer = await fetchPage(page, reach.options);
    for (const item of answer.Items) found.set(idOf(item), item);
    total = answer.TotalItems ?? total;
    hasMore = (answer.HasMoreItems ?? (total ?? 0) > found.size) && answer.Items.length > 0;
    isFollowed = hasMore && found.size > before && !reach.isOver();
  }
  const items = [...found.values()];
  return {
    items,
    hasMore: hasMore || (total ?? 0) > items.length,
    ...(total === undefined ? {} : { totalItems: total }),
  };
}
