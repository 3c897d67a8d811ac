import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../../src/errors.ts';
import {
  hostname,
  hostnameForPeople,
  parseHostname,
  zoneHostname,
} from '../../../../src/operations/arguments/resources/hostnames.ts';
import { catalogueOf, contextOf, NO_LISTS, zoneOf } from '../../performing.ts';

const zones = [
  zoneOf(1001, 'main', { Value: 'cdn.example.com', ForceSSL: false, HasCertificate: true }, 'shop.münchen.example'),
  zoneOf(1002, 'other', { Value: 'WWW.Example.com', ForceSSL: true, HasCertificate: false }, 'twice.example.com'),
  zoneOf(1003, 'third', 'twice.example.com'),
];

describe('A hostname as text', () => {
  it.each([
    ['CDN.Example.COM', 'cdn.example.com'],
    ['https://cdn.example.com/', 'cdn.example.com'],
    ['cdn.example.com.', 'cdn.example.com'],
    ['*.example.com', '*.example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['*.Bücher.example', '*.xn--bcher-kva.example'],
    ['例え。テスト', 'xn--r8jz45g.xn--zckzah'],
    ['_acme-challenge.example.com', '_acme-challenge.example.com'],
  ])('is read: %s', (typed, value) => {
    expect(parseHostname(typed)).toBe(value);
  });

  it.each([
    ['', /is empty/],
    ['localhost', /needs a dot/],
    ['a..example', /empty part/],
    ['-a.example', /hyphen/],
    ['a-.example', /hyphen/],
    ['cdn.example.com/path', /path/],
    ['cdn.example.com?x', /path/],
    ['cdn.example.com:443', /port/],
    ['cdn example.com', /space/],
    ['*', /only be the whole first part/],
    ['a.*.example', /only be the whole first part/],
    ['*a.example.com', /only be the whole first part/],
    ['%61.example', /character %/],
    ['user@example.com', /character @/],
    ['192.0.2.1', /addresses/],
    ['1.2.3', /addresses/],
    ['xn--a.example', /cannot be written/],
    ['xn--xn---epa.example', /cannot be written/],
    [`${'a'.repeat(64)}.example`, /63 characters/],
    [`${'a.'.repeat(130)}example`, /253 characters/],
  ])('is refused: %s', (typed, reason) => {
    expect(() => parseHostname(typed)).toThrow(UsageError);
    expect(() => parseHostname(typed)).toThrow(reason);
  });

  const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?$/).filter((text) => !text.startsWith('xn--'));
  const name = fc
    .tuple(fc.boolean(), fc.array(label, { minLength: 1, maxLength: 4 }), fc.stringMatching(/^[a-z]{2,8}$/))
    .map(([wildcard, labels, top]) => `${wildcard ? '*.' : ''}${labels.join('.')}.${top}`)
    // `ab--c` is reserved, and the conversion refuses it.
    .filter((text) => !/(^|\.)..--/.test(text));

  it('is read the same in any case, and once read stays as it is', () => {
    fc.assert(
      fc.property(name, (value) => {
        expect(parseHostname(value)).toBe(value);
        expect(parseHostname(value.toUpperCase())).toBe(value);
      }),
    );
  });

  it('is either refused with a UsageError or comes out in ASCII that reads the same again', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.string().map((text) => `${text}.example`),
        ),
        (text) => {
          let value: string;
          try {
            value = parseHostname(text);
          } catch (error) {
            expect(error).toBeInstanceOf(UsageError);
            return;
          }
          expect(value).toMatch(/^(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)+$/);
          expect(parseHostname(value)).toBe(value);
        },
      ),
    );
  });

  it('is shown with its international writing where that differs', () => {
    expect(hostnameForPeople('*.xn--bcher-kva.example')).toBe('*.xn--bcher-kva.example (*.bücher.example)');
    expect(hostnameForPeople('cdn.example.com')).toBe('cdn.example.com');
  });
});

describe('A hostname of any kind', () => {
  it('is known with its zone and certificate when a zone lists it', async () => {
    const given = await hostname().resolve('SHOP.münchen.example', contextOf({ lists: { zones } }));
    expect(given).toMatchObject({ Value: 'shop.münchen.example', known: true, zone: { Id: 1001 } });
    const certified = await hostname().resolve('cdn.example.com', contextOf({ lists: { zones } }));
    expect(certified.HasCertificate).toBe(true);
  });

  it('is looked for again before it counts as mistyped: it may have been added a moment ago', async () => {
    const [before, after] = [
      catalogueOf({ zones }),
      catalogueOf({ zones: [...zones, zoneOf(1004, 'new', 'cdn2.example.com')] }),
    ];
    const catalogue = { ...before, zones: async (of = {}) => ('fresh' in of && of.fresh ? after : before).zones(of) };
    const given = await hostname().resolve('cdn2.example.com', contextOf({ catalogue }));
    expect(given).toMatchObject({ known: true, zone: { Id: 1004 } });
  });

  it('is taken when no zone lists it, and says when nobody could look', async () => {
    const unlisted = await hostname().resolve('*.new.example', contextOf({ lists: { zones } }));
    expect(unlisted).toEqual({ Value: '*.new.example', known: false });
    const blind = await hostname().resolve('*.new.example', contextOf({ lists: NO_LISTS }));
    expect(blind).toEqual({ Value: '*.new.example', known: false, unread: 'the platform has no such list' });
  });
});

describe('A hostname on its zone', () => {
  const resolve = (text: string, setting: Parameters<typeof contextOf>[0] = {}) =>
    Promise.resolve(zoneHostname({ zoneIn: 'zone' }).resolve(text, contextOf({ lists: { zones }, ...setting })));

  it('finds its zone and state, in the platform’s own writing', async () => {
    expect(await resolve('www.example.com')).toEqual({
      Value: 'WWW.Example.com',
      zone: zones[1],
      known: true,
      ForceSSL: true,
      HasCertificate: false,
    });
  });

  it('goes round as text with its zone', async () => {
    const found = await resolve('cdn.example.com');
    expect(zoneHostname({ zoneIn: 'zone' }).textOf(found)).toBe('cdn.example.com@1001');
    expect(await resolve('cdn.example.com@1001', { given: { zone: '1001' } })).toEqual(found);
  });

  it('asks for --zone with an id when there is no list, and works with one', async () => {
    await expect(resolve('cdn.example.com', { lists: NO_LISTS })).rejects.toMatchObject({
      name: 'UsageError',
      hint: expect.stringContaining('--zone <id>'),
    });
    expect(await resolve('cdn.example.com', { lists: NO_LISTS, given: { zone: '7' } })).toEqual({
      Value: 'cdn.example.com',
      zone: { Id: 7 },
      known: false,
      unread: 'the platform has no such list',
    });
  });

  it('reads the list again before it says that no zone has it, and names the nearest', async () => {
    const reads: string[] = [];
    await expect(resolve('cdm.example.com', { catalogue: catalogueOf({ zones }, reads) })).rejects.toMatchObject({
      message: 'No pull zone has the hostname cdm.example.com.',
      hint: expect.stringContaining('Did you mean cdn.example.com?'),
    });
    expect(reads).toEqual(['zones', 'zones!']);
  });

  it('does not say that no zone has it where the platform lists only some of them', async () => {
    await expect(resolve('far.example.com', { lists: { zones, partial: true } })).rejects.toMatchObject({
      message: `None of the first ${zones.length} pull zones has the hostname far.example.com. There are more.`,
      hint: 'Say on which zone it is: `--zone <id>`',
    });
  });

  it('refuses a zone that is not the hostname’s own, and takes an unlisted hostname on a named zone', async () => {
    await expect(resolve('cdn.example.com', { given: { zone: 'other' } })).rejects.toThrow(
      'cdn.example.com is a hostname of the zone main (1001), not of other.',
    );
    await expect(resolve('cdn.example.com@1001', { given: { zone: '1002' } })).rejects.toThrow(
      /belongs to the zone 1001, but you gave the zone 1002/,
    );
    expect(await resolve('new.example.com', { given: { zone: 'main' } })).toMatchObject({ known: false });
  });

  it('asks which zone when two have it', async () => {
    await expect(resolve('twice.example.com')).rejects.toThrow(/on several zones: other \(1002\), third \(1003\)/);
    expect(await resolve('twice.example.com', { given: { zone: 'third' } })).toMatchObject({ zone: { Id: 1003 } });
  });

  it('suggests hostnames with their zones, and the typed text last', async () => {
    const options = await zoneHostname({ zoneIn: 'zone' }).suggest?.('cdn.exa.mple', contextOf({ lists: { zones } }));
    expect(options?.at(-1)).toEqual({ label: 'Use “cdn.exa.mple”', value: 'cdn.exa.mple' });
    const [first] = (await zoneHostname({ zoneIn: 'zone' }).suggest?.('cdn', contextOf({ lists: { zones } }))) ?? [];
    expect(first).toEqual({
      label: 'cdn.example.com',
      value: 'cdn.example.com@1001',
      description: 'main (1001)',
      names: { hostname: [['cdn.example.com']], zone: [['1001', 'main']] },
    });
  });

  it('suggests the hostnames of people before those that the platform made', async () => {
    const own = zoneOf(
      1001,
      'main',
      { Value: 'main.edge.example', IsSystemHostname: true },
      'main.example',
      'shop.example',
    );
    const labels = async (typed: string) =>
      (await hostname().suggest?.(typed, contextOf({ lists: { zones: [own] } })))?.map(({ value }) => value);
    expect(await labels('')).toEqual(['main.example', 'shop.example', 'main.edge.example']);
    expect(await labels('main')).toEqual(['main.example', 'main.edge.example']);
  });
});
