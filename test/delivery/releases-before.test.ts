import { beforeEach, describe, expect, it } from 'vitest';
import { plain } from '../../src/blocks/mrkdwn.ts';
import { createReleases, type Releases } from '../../src/delivery/releases-before.ts';
import { PlatformError } from '../../src/platform/errors.ts';
import type { Release } from '../../src/platform/resources/edge-scripts.ts';
import { catalogueOf, scriptOf, zoneOf } from '../operations/performing.ts';

const at = (minute: number) => new Date(Date.UTC(2026, 10, 21, 12, minute));
const release = (Uuid: string, Status: number, minute: number): Release => ({
  ...{ Uuid, Status, DatePublished: at(minute), DateReleased: at(-600) },
  ...{ Note: undefined, Author: undefined, CommitSha: undefined, Deleted: false, size: 1 },
});
const NOT_ALLOWED = new PlatformError('No.', { status: 403, service: 'management', method: 'GET', path: '/compute' });

let now: Date;
let asked: number[];
let listed: () => Release[];
let releases: Releases;

beforeEach(() => {
  [now, asked] = [at(30), []];
  listed = () => [release('new', 1, 10), release('old', 0, -600)];
  const linked = { ...scriptOf(501, 'router'), LinkedPullZones: [{ Id: 1, PullZoneName: 'shop' }] };
  releases = createReleases({
    platform: {
      edgeScripts: {
        releases: async (id: number) => {
          asked.push(id);
          return listed();
        },
      } as never,
    },
    catalogue: catalogueOf({
      zones: [{ ...zoneOf(1, 'shop') }, { ...zoneOf(2, 'blog'), EdgeScriptId: 502 }, zoneOf(3, 'docs')],
      scripts: [linked, scriptOf(502, 'images'), scriptOf(503, 'other')],
    }),
    now: () => now,
  });
});

const last = (zone: number) => releases.last(zone, at(-45), at(20));

describe('the release before an incident', () => {
  it('is the last one of a script on its zone, with the way back to what ran before', async () => {
    const found = (await last(1))!;
    expect([found.at, plain(found.words)]).toEqual([at(10), 'release new of router (501)']);
    expect(found.back).toEqual({ label: 'Back to old', line: 'script publish 501 old' });
  });

  it('is found by the script that the zone names, and costs nothing for a zone without one', async () => {
    expect(plain((await last(2))!.words)).toBe('release new of images (502)');
    expect(await last(3)).toBeUndefined();
    expect(asked).toEqual([502]);
  });

  it('is not one of long ago or of later, and is read once a minute', async () => {
    listed = () => [release('late', 1, 25), release('early', 0, -50)];
    expect([await last(1), await last(1)]).toEqual([undefined, undefined]);
    expect(asked).toEqual([501]);
  });

  it('offers no way back once something else runs, or if nothing ran before', async () => {
    listed = () => [release('old', 1, 25), release('new', 0, 10)];
    expect((await last(1))!.back).toBeUndefined();
    now = at(40);
    listed = () => [release('first', 1, 10)];
    expect((await last(1))!.back).toBeUndefined();
  });

  it('is off for an hour, and says so, where the key may not read it', async () => {
    listed = () => {
      throw NOT_ALLOWED;
    };
    expect([await last(1), await last(1)]).toEqual([undefined, undefined]);
    expect(asked).toEqual([501]);
    expect(releases.refused()).toBe('off: releases of edge scripts may not be read with this key (403)');
    now = at(95);
    listed = () => [release('new', 1, 10)];
    expect(await last(1)).toBeDefined();
    expect(releases.refused()).toBeUndefined();
  });

  it('is tried again where the platform only failed', async () => {
    listed = () => {
      throw new PlatformError('Broken.', { status: 500, service: 'management', method: 'GET', path: '/compute' });
    };
    await expect(last(1)).rejects.toThrow('Broken');
    expect(releases.refused()).toBeUndefined();
  });
});
