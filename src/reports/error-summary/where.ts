import type { ErrorEvent } from '../../logs/error-groups.ts';
import { dominant } from '../dominant.ts';

/** A region or a path is where it fails, when it has so much of it. */
const DOMINATES = 0.7;

/** The region and the beginning of the path that nearly all of these errors have. */
export const placesOf = (events: readonly ErrorEvent[]): string[] =>
  [({ region }: ErrorEvent) => region, placeOf].flatMap((read) => dominant(events, read, DOMINATES) ?? []);

/** `/api/v2/items/7` → `/api/v2`. */
const placeOf = ({ address }: ErrorEvent): string | undefined =>
  /^(?:https?:\/\/[^/]+)?(\/[^/?#]+(?:\/[^/?#]+)?)/.exec(address ?? '')?.[1];
