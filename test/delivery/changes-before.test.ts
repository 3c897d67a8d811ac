import { beforeEach, describe, expect, it } from 'vitest';
import { plain } from '../../src/blocks/mrkdwn.ts';
import type { Changed, MadeElsewhere } from '../../src/changed.ts';
import { changesAround, lastEmptied } from '../../src/delivery/changes-before.ts';
import { createTimeLine } from '../../src/operations/changes/time-line.ts';
import { operations } from '../../src/operations/index.ts';
import type { EdgeScript, Release } from '../../src/platform/resources/edge-scripts.ts';
import { catalogueOf, scriptOf, zoneOf } from '../operations/performing.ts';
import { absent, changeServices } from '../support/services.ts';

const at = (minute: number) => new Date(Date.UTC(2026, 10, 21, 12, minute));
const release = (Uuid: string, Status: number, minute: number): Release => ({
  ...{ Uuid, Status, DatePublished: at(minute), DateReleased: at(-600) },
  ...{ Note: undefined, Author: undefined, CommitSha: undefined, Deleted: false, size: 1 },
});
const elsewhere = (done: string, minute: number, key = done): MadeElsewhere => ({
  ...{ by: 'somebody else', at: at(minute), key, zones: [1], actor: 'Somebody else', done },
});
const deploy: Changed = { by: 'mark', at: at(17), zones: [], words: 'deploy 4f2a' };

let asked: number[];
let releases: Release[];
let changes: Changed[];

beforeEach(() => {
  [asked, changes] = [[], []];
  releases = [release('new', 1, 10), release('old', 0, -600)];
});

/** Zones that began to fail at 12:20. */
async function around(...zones: number[]) {
  const linked: EdgeScript = { ...scriptOf(501, 'router'), LinkedPullZones: [{ Id: 1, PullZoneName: 'shop' }] };
  const services = changeServices({
    operations: [],
    now: () => at(30),
    policy: absent('the policy') as never,
    store: absent('the store') as never,
    seePlace: async () => ({ channelId: 'C1', external: false }),
    timeLine: async () => ({ changes, isCut: false }),
    catalogue: {
      ...catalogueOf({
        zones: [zoneOf(1, 'shop'), { ...zoneOf(2, 'blog'), EdgeScriptId: 502 }, zoneOf(3, 'docs')],
        scripts: [linked, scriptOf(502, 'images'), scriptOf(503, 'other')],
      }),
      async releases(script) {
        asked.push(script);
        return { items: releases };
      },
    },
  });
  const since = at(20).getTime();
  const found = (await changesAround(
    services,
    { id: 1, channel: 'C1', isOfSettings: true } as never,
    Object.fromEntries(zones.map((zone) => [zone, { since }])),
  ))!;
  const { began = [], before, after, back } = found;
  const value = back && 'value' in back ? back.value : undefined;
  return { began: began.map(plain), before: before.map(plain), after: after.map(plain), back: value };
}

describe('The message of an incident', () => {
  it('says after which release of a script on the zone it began, with the way back to what ran before', async () => {
    expect(await around(1)).toMatchObject({
      began: ['Began 10 min after release new of router (501)'],
      back: 'script publish 501 old',
    });
  });

  it('finds the script that the zone names, and asks for no release where a zone has no script', async () => {
    expect((await around(2)).began).toEqual(['Began 10 min after release new of images (502)']);
    expect((await around(3)).began).toEqual([]);
    expect(asked).toEqual([502]);
  });

  it('names no release of long ago or of later', async () => {
    for (const minute of [26, 21]) {
      releases = [release('late', 1, minute), release('early', 0, -41)];
      expect(await around(1)).toMatchObject({ began: [], back: undefined });
    }
  });

  it('offers no way back once something else runs, or if nothing ran before', async () => {
    releases = [release('old', 1, 26), release('new', 0, 10)];
    expect(await around(1)).toMatchObject({ began: [expect.stringContaining('release new')], back: undefined });
    releases = [release('first', 1, 10)];
    expect(await around(1)).toMatchObject({ began: [expect.stringContaining('release first')], back: undefined });
  });

  it('names a release and a mark once, whoever else tells of them, and for however many zones', async () => {
    changes = [elsewhere('published old', 16, '["old"]'), deploy, elsewhere('published new', 10, '["new"]')];
    expect(await around(1, 3)).toMatchObject({
      began: ['Began 3 min after deploy 4f2a', 'Began 10 min after release new of router (501)'],
      before: [expect.stringContaining('published old')],
    });
  });

  it('tells a change and its undo as one that was undone', async () => {
    const switched = (confirmation: string, minute: number): Changed => ({
      ...{ by: 'bot', at: at(minute), zones: [3] },
      entry: { actor: 'UADA', operation: 'ssl force', target: 'shop', given: {}, confirmation } as never,
    });
    const undone = /, undone$/;
    changes = [switched('undo-c1', 25), switched('c1', 24)];
    expect((await around(3)).after).toEqual([expect.stringMatching(undone)]);
    changes = [switched('c2', 26), ...changes];
    expect((await around(3)).after).toEqual([expect.not.stringMatching(undone), expect.stringMatching(undone)]);
    // Of before it began, and undone since.
    changes = [switched('undo-c3', 22), switched('c3', 19), switched('c1', 18)];
    expect(await around(3)).toMatchObject({
      before: [expect.stringMatching(undone), expect.not.stringMatching(undone)],
      after: [],
    });
  });

  it('names Edgewise where it did by itself what somebody had asked for', async () => {
    const entry = {
      ...{ actor: 'UADA', operation: 'ssl force', target: 'shop', given: {}, detail: 'by Edgewise, as asked' },
      preview: { before: { state: 'on' }, after: { state: 'off' } },
    };
    changes = [{ by: 'bot', at: at(25), zones: [3], entry: entry as never }];
    expect((await around(3)).after).toEqual([expect.stringMatching(/^Edgewise .*, as <@UADA> asked, /)]);
  });

  it('acquits no change of the minute in which it began', async () => {
    changes = [elsewhere('purged it', 20.3)];
    expect(await around(3)).toMatchObject({ before: [expect.stringContaining('purged it')], after: [] });
  });

  it('calls nothing “before” that came after it began', async () => {
    changes = [elsewhere('switched it on', 22), elsewhere('switched it off', 19)];
    expect(await around(3)).toMatchObject({
      before: [expect.stringContaining('switched it off')],
      after: [expect.stringContaining('switched it on')],
    });
  });
});

it.each<[string, object, number | undefined]>([
  ['a purge in the dashboard', { Action: 'PurgeCache', ResourceId: '1' }, 10],
  ['nothing, where another zone was purged', { Action: 'PurgeCache', ResourceId: '2' }, undefined],
  ['nothing, where something else was changed', { Action: 'Update', ResourceId: '1' }, undefined],
  ['a purge with the bot', {}, 5],
])('A zone’s cache was last emptied by %s', async (_, entry, minute) => {
  const own = { at: at(5), operation: 'cache clear', target: 'shop (1)', outcome: 'done', preview: { after: {} } };
  const theirs = { at: at(10), Product: 'CDN', ResourceType: 'PullZone', fields: [], ...entry };
  const timeLine = createTimeLine({
    operations,
    audit: { list: async () => ('Action' in entry ? [] : [own as never]) },
    marks: { list: async () => [] },
    catalogue: catalogueOf({ zones: [zoneOf(1, 'shop'), zoneOf(2, 'blog')] }),
    elsewhere: { read: async () => ({ from: at(-60), at: at(30), entries: [theirs], isCut: false }) },
    now: () => at(30),
  });
  expect(await lastEmptied({ operations, timeLine }, 1, at(0))).toBe(minute && at(minute).getTime());
});
