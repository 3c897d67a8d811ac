import { describe, expect, it } from 'vitest';
import { mrkdwnOf } from '../../../src/blocks/mrkdwn.ts';
import { createTimeLine, type TimeLineServices } from '../../../src/operations/changes/time-line.ts';
import { operations } from '../../../src/operations/index.ts';
import { fieldsOf } from '../../../src/platform/audit-diff.ts';
import { PlatformConnectionError } from '../../../src/platform/errors.ts';
import type { UserAuditEntry } from '../../../src/platform/resources/user-audit.ts';
import type { StoredAuditEntry } from '../../../src/store/audit-entry.ts';
import { catalogueOf, NOW, zoneOf } from '../performing.ts';

const MINUTE = 60_000;
const at = (minute: number) => new Date(NOW.getTime() - minute * MINUTE);
const SHOP = {
  ...zoneOf(1001, 'shop', 'cdn.example.com', 'img.example.com'),
  EdgeScriptId: 77,
  MagicContainersAppId: 'HbqF',
};

const logged = (minute: number, entry: Partial<UserAuditEntry>, diff?: object | string): UserAuditEntry => ({
  ...{ at: at(minute), ActorId: '5', ActorType: 'User' },
  fields: fieldsOf(typeof diff === 'object' ? JSON.stringify(diff) : diff, false),
  ...entry,
});
const onZone = { Product: 'CDN', ResourceType: 'PullZone', ResourceId: '1001' };

let number = 0;
const own = (minute: number, operation: string, target: string, after: object): StoredAuditEntry =>
  ({
    number: ++number,
    at: at(minute),
    operation,
    target,
    outcome: 'done',
    detail: '',
    given: {},
    preview: { after },
  }) as StoredAuditEntry;

describe('the time line', () => {
  async function lineOf(
    theirs: UserAuditEntry[],
    ours: StoredAuditEntry[] = [],
    more: Partial<TimeLineServices> = {},
    zone?: number,
  ) {
    const read = createTimeLine({
      operations,
      audit: { list: async ({ since }) => ours.filter((one) => since === undefined || one.at >= since) },
      marks: { list: async () => [] },
      catalogue: catalogueOf({ zones: [SHOP], shieldZones: [{ shieldZoneId: 12, pullZoneId: 1001 }] }),
      elsewhere: { read: async () => ({ from: at(24 * 60), at: NOW, entries: theirs, isCut: false }) },
      now: () => NOW,
      ...more,
    });
    const { changes, ...rest } = await read({ zone, from: at(120) });
    const said = changes.map((one) => {
      if (one.by === 'mark') return 'mark';
      return one.by === 'bot' ? `bot${one.isMissing ? ', missing' : ''}` : mrkdwnOf(one.done);
    });
    const backs = changes.map((one) => (one.by === 'somebody else' ? one.back?.value : undefined));
    return { said, backs, ...rest };
  }

  it.each([
    [
      { ...onZone },
      { Hostname: 'cdn.example.com', ForceSSL: { Old: true, New: false } },
      'switched force HTTPS *on → off* for `cdn.example.com on shop (1001)`',
      'ssl force --zone 1001 cdn.example.com on',
    ],
    [
      { Product: 'Shield', ResourceType: 'ShieldZone', ResourceId: '12' },
      { Category: 2, CategoryAction: { Old: 0, New: 1 } },
      'set `AIScraper bots on shop (1001), shield zone 12`: *None → Block*',
      'bot set shield:12 AIScraper none',
    ],
    [{ ...onZone, Action: 'PurgeCache' }, undefined, 'cleared the caches of `shop (1001)`', undefined],
    [
      { ...onZone, Action: 'PurgeCache' },
      { CacheTag: 'news' },
      'purged `tag:news on shop (1001)` from the caches',
      undefined,
    ],
    [
      { Product: 'CDN', Action: 'PurgeUrl' },
      { Url: 'https://cdn.example.com/a' },
      'purged `https://cdn.example.com/a on shop (1001)` from the caches',
      undefined,
    ],
    [
      { ...onZone, Action: 'Update' },
      { OriginUrl: { Old: null, New: 'https://a' } },
      'changed `shop (1001)` by `Update`: `OriginUrl` none → `https://a`',
      undefined,
    ],
    [
      { ResourceType: 'DnsZone', ResourceId: '9', Action: 'Delete' },
      undefined,
      'deleted `DnsZone 9` by `Delete`',
      undefined,
    ],
    [{}, 'something <!channel> else', 'changed `something`: `something &lt;!channel&gt; else`', undefined],
  ])('has what others did in words: %j %j', async (entry, diff, said, back) => {
    const line = await lineOf([logged(5, entry, diff)]);
    expect(line).toMatchObject({ said: [said], backs: [back] });
  });

  it.each([
    [{ ...onZone }],
    [{ ResourceType: 'EdgeScript', ResourceId: '77' }],
    [{ Product: 'MagicContainers', ResourceType: 'Application', ResourceId: 'HbqF' }],
    [{ Product: 'Shield', ResourceId: '12' }],
  ])('knows the zone of %j', async (entry) => {
    expect((await lineOf([logged(5, entry)], [], {}, 1001)).said).toHaveLength(1);
    expect((await lineOf([logged(5, entry)], [], {}, 1002)).said).toHaveLength(0);
  });

  it('has what the bot did once, whoever logged it, at the same second as somebody else', async () => {
    const diff = { Hostname: 'cdn.example.com', ForceSSL: { Old: true, New: false } };
    const mine = own(5, 'ssl force', 'cdn.example.com on shop (1001)', { ForceSSL: false });
    const by = { ActorId: '90210', ActorType: 'ApiKey' };
    expect((await lineOf([logged(5, { ...onZone, ...by }, diff)], [mine])).said).toEqual(['bot']);
    const both = await lineOf(
      [logged(5, { ...onZone, ...by }, diff), logged(5, onZone, { ...diff, Hostname: 'img.example.com' })],
      [mine],
    );
    expect(both.said.sort()).toEqual(['bot', expect.stringContaining('img.example.com')]);
  });

  it('does not tell the token of its own query as somebody else’s, nor the query as a change', async () => {
    const token = logged(5, {
      ResourceType: 'Database',
      ResourceId: 'db_01',
      Action: 'GenerateToken',
      ActorId: '90210',
    });
    const query = own(5, 'database query', 'orders (db_01)', {});
    expect((await lineOf([token], [query])).said).toEqual([]);
    expect((await lineOf([token], [])).said).toHaveLength(1);
    expect((await lineOf([token, { ...token, at: at(30) }], [query])).said).toHaveLength(1);
  });

  it('names what the platform’s audit lacks, once it had time, and only of what it has to know', async () => {
    const ours = [
      own(5, 'cache clear', 'shop (1001)', { cache: 'empty' }),
      own(30, 'cache clear', 'shop (1001)', { cache: 'empty' }),
      own(40, 'report mute', 'daily-statistics in #ops', {}),
    ];
    expect((await lineOf([], ours)).said).toEqual(['bot', 'bot, missing', 'bot']);
    const failure = new PlatformConnectionError('gone', {
      service: 'management',
      method: 'GET',
      path: '/',
      applied: 'no',
    });
    const failing = await lineOf([], ours, { elsewhere: { read: async () => Promise.reject(failure) } });
    expect(failing).toMatchObject({ said: ['bot', 'bot', 'bot'], failure, unread: 'the platform did not answer' });
    const off = await lineOf([], ours, { elsewhere: { read: async () => undefined } });
    expect(off).toMatchObject({
      said: ['bot', 'bot', 'bot'],
      failure: undefined,
      unread: expect.stringMatching(/does not let this key/),
    });
  });
});
