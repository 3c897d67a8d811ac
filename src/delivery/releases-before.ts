import { mrkdwn, type Words } from '../blocks/mrkdwn.ts';
import { apart } from '../interaction.ts';
import { nameWithId } from '../operations/arguments/resources/look-up.ts';
import { isRunning, releaseBefore, releaseName, shortRelease } from '../operations/arguments/resources/releases.ts';
import type { Catalogue } from '../operations/catalogue.ts';
import { scriptsOn } from '../operations/linked-scripts.ts';
import type { Platform } from '../platform/client.ts';
import { PlatformError } from '../platform/errors.ts';
import { type EdgeScript, publishedAt, type Release } from '../platform/resources/edge-scripts.ts';
import { HOUR, MINUTE } from '../time.ts';

/** A release of a script on a zone. */
export interface Released {
  at: Date;
  /** `release 4f2a91c0 of router (501)` */
  words: Words;
  /** To what ran before, unless something else runs by now. */
  back: { label: string; line: string } | undefined;
}

/** Releases of the scripts on zones, read when an incident is told. */
export interface Releases {
  /** The last one between two moments. Undefined: there is none, or they cannot be read. */
  last(zone: number, from: Date, to: Date): Promise<Released | undefined>;
  /** Why it is off. */
  refused(): string | undefined;
}

/** Scripts that are read for one incident. */
const MOST = 3;

export function createReleases({
  platform,
  catalogue,
  now,
}: {
  platform: Pick<Platform, 'edgeScripts'>;
  catalogue: Pick<Catalogue, 'zones' | 'scripts'>;
  now: () => Date;
}): Releases {
  /** Each message of an incident asks. */
  const known = new Map<number, { at: number; releases: Promise<Release[]> }>();
  let refused: { at: number; why: string } | undefined;

  function off(why: string): void {
    refused = { at: now().getTime(), why: `off: ${why}` };
  }

  function releasesOf(script: number): Promise<Release[]> {
    const at = now().getTime();
    const read = known.get(script);
    if (read !== undefined && at - read.at < MINUTE) return read.releases;
    const releases = apart(() => platform.edgeScripts.releases(script, { priority: 'background' }));
    if (known.size >= 1_000) known.clear();
    known.set(script, { at, releases });
    releases.catch(() => known.delete(script));
    return releases;
  }

  return {
    async last(zone, from, to) {
      // Rights may be given meanwhile.
      if (refused !== undefined && now().getTime() - refused.at < HOUR) return undefined;
      refused = undefined;
      try {
        const { missing } = await catalogue.scripts();
        // Asked again at the next message.
        if (missing !== undefined) refused = { at: 0, why: `off: the edge scripts cannot be listed: ${missing}` };
        const read = (await scriptsOn(zone, catalogue)).slice(0, MOST).map(async (script) => {
          const releases = await releasesOf(script.Id);
          const release = releases.find((one) => isWithin(publishedAt(one), from, to));
          return release && releasedOf(script, release, releases);
        });
        const found = (await Promise.all(read)).filter((one) => one !== undefined);
        return found.sort((a, b) => b.at.getTime() - a.at.getTime())[0];
      } catch (error) {
        if (!(error instanceof PlatformError && [401, 403, 404].includes(error.status))) throw error;
        off(`releases of edge scripts may not be read with this key (${error.status})`);
        return undefined;
      }
    },
    refused: () => refused?.why,
  };
}

const isWithin = (at: Date | undefined, from: Date, to: Date): boolean => at !== undefined && at >= from && at <= to;

function releasedOf(script: EdgeScript, release: Release, releases: readonly Release[]): Released {
  const before = isRunning(release) ? releaseBefore(releases) : undefined;
  return {
    at: publishedAt(release)!,
    words: mrkdwn`release ${releaseName(release)} of ${nameWithId(script)}`,
    back: before && {
      label: `Back to ${shortRelease(before.Uuid)}`,
      line: `script publish ${script.Id} ${before.Uuid}`,
    },
  };
}
