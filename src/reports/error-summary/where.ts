import type { ErrorEvent } from '../../logs/error-groups.ts';

/** A region or a path is where it fails, when it has so much of it. */
const DOMINATES = 0.7;

/** The region and the beginning of the path that nearly all of these errors have. */
export const placesOf = (events: readonly ErrorEvent[]): string[] => [
  ...dominant(events, ({ region }) => region),
  ...dominant(events, placeOf),
];

/** The value that nearly all events have; none of few events. */
function dominant(events: readonly ErrorEvent[], read: (event: ErrorEvent) => string | undefined): string[] {
  const counts = new Map<string, number>();
  for (const event of events) {
    const value = read(event);
    if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts].filter(([, times]) => times >= DOMINATES * events.length).map(([value]) => value);
}

/** `/api/v2/items/7` → `/api/v2`. */
const placeOf = ({ address }: ErrorEvent): string | undefined =>
  /^(?:https?:\/\/[^/]+)?(\/[^/?#]+(?:\/[^/?#]+)?)/.exec(address ?? '')?.[1];
