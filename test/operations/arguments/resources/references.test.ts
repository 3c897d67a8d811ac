import { describe, expect, it } from 'vitest';
import { database } from '../../../../src/operations/arguments/resources/databases.ts';
import { file } from '../../../../src/operations/arguments/resources/files.ts';
import { app, script } from '../../../../src/operations/arguments/resources/kinds.ts';
import { shieldZone } from '../../../../src/operations/arguments/resources/shield-zones.ts';
import { pullZone } from '../../../../src/operations/arguments/resources/zones.ts';
import type { ArgumentKind } from '../../../../src/operations/operation.ts';
import type { Database } from '../../../../src/platform/resources/databases.ts';
import { Secret } from '../../../../src/secret.ts';
import {
  catalogueOf,
  contextOf,
  fileOf,
  type Lists,
  NO_LISTS,
  type Setting,
  scriptOf,
  zoneOf,
} from '../../performing.ts';

const databaseOf = (id: string, name: string): Database => ({ id, name, primary_regions: [], replicas_regions: [] });

const lists = {
  zones: [zoneOf(1001, 'shop', 'shop.example.com'), zoneOf(1002, 'docs'), zoneOf(12, 'small')],
  scripts: [scriptOf(501, 'router'), scriptOf(502, 'router-old')],
  apps: [{ id: 'HbqFNk0KZjzYOcp', name: 'stock-api' }],
  databases: [databaseOf('db_01HX', 'orders')],
  shieldZones: [
    { shieldZoneId: 12, pullZoneId: 1001 },
    { shieldZoneId: 77, pullZoneId: 12 },
  ],
} satisfies Lists;

async function resolve<T>(kind: ArgumentKind<T>, text: string, setting: Setting = { lists }): Promise<T> {
  kind.check(text, new Date());
  return kind.resolve(text, contextOf(setting));
}

describe('A pull zone', () => {
  it.each(['1001', 'SHOP', 'shop.example.com', 'https://shop.example.com/a?b=c#d', 'http://SHOP.example.com/'])(
    'is found by %s',
    async (text) => {
      const zone = await resolve(pullZone(), text);
      expect(zone).toMatchObject({ Id: 1001, Name: 'shop' });
      expect(pullZone().textOf(zone)).toBe('1001');
    },
  );

  it('is its id alone when no list has it', async () => {
    expect(await resolve(pullZone(), '99')).toEqual({ Id: 99 });
    expect(await resolve(pullZone(), '1001', { lists: NO_LISTS })).toEqual({ Id: 1001 });
  });

  it('cannot be named without a list, and says that an id is needed', async () => {
    await expect(resolve(pullZone(), 'shop', { lists: NO_LISTS })).rejects.toMatchObject({
      name: 'UsageError',
      message: expect.stringContaining('the platform has no such list'),
      hint: 'Give the id of the pull zone instead of its name.',
    });
  });

  it('is looked for once more before it is unknown; the nearest and the command are named', async () => {
    const reads: string[] = [];
    await expect(resolve(pullZone(), 'shpo', { catalogue: catalogueOf(lists, reads) })).rejects.toMatchObject({
      message: 'There is no pull zone “shpo”.',
      hint: 'Did you mean shop? `/edge zone list` lists them.',
    });
    expect(reads).toEqual(['zones', 'zones!', 'zones']);
  });

  it('is read afresh when a confirmation is carried out', async () => {
    const reads: string[] = [];
    await resolve(pullZone(), '1001', { catalogue: catalogueOf(lists, reads), fresh: true });
    expect(reads).toEqual(['zones!']);
  });

  it.each(['0', '-3', '9007199254740993', ''])('is never “%s”, and nothing is asked', async (text) => {
    const reads: string[] = [];
    await expect(resolve(pullZone(), text, { catalogue: catalogueOf(lists, reads) })).rejects.toMatchObject({
      name: 'UsageError',
    });
    expect(reads).toEqual([]);
  });
});

describe('A shield zone', () => {
  it.each([
    ['shop', 12],
    ['1001', 12],
    ['zone:12', 77],
    ['shield:12', 12],
    ['shield:5', 5],
  ])('is found by %s', async (text, shieldZoneId) => {
    const shield = await resolve(shieldZone(), text);
    expect(shield.shieldZoneId).toBe(shieldZoneId);
    expect(shield.assumed).toBeUndefined();
    expect(shieldZone().textOf(shield)).toBe(`shield:${shieldZoneId}`);
  });

  it('knows its pull zone through the mapping', async () => {
    expect(await resolve(shieldZone(), 'shield:12')).toMatchObject({ zone: { Id: 1001, Name: 'shop' } });
  });

  it('is not guessed when a number is the id of both', async () => {
    await expect(resolve(shieldZone(), '12')).rejects.toMatchObject({
      message: '12 is the id of a pull zone and of a shield zone.',
      hint: 'Write `zone:12` for the pull zone or `shield:12` for the shield zone.',
    });
  });

  it('says when a pull zone has none', async () => {
    await expect(resolve(shieldZone(), 'docs')).rejects.toThrow('The pull zone docs (1002) has no shield zone.');
    await expect(resolve(shieldZone(), '1002')).rejects.toThrow('The pull zone docs (1002) has no shield zone.');
  });

  it('is what a bare number means when nothing can be looked up, and says so', async () => {
    expect(await resolve(shieldZone(), '5', { lists: NO_LISTS })).toEqual({
      shieldZoneId: 5,
      assumed: expect.stringContaining('I read 5 as the id of a shield zone, not of a pull zone'),
    });
    await expect(resolve(shieldZone(), 'shop', { lists: NO_LISTS })).rejects.toMatchObject({
      hint: 'Give the id of the shield zone instead: `shield:<id>`',
    });
    await expect(resolve(shieldZone(), 'zone:5', { lists: NO_LISTS })).rejects.toThrow(/cannot be looked up/);
  });

  it.each(['shield:shop', 'shield:', 'shield:0', 'zone:-1'])('is never %s', async (text) => {
    await expect(resolve(shieldZone(), text)).rejects.toMatchObject({ name: 'UsageError' });
  });

  it('is suggested by the name of its pull zone', async () => {
    const options = await shieldZone().suggest?.('shop', contextOf({ lists }));
    expect(options?.[0]).toEqual({
      label: 'shop',
      value: 'shield:12',
      description: 'Pull zone 1001, shield zone 12',
      names: { zone: [['shield:12', '1001', 'shop']] },
    });
  });
});

describe('Scripts, applications and databases', () => {
  it('are found by name and by id', async () => {
    expect(await resolve(script(), 'Router')).toMatchObject({ Id: 501 });
    expect(await resolve(script(), '502')).toMatchObject({ Name: 'router-old' });
    expect(await resolve(app(), 'stock-api')).toMatchObject({ id: 'HbqFNk0KZjzYOcp', name: 'stock-api' });
    expect(await resolve(app(), 'HbqFNk0KZjzYOcp')).toMatchObject({ name: 'stock-api' });
    expect(await resolve(database(), 'orders')).toMatchObject({ id: 'db_01HX' });
  });

  it('are their ids alone without a list', async () => {
    const setting = { lists: NO_LISTS };
    expect(await resolve(script(), '501', setting)).toEqual({ Id: 501 });
    expect(await resolve(app(), 'HbqFNk0KZjzYOcp', setting)).toEqual({ id: 'HbqFNk0KZjzYOcp', unlisted: true });
    expect(await resolve(database(), 'db_01HX', setting)).toEqual({
      id: 'db_01HX',
      unlisted: true,
      words: ['db_01HX', '?'],
    });
    await expect(resolve(script(), 'router', setting)).rejects.toMatchObject({ name: 'UsageError' });
    await expect(resolve(app(), 'stock api', setting)).rejects.toMatchObject({ name: 'UsageError' });
  });

  it('are refused with the nearest match when the list does not have them', async () => {
    await expect(resolve(app(), 'stok-api')).rejects.toMatchObject({
      message: 'There is no application “stok-api”.',
      hint: 'Did you mean stock-api? `/edge app list` lists them.',
    });
    await expect(resolve(script(), 'rou')).rejects.toMatchObject({
      message: 'There is no edge script “rou”.',
      instead: ['router', 'router-old'],
    });
  });

  it('work by ids beyond the part that the platform lists, and by the names within it', async () => {
    const setting = { lists: { ...lists, partial: true as const } };
    expect(await resolve(app(), 'Q9beyondTheList', setting)).toEqual({ id: 'Q9beyondTheList', unlisted: true });
    expect(await resolve(database(), 'db_01HY', setting)).toEqual({
      id: 'db_01HY',
      unlisted: true,
      words: ['db_01HY', '?'],
    });
    expect(await resolve(app(), 'stock-api', setting)).toMatchObject({ id: 'HbqFNk0KZjzYOcp', name: 'stock-api' });
    await expect(resolve(app(), 'no id at all', setting)).rejects.toMatchObject({
      message: expect.stringMatching(/^“no id at all” is not among the first \d applications\. There are more\.$/),
      hint: 'Give the id of the application instead of its name.',
    });
    await expect(resolve(app(), 'Q9beyondTheList')).rejects.toMatchObject({ name: 'UsageError' });
  });

  it('include the database in the settings, by its word and, without a list, by its host', async () => {
    const configuredDatabase = { url: 'libsql://db-x.databases.example', token: Secret.of('t') };
    const configured = { id: 'configured', name: 'configured', configured: true, words: ['?', 'configured'] };
    expect(await resolve(database(), 'Configured', { lists, configuredDatabase })).toEqual(configured);
    expect(await resolve(database(), 'db-x', { lists: NO_LISTS, configuredDatabase })).toEqual(configured);
    await expect(resolve(database(), 'configured')).rejects.toMatchObject({ name: 'UsageError' });
    const [first] = (await database().suggest?.('', contextOf({ lists, configuredDatabase }))) ?? [];
    expect(first?.value).toBe('configured');
  });
});

describe('A file', () => {
  const kind = file('Definition', { extensions: ['json', 'yaml'], maxBytes: 20 });
  const given = fileOf('F0A1', 'api.JSON', '{"openapi":"3.0.3"}');

  it('goes round by its id and hash, and is refused when its content has changed', async () => {
    const first = await resolve(kind, 'F0A1', { files: [given] });
    const text = kind.textOf(first) ?? '';
    expect(text).toBe(`F0A1:sha256:${given.sha256}`);
    expect(await resolve(kind, text, { files: [given] })).toBe(given);
    const changed = fileOf('F0A1', 'api.json', '{"openapi":"3.0.4"}');
    await expect(resolve(kind, text, { files: [changed] })).rejects.toThrow(/its content has changed/);
  });

  it.each([
    [fileOf('F0A1', 'api.json', ''), /is empty/],
    [fileOf('F0A1', 'api.json', 'x'.repeat(21)), /at most 1 kB/],
    [fileOf('F0A1', 'api.exe', 'x'), /wrong type: only \.json, \.yaml are accepted/],
  ])('is refused: %#', async (wrong, reason) => {
    await expect(resolve(kind, 'F0A1', { files: [wrong] })).rejects.toThrow(reason);
  });

  it('is not what is no id of a file', () => {
    expect(() => kind.check('api.json', new Date())).toThrow(/is not a file's id/);
  });
});
