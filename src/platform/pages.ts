import type { Listed } from './shapes.ts';

/** Lists are followed this far and no further; what lies beyond is said by `hasMore`. */
export const MAX_PAGES = 50;

interface NumberedPage<T> {
  Items: T[];
  HasMoreItems?: boolean | undefined;
  TotalItems?: number | undefined;
}

/** Gathers a list whose pages are counted from 1. An empty page ends it, whatever it says. */
export async function gatherPages<T>(fetchPage: (page: number) => Promise<NumberedPage<T>>): Promise<Listed<T>> {
  const items: T[] = [];
  let total: number | undefined;
  let hasMore = false;
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const answer = await fetchPage(page);
    items.push(...answer.Items);
    total = answer.TotalItems ?? total;
    hasMore = answer.HasMoreItems === true && answer.Items.length > 0;
    if (!hasMore) break;
  }
  return { items, hasMore, ...(total === undefined ? {} : { totalItems: total }) };
}
