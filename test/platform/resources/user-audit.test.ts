import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fieldsOf } from '../../../src/platform/audit-diff.ts';
import { type OnSimulator, onSimulator } from '../../operations/on-simulator.ts';
import { NOW } from '../../operations/performing.ts';

const HOUR = 3_600_000;
const DAY_BEFORE = { from: new Date(NOW.getTime() - 24 * HOUR), to: new Date(NOW.getTime() + HOUR) };

describe('the audit of the account', () => {
  let here: OnSimulator;
  beforeEach(async () => {
    here = await onSimulator();
  });
  afterEach(() => here.close());

  const entry = (at: number, more: object = {}) => ({
    Timestamp: new Date(at).toISOString(),
    ...{ Product: null, ResourceType: null, ResourceId: null, ResourceOwner: null },
    ...{ Action: null, ActorId: null, ActorType: null, Diff: null },
    ...more,
  });

  it('has what the bot changed, with the key as its actor', async () => {
    const [zone] = here.simulator.account.zones;
    const Hostname = zone!.Hostnames[0]!.Value;
    await here.platform.pullZones.setForceSSL(zone!.Id, { Hostname, ForceSSL: !zone!.Hostnames[0]!.ForceSSL });
    const { entries, isCut } = await here.platform.userAudit.between(DAY_BEFORE);
    expect(isCut).toBe(false);
    expect(entries).toMatchObject([
      {
        at: NOW,
        ResourceType: 'PullZone',
        ResourceId: String(zone!.Id),
        ActorId: String(here.simulator.account.keys[0]!.Id),
      },
    ]);
    expect(entries[0]!.fields.map(({ field }) => field)).toEqual(['Hostname', 'ForceSSL']);
  });

  it('is read day by day, page by page, newest first, and no further than asked', async () => {
    const at = (back: number) => NOW.getTime() - back * 60_000;
    for (let back = 0; back < 2_500; back += 1)
      here.simulator.audit.push(entry(at(back), { ResourceId: String(back) }));
    const { entries } = await here.platform.userAudit.between({
      from: new Date(at(30 * 60)),
      to: new Date(NOW.getTime() + 1),
    });
    expect(new Set(entries.map(({ ResourceId }) => ResourceId)).size).toBe(30 * 60 + 1);
    const asked = here.simulator.requests.filter(({ path }) => path.startsWith('/user/audit/'));
    expect(asked.map(({ query }) => [query.Order, query.Limit])).toEqual(asked.map(() => ['Descending', '1000']));
    // 721 entries are of today, and those of yesterday end on their second page.
    expect(asked).toHaveLength(3);
  });

  it('is read where nothing in it is known', async () => {
    here.simulator.audit.push(
      entry(NOW.getTime(), { Product: 'Stream', ActorId: 7, Diff: '{"a":{"Old":null,"New":null}}' }),
    );
    const { entries } = await here.platform.userAudit.between(DAY_BEFORE);
    expect(entries).toMatchObject([
      { Product: 'Stream', ResourceId: undefined, ActorId: '7', fields: [{ field: 'a', before: null, after: null }] },
    ]);
  });
});

describe('a diff', () => {
  const of = (diff: unknown, isSecret = false) =>
    fieldsOf(typeof diff === 'string' ? diff : JSON.stringify(diff), isSecret);

  it.each([
    [{ OriginUrl: { Old: 'a', New: 'b' } }],
    [{ OriginUrl: { OldValue: 'a', NewValue: 'b' } }],
    [[{ PropertyName: 'OriginUrl', OldValue: 'a', NewValue: 'b' }]],
    [{ Changes: [{ Field: 'OriginUrl', From: 'a', To: 'b' }] }],
    [{ Before: { OriginUrl: 'a', Id: 1 }, After: { OriginUrl: 'b', Id: 1 } }],
  ])('is understood in several forms: %j', (diff) => {
    expect(of(diff)).toMatchObject([{ field: expect.stringMatching(/OriginUrl$/), before: 'a', after: 'b' }]);
  });

  it.each([
    ['[]', '', []],
    ['', '[]', []],
    ['off', '{}', []],
    ['{}', null, []],
    ['{"a":1}', 'off', [['.a', '1', null]]],
    ['off', '[{"a":1}]', [['.a', null, '1']]],
    [
      'off',
      '[{"Key":"Authorization","a":"one"}]',
      [
        ['.Key', null, '[secret]'],
        ['.a', null, '[secret]'],
      ],
    ],
  ])('tells both sides where only one is JSON in a text: %s, then %s', (Old, New, inside) => {
    const whole = (side: string | null) => (inside.length > 0 && side?.includes('"') === true ? '…' : side);
    for (const diff of [{ Rules: { Old, New } }, [{ PropertyName: 'Rules', OldValue: Old, NewValue: New }]])
      expect(of(diff).map(({ field, before, after }) => [field.replace(/^.*Rules/, ''), before, after])).toEqual([
        ['', whole(Old), whole(New)],
        ...inside,
      ]);
  });

  it('that is no JSON stays a text, and none has no fields', () => {
    expect(of('OriginUrl changed')).toMatchObject([{ field: '', after: 'OriginUrl changed' }]);
    expect([...of(''), ...fieldsOf(undefined, false)]).toEqual([]);
  });

  it.each([
    [{ ZoneSecurityKey: { Old: 'one', New: 'two' } }],
    [{ Before: { Log: { ForwardingToken: 'one' } }, After: { Log: { ForwardingToken: 'two' } } }],
    [{ Name: 'DB_PASSWORD', Value: { Old: 'one', New: 'two' } }],
    [{ PropertyName: 'AwsSigningSecret', OldValue: 'one', NewValue: 'two' }],
    [{ EdgeRules: { Old: [], New: [{ ActionParameter1: 'X-Api-Key', ActionParameter2: 'two' }] } }],
    [{ EdgeRules: { Old: '[]', New: '[{"ActionParameter1":"Authorization","ActionParameter2":"two"}]' } }],
    [{ Headers: [{ Key: 'Authorization', Value: 'one' }] }],
    [{ Before: { Variables: [{ Name: 'X', Value: 'one' }] }, After: { Variables: [{ Name: 'X', Value: 'two' }] } }],
  ])('shows no secret: %j', (diff) => {
    expect(JSON.stringify(of(diff))).not.toMatch(/"(?:one|two)"/);
    expect(JSON.stringify(of(diff))).toContain('[secret]');
  });

  it('is small, whatever the platform sends', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.json({ maxDepth: 12 }), fc.string({ maxLength: 5_000 })),
        fc.boolean(),
        (diff, isSecret) => {
          const fields = fieldsOf(diff, isSecret);
          expect(fields.length).toBeLessThanOrEqual(20);
          for (const { field, before, after } of fields)
            for (const one of [field, before, after]) expect((one ?? '').length).toBeLessThanOrEqual(200);
        },
      ),
    );
  });
});
