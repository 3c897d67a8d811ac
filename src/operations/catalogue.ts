import { apart } from '../interaction.ts';
import type { Platform } from '../platform/client.ts';
import { PlatformFailure } from '../platform/errors.ts';
import type { App } from '../platform/resources/apps.ts';
import type { Database } from '../platform/resources/databases.ts';
import type { EdgeScript, Release } from '../platform/resources/edge-scripts.ts';
import type { PullZone } from '../platform/resources/pull-zones.ts';
import type { ShieldZoneMapping } from '../platform/resources/shield-zones.ts';
import { MINUTE } from '../time.ts';
import { failureWords } from './unreadable.ts';

/** `missing`: why there is no list. `partial`: the platform has more. Ids work anyway. */
export interface Listing<T> {
  items: readonly T[];
  missing?: string;
  partial?: true;
}

/** Cached for a minute; `fresh` asks again. */
export interface Catalogue {
  zones(options?: { fresh?: boolean }): Promise<Listing<PullZone>>;
  scripts(options?: { fresh?: boolean }): Promise<Listing<EdgeScript>>;
  apps(options?: { fresh?: boolean }): Promise<Listing<App>>;
  databases(options?: { fresh?: boolean }): Promise<Listing<Database>>;
  shieldZones(options?: { fresh?: boolean }): Promise<Listing<ShieldZoneMapping>>;
  /** The releases of a script, last published first. */
  releases(script: number, options?: { fresh?: boolean }): Promise<Listing<Release>>;
}

export function createCatalogue(platform: Platform, now: () => Date): Catalogue {
  const cached = <T>(list: () => Promise<{ items: readonly T[]; hasMore?: boolean }>) => {
    let known: { at: number; listing: Listing<T> } | undefined;
    let underway: Promise<Listing<T>> | undefined;
    return async ({ fresh = false }: { fresh?: boolean } = {}): Promise<Listing<T>> => {
      const age = known === undefined ? Number.POSITIVE_INFINITY : now().getTime() - known.at;
      // A refusal is cached for less time, because somebody may be fixing its cause.
      if (known !== undefined && !fresh && age < (known.listing.missing === undefined ? MINUTE : 10_000))
        return known.listing;
      if (underway !== undefined && !fresh) return underway;
      // Shared by many, so it belongs to no interaction.
      const reading = (fresh ? list() : apart(list))
        .then(({ items, hasMore }): Listing<T> => (hasMore ? { items, partial: true } : { items }))
        .catch((error: unknown): Listing<T> => ({ items: [], missing: whyMissing(error) }))
        .then((listing) => {
          known = { at: now().getTime(), listing };
          return listing;
        })
        .finally(() => {
          if (underway === reading) underway = undefined;
        });
      underway = reading;
      return reading;
    };
  };
  const releases = new Map<number, ReturnType<typeof releasesOf>>();
  const releasesOf = (script: number) => cached(async () => ({ items: await platform.edgeScripts.releases(script) }));
  return {
    zones: cached(() => platform.pullZones.list()),
    scripts: cached(() => platform.edgeScripts.list()),
    releases(script, options) {
      if (releases.size >= 1_000) releases.clear();
      const read = releases.get(script) ?? releasesOf(script);
      releases.set(script, read);
      return read(options);
    },
    apps: cached(() => platform.apps.list()),
    databases: cached(() => platform.databases.list()),
    shieldZones: cached(async () => ({ items: await platform.shieldZones.mapping() })),
  };
}

function whyMissing(error: unknown): string {
  if (!(error instanceof PlatformFailure)) throw error;
  return failureWords(error, {
    refused: ({ status, message }) =>
      status === 404
        ? 'the platform has no such list'
        : `the platform refused it (${message.includes(`${status}`) ? '' : `${status}: `}${message})`,
    unanswered: 'the platform did not answer',
    unreadable: 'the platform’s answer could not be read',
  });
}
