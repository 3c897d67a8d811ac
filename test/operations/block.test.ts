import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { HOUR } from '../../playground/platform/clock.ts';
import { UsageError } from '../../src/errors.ts';
import { attacker, overlap } from '../../src/operations/arguments/attackers.ts';
import { useSimulated } from './database/simulated.ts';
import { blockText, NOW, rowsOf } from './performing.ts';

/** A flood of bots on `shop`, whose shield has the plan Advanced, since twenty minutes. */
const from = NOW.getTime() - HOUR / 3;
const simulated = useSimulated({
  incidents: (zone) => (zone === 308002 ? { kind: 'flood', from, to: from + 4 * HOUR, share: 1 } : undefined),
});
const shield = () => simulated.simulator.account.shieldZones.find(({ pullZoneId }) => pullZoneId === 308002)!;
const listed = () => shield().accessLists.map(({ name, content, action }) => `${name} ${action}: ${content}`);
const writes = () => simulated.simulator.writes().length;

async function change(line: string, overrides = {}) {
  const ready = await simulated.perform(line, overrides);
  const { before, after } = await ready.preview();
  await ready.run();
  return { before, after, undo: ready.operation.undo!({ before: before!, after }, ready.values) };
}

/** As if the settings had these addresses, and the name server this one for every host. */
function trusting(trusted: readonly string[], origin?: string) {
  const { platform } = simulated;
  const addressesOf = async () => (origin === undefined ? [] : [origin]);
  return { platform: { ...platform, security: { ...platform.security, trusted, addressesOf } } };
}

beforeEach(() => {
  shield().accessLists = [];
  simulated.simulator.account.kept = [];
});

describe('block add', () => {
  it('puts an entry on a list of its own, which blocks, and takes it off again', async () => {
    expect(await change('block add shop 198.51.100.7')).toEqual({
      before: { blocked: false },
      after: { blocked: true },
      undo: { action: 'remove' },
    });
    expect(listed()).toEqual(['Edgewise addresses 2: 198.51.100.7/32']);
    expect((await change('block remove shop 198.51.100.7')).undo).toEqual({ action: 'add' });
    expect(listed()).toEqual([]);
  });

  it('switches on a list that the platform shows only a moment after it was made', async () => {
    const { platform } = simulated;
    let missed = 0;
    const lists = async (...given: Parameters<typeof platform.security.lists>) => {
      const all = await platform.security.lists(...given);
      missed += all.length > 0 && missed < 2 ? 1 : 0;
      return missed === 1 ? [] : all;
    };
    await change('block add shop 198.51.100.7', {
      platform: { ...platform, security: { ...platform.security, lists } },
    });
    expect(missed).toBe(2);
    expect(listed()).toEqual(['Edgewise addresses 2: 198.51.100.7/32']);
  });

  describe('where the platform never shows the list that was made', () => {
    const over = new AbortController();
    let did: string[];

    async function adding() {
      const { platform } = simulated;
      did = [];
      const security = {
        ...platform.security,
        lists: async () => [],
        createList: async () => ({ answer: { data: { id: did.push('made') } }, extra: {} }),
        deleteList: async (_: number, id: number) => ({ extra: { id: String(did.push(`deleted ${id}`)) } }),
      };
      const shieldZones = { ...platform.shieldZones, getByPullZone: async () => ({ shieldZoneId: 7 }) };
      const ready = await simulated.perform('block add shop 198.51.100.7', {
        platform: { ...platform, security, shieldZones },
        signal: over.signal,
      });
      return ready;
    }

    it('leaves none behind, and says so', async () => {
      await expect((await adding()).run()).rejects.toThrow(
        'The platform does not show the list that was made, so it was deleted again.',
      );
      expect(did).toEqual(['made', 'deleted 1']);
    });

    it('does not wait when its time is over', async () => {
      const ended = expect((await adding()).run()).rejects.toThrow('over');
      over.abort(new Error('over'));
      await ended;
    });
  });

  it('keeps each kind on a list of that kind', async () => {
    const ja4 = 't13d1516h2_8daaf6152771_b186095e22b6';
    for (const whom of ['203.0.113.0/24', 'as64500', 'br', ja4]) await change(`block add shop ${whom}`);
    expect(listed()).toEqual([
      'Edgewise addresses 2: 203.0.113.0/24',
      'Edgewise networks 2: 64500',
      'Edgewise countries 2: BR',
      `Edgewise fingerprints 2: ${ja4}`,
    ]);
  });

  it.each([
    ['203.0.113.7/24', '203.0.113.0/24'],
    ['203.0.113.255/31', '203.0.113.254/31'],
    ['2001:DB8:0:ffff::1/52', '2001:db8:0:f000::/52'],
    ['2001:db8::1:2:3/128', '2001:db8::1:2:3'],
    ['uk', 'GB'],
  ])('takes %s for %s, as the platform has it', (typed, text) => {
    expect(attacker().normal!(typed)).toBe(text);
  });

  it('takes away exactly its entry: what others put there meanwhile stays', async () => {
    await change('block add shop 198.51.100.7');
    shield().accessLists[0]!.content += '\n192.0.2.9/32';
    const list = {
      ...shield().accessLists[0]!,
      listId: 1,
      configurationId: 2,
      name: 'Ours',
      content: '198.51.100.7/32',
    };
    shield().accessLists.push(list);
    await change('block remove shop 198.51.100.7');
    expect(listed()).toEqual(['Edgewise addresses 2: 192.0.2.9/32', 'Ours 2: 198.51.100.7/32']);
  });

  it.each([
    ['203.0.113.7/24', 'Edgewise addresses'],
    ['2001:DB8:0:0::1/128', 'Ours'],
    ['198.51.100.7', 'Edgewise addresses'],
    ['AS64500', 'Edgewise networks'],
    ['br', 'Ours'],
  ])('takes away what others wrote in their own way, and nothing beside it: %s on %s', async (entry, name) => {
    const [type, kept] = /^AS/.test(entry) ? [2, '64501'] : entry === 'br' ? [3, 'RU'] : [1, '192.0.2.9/32'];
    await change('block add shop 198.51.100.8');
    Object.assign(shield().accessLists[0]!, { name, type, content: `${kept}\n${entry}` });
    if (name.startsWith('Edgewise')) {
      const [row] = rowsOf((await (await simulated.perform('block list shop')).run()).message).slice(1);
      expect(await change(Object.values(row!.does as Record<string, string>)[0]!)).toMatchObject({
        before: { blocked: true },
      });
    } else await change(`block remove shop ${entry}`);
    expect(listed()).toEqual([`${name} 2: ${kept}`]);
  });

  it('knows what a list of somebody else blocks already', async () => {
    await change('block add shop AS64500');
    Object.assign(shield().accessLists[0]!, { name: 'Hosts', content: 'AS64500' });
    expect((await (await simulated.perform('block add shop AS64500')).preview()).before).toEqual({ blocked: true });
  });

  it('switches its list on again, if somebody switched it off', async () => {
    await change('block add shop BR');
    shield().accessLists[0]!.isEnabled = false;
    const preview = async (line: string) => (await simulated.perform(line)).preview();
    const again = 'The list Edgewise countries is switched off. This switches it on again, with its other entries: BR.';
    expect((await preview('block add shop FR')).warnings).toContain(again);
    expect((await preview('block add shop BR')).warnings?.join()).not.toContain('switched off');
    expect((await change('block add shop BR')).before).toEqual({ blocked: false });
    expect(shield().accessLists).toMatchObject([{ isEnabled: true, content: 'BR' }]);
  });

  it('says that somebody stays blocked whom another list blocks too, and takes him off what blocks', async () => {
    await change('block add shop 198.51.100.7');
    const [own] = shield().accessLists;
    const other = { listId: 1, configurationId: 2, name: 'Ours', type: 0, content: '198.51.100.7' };
    shield().accessLists.push({ ...own!, ...other });
    const preview = async () => (await simulated.perform('block remove shop 198.51.100.7')).preview();
    expect((await preview()).warnings).toEqual(['It stays blocked by Ours.']);
    own!.isEnabled = false;
    expect(await preview()).toMatchObject({ before: { blocked: true }, warnings: [] });
    await change('block remove shop 198.51.100.7');
    expect(listed()).toEqual(['Edgewise addresses 2: 198.51.100.7/32', 'Ours 2: ']);
    expect((await preview()).before).toEqual({ blocked: false });
  });

  it('uses the zone’s own list where there is no shield, for single addresses', async () => {
    const zone = simulated.simulator.account.zones.find(({ Name }) => Name === 'staging')!;
    await change('block add staging 198.51.100.7');
    expect(zone.BlockedIps).toEqual(['198.51.100.7']);
    await change('block remove staging 198.51.100.7');
    expect(zone.BlockedIps).toEqual([]);
    zone.BlockedIps = ['2001:DB8:0::7', '192.0.2.9'];
    await change('block remove staging 2001:db8::7');
    expect(zone.BlockedIps).toEqual(['192.0.2.9']);
    zone.BlockedIps = [];
    for (const whom of ['AS64500', '203.0.113.0/24'])
      await expect((await simulated.perform(`block add staging ${whom}`)).preview()).rejects.toThrow('no shield');
  });

  it('knows what it blocked on the zone itself once that has a shield', async () => {
    const zone = simulated.simulator.account.zones.find(({ Name }) => Name === 'staging')!;
    for (const line of ['block add staging 198.51.100.7', 'attack on staging', 'attack off staging'])
      await change(line);
    const list = await (await simulated.perform('block list staging')).run();
    expect(blockText(list.message)).toContain('198.51.100.7');
    expect((await change('block remove staging 198.51.100.7')).before).toEqual({ blocked: true });
    expect(zone.BlockedIps).toEqual([]);
  });

  it.each([
    ['0.0.0.0/0', 'too wide'],
    ['10.0.0.0/8', 'too wide'],
    ['::/0', 'too wide'],
    ['0:0::ffff:203.0.0.0/104', 'too wide'],
    ['everybody', 'cannot be blocked'],
    ['203.0.113.7/99', 'cannot be blocked'],
  ])('refuses %s', async (whom, why) => {
    await expect(simulated.perform(`block add shop ${whom}`)).rejects.toThrow(why);
  });

  it.each([
    ['its office', '198.51.100.7', 'TRUSTED_ADDRESSES'],
    ['a network with its office in it', '198.51.100.0/24', 'TRUSTED_ADDRESSES'],
    ['its origin', '192.0.2.80', 'an origin of yours'],
    ['a search engine', '66.249.66.1', 'Googlebot'],
    ['a part of a search engine’s network', '66.249.66.0/24', 'Googlebot'],
  ])('refuses %s, before anything is sent', async (_, whom, why) => {
    const before = writes();
    const setting = trusting(['198.51.100.4/30'], '192.0.2.80');
    await expect((await simulated.perform(`block add shop ${whom}`, setting)).preview()).rejects.toThrow(why);
    expect(writes()).toBe(before);
  });

  it('refuses a country from which its office came in the last hour', async () => {
    const ready = await simulated.perform('block add shop BR', trusting(['203.0.113.0/24']));
    expect(await ready.preview()).toMatchObject({ after: { blocked: true } });
    await expect(ready.preflight()).rejects.toThrow('TRUSTED_ADDRESSES');
  });

  it.each([
    [
      '203.0.113.7',
      /It would have hit \*[\d,]+ of [\d,]+ requests of the last hour\*.*python-requests.*keeps networks/su,
    ],
    ['BR', /It would have hit \*[\d,]+ of .*· \/search\S* · 203\.0\.113\.0 · BR/su],
    ['AS64666', /It would have hit \*[\d,]+ of .*\/search/su],
    ['9.9.9.9', /^None of [\d,]+ requests of the last hour came from there\.$/u],
    ['AS1', /^None of /u],
  ])('says which requests of the last hour it would have hit: %s', async (whom, says) => {
    const { details } = await (await simulated.perform(`block add shop ${whom}`)).preflight();
    expect(blockText(details!)).toMatch(says);
    expect(blockText(details!)).not.toContain('?q=');
  });

  /** As if the log of the last hour had these addresses, one request each, all from Brazil. */
  function logged(...addresses: string[]) {
    const { platform } = trusting(['203.0.113.7']);
    const record = (remoteIp: string) => ({
      timestamp: NOW.toISOString(),
      remoteIp,
      countryCode: 'BR',
      url: 'https://x/',
    });
    const query = async () => ({ data: addresses.map(record), hasMore: false });
    return { platform: { ...platform, accessLogs: { ...platform.accessLogs, query } } };
  }

  it.each([
    [
      'whole addresses',
      '198.51.100.7',
      ['198.51.100.7', '198.51.100.99'],
      /^It would have hit \*1 of 2 [^*]*\*(?!.*keeps networks)/su,
    ],
    ['networks', '198.51.100.7', ['198.51.100.0', '192.0.2.0'], /^It would have hit \*1 of 2 .*keeps networks/su],
    [
      'no addresses',
      '198.51.100.7',
      ['0.0.0.0', '::'],
      /^I can’t tell how many requests it would hit: the log keeps no addresses\.$/u,
    ],
    ['no addresses', 'BR', ['0.0.0.0', '::'], /^It would have hit \*2 of 2 /u],
  ])('counts by what the log keeps: %s, for %s', async (_, whom, addresses, says) => {
    const { details } = await (await simulated.perform(`block add shop ${whom}`, logged(...addresses))).preflight();
    expect(blockText(details!)).toMatch(says);
  });

  it('refuses a country from whose networks its office may have come', async () => {
    const ready = await simulated.perform('block add shop BR', logged('203.0.113.0'));
    await expect(ready.preflight()).rejects.toThrow('203.0.113.7 was perhaps among its visitors in the last hour');
  });

  it('says that it cannot tell where there is no log', async () => {
    const { details } = await (await simulated.perform('block add downloads 198.51.100.7')).preflight();
    expect(blockText(details!)).toContain('I can’t tell how many requests it would hit: logging is not switched on');
  });
});

it('block list shows the entries of Edgewise, with a way back, then limits and the lists of others', async () => {
  const list = async (zone: string) => (await (await simulated.perform(`block list ${zone}`)).run()).message;
  expect(blockText(await list('shop'))).toContain('Nothing is blocked on *shop (308002)*.');
  for (const line of ['block add shop 198.51.100.7', 'block add shop AS64500', 'limit add shop /login 10 1m'])
    await change(line);
  shield().accessLists.push({
    ...shield().accessLists[0]!,
    listId: 1,
    configurationId: 2,
    name: 'Bad hosts',
    action: 3,
  });
  const shown = await list('shop');
  expect(rowsOf(shown)).toEqual([
    { text: '`198.51.100.7`', does: { 'Let in again': 'block remove 308002 198.51.100.7' } },
    { text: '`AS64500`', does: { 'Let in again': 'block remove 308002 AS64500' } },
  ]);
  expect(blockText(shown)).toMatch(
    /Limit on `\/login`: 10 requests in 1m.*Lists of others: Bad hosts \(challenge, 1\)/su,
  );
  await change('attack on shop');
  expect(rowsOf(await list('shop'))[0]).toMatchObject({ does: { 'Switch off': 'attack off 308002' } });
  await change('attack off shop');
  await change('limit remove shop /login 10 1m');
});

it.each(['block add shop 198.51.100.7', 'limit add shop /login 10 1m', 'attack on shop'])(
  'cannot be watched, so that nobody has it taken back by requests that fail: %s',
  async (line) => {
    await expect(simulated.perform(`${line} --watch`)).rejects.toThrow('--watch');
  },
);

describe('whom to block', () => {
  const octet = fc.integer({ min: 0, max: 255 });
  const address = fc.tuple(octet, octet, octet, octet).map((parts) => parts.join('.'));

  it('is the same when it is given back', () => {
    const kind = attacker();
    fc.assert(
      fc.property(
        fc.oneof(
          address,
          fc.ipV6(),
          fc.integer({ min: 1, max: 4e9 }).map((asn) => `as${asn}`),
        ),
        (typed) => {
          const once = kind.resolve(typed, undefined as never) as { text: string; entry: string };
          expect(kind.resolve(once.text, undefined as never)).toEqual(once);
          expect(kind.normal!(typed)).toBe(once.text);
        },
      ),
    );
  });

  it('is never a network wider than /16 or /32', () => {
    const network = fc.oneof(
      fc.tuple(address, fc.integer({ min: 0, max: 15 })),
      fc.tuple(fc.ipV6(), fc.integer({ min: 0, max: 31 })),
    );
    fc.assert(
      fc.property(network, ([one, bits]) => {
        expect(() => attacker().check(`${one}/${bits}`, NOW)).toThrow(UsageError);
      }),
    );
  });

  it('overlaps its own address, whichever is asked', () => {
    fc.assert(
      fc.property(address, fc.integer({ min: 16, max: 32 }), (one, bits) => {
        expect([overlap(one, `${one}/${bits}`), overlap(`${one}/${bits}`, one)]).toEqual([true, true]);
      }),
    );
  });
});
