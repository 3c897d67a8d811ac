import { describe, expect, it } from 'vitest';
import type { CertificateRequest } from '../../../src/platform/resources/pull-zones.ts';
import type { Done } from '../../../src/platform/shapes.ts';
import { blockText, buttonsOf, NO_LISTS, type PlatformPart, prepare, zoneOf } from '../performing.ts';

const lists = {
  zones: [
    zoneOf(
      1001,
      'shop',
      { Value: 'shop.example.com', HasCertificate: true },
      { Value: 'new.example.com', HasCertificate: false },
    ),
  ],
};

function pullZones(answer: Done<CertificateRequest>, sent: unknown[] = []): PlatformPart {
  return {
    pullZones: {
      async requestExternalDnsCertificate(given) {
        sent.push(given);
        return answer;
      },
      async completeExternalDnsCertificate(given) {
        sent.push(given);
        return { extra: {} };
      },
    },
  };
}

describe('certificate request', () => {
  it('shows whether there is a certificate, and afterwards the TXT record to copy and a button to go on', async () => {
    const sent: unknown[] = [];
    const record = {
      TxtRecordName: '_acme-challenge.new.example.com',
      TxtRecordValue: 'abc_-*def',
      ExpiresAt: '2026-11-28T10:00:00Z',
    };
    const platform = pullZones({ answer: record, extra: { Method: 'dns-01' } }, sent);
    const prepared = await prepare('certificate request new.example.com', { platform, lists });
    const preview = await prepared.preview();
    expect(preview.before).toBeUndefined();
    expect(preview.after).toEqual({ Verification: 'a TXT record at _acme-challenge.new.example.com' });
    expect(preview.warnings).toEqual([]);
    expect(preview.details?.text).toMatch(/^Pull zone: shop \(1001\)\nCertificate now: no\n/);
    expect(preview.details?.text).toContain(
      'You create that record yourself. Its name and value come with the answer.',
    );
    expect(preview.details?.text).toContain('A CNAME at _acme-challenge.new.example.com would hide the TXT record');
    const message = await prepared.run();
    const text = blockText(message);
    expect(sent).toEqual([{ Hostname: 'new.example.com' }]);
    expect(text).toContain('\n_acme-challenge.new.example.com\n');
    expect(text).toContain('\nabc_-*def\n');
    expect(text).toContain('A CNAME at `_acme-challenge.new.example.com` would hide it');
    expect(text).toContain('Nov 28, 2026, 10:00 AM UTC');
    expect(text).toContain('*Method*\n`dns-01`');
    expect(buttonsOf(message)).toEqual({ Complete: 'certificate complete new.example.com' });
  });

  it('shows an unknown answer as keys and values, and takes an empty one for success', async () => {
    const run = async (done: Done<CertificateRequest>) =>
      blockText(
        await (await prepare('certificate request new.example.com', { platform: pullZones(done), lists })).run(),
      );
    expect(await run({ answer: {}, extra: { 'Record.Host': '_acme', Ttl: '60' } })).toContain('*Record.Host*\n`_acme`');
    const empty = await run({ extra: {} });
    expect(empty).toContain('requested a certificate for `new.example.com on shop (1001)`');
    expect(empty).toContain('The platform’s answer says nothing more');
  });

  it('takes wildcards and international names in the form of the network', async () => {
    const sent: unknown[] = [];
    const platform = pullZones({ extra: {} }, sent);
    const prepared = await prepare('certificate request *.bücher.example', { platform, lists });
    expect(prepared.target).toBe('*.xn--bcher-kva.example (*.bücher.example)');
    await prepared.run();
    expect(sent).toEqual([{ Hostname: '*.xn--bcher-kva.example' }]);
  });

  it('offers the hostname that is listed for one that looks mistyped', async () => {
    const refused = prepare('certificate request shop.exemple.com', { lists });
    await expect(refused).rejects.toMatchObject({
      message: 'No pull zone has the hostname shop.exemple.com.',
      hint: expect.stringContaining('If it is right, add it to a pull zone in the platform’s dashboard first.'),
      instead: ['shop.example.com'],
    });
  });

  it('warns of a hostname that no zone lists, of one that has a certificate, and when nobody could look', async () => {
    const warnings = async (host: string, setting = {}) =>
      (await (await prepare(`certificate request ${host}`, { lists, ...setting })).preview()).warnings;
    expect(await warnings('other.example.com')).toEqual([expect.stringContaining('No pull zone lists this hostname')]);
    expect(await warnings('other.example.com', { lists: { ...lists, partial: true } })).toEqual([
      'I could not look up whether a pull zone has this hostname: the platform lists only some of its zones.',
    ]);
    expect(await warnings('shop.example.com')).toEqual(['This hostname already has a certificate.']);
    expect(await warnings('shop.example.com', { lists: NO_LISTS })).toEqual([
      expect.stringContaining(
        'I could not look up whether a pull zone has this hostname: the platform has no such list.',
      ),
    ]);
  });

  it.each(['localhost', 'a b.example', '192.0.2.7', 'x.example:8443'])(
    'refuses “%s” without a request',
    async (host) => {
      await expect(prepare(`certificate request "${host}"`, { lists })).rejects.toThrow(/is not a hostname/);
    },
  );
});

describe('certificate complete', () => {
  it('goes from no certificate to one, and says so', async () => {
    const sent: unknown[] = [];
    const prepared = await prepare('certificate complete new.example.com', {
      platform: pullZones({ extra: {} }, sent),
      lists,
    });
    expect(await prepared.preview()).toMatchObject({
      before: { certificate: 'none' },
      after: { certificate: 'issued' },
    });
    expect(blockText(await prepared.run())).toBe('completed the certificate for `new.example.com on shop (1001)`');
    expect(sent).toEqual([{ Hostname: 'new.example.com' }]);
  });

  it('does not claim to know the state of a hostname that has one already, or that nobody lists', async () => {
    for (const host of ['shop.example.com', 'other.example.com']) {
      const preview = await (await prepare(`certificate complete ${host}`, { lists })).preview();
      expect(preview.before).toBeUndefined();
      expect(preview.unread).toBeDefined();
    }
  });
});
