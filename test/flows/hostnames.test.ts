import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CONFIRM } from '../support/changes.ts';
import { listedZone, startOnCanned } from '../support/on-canned.ts';

const NOW = new Date('2026-11-25T12:00:00Z');

describe('a hostname', () => {
  let canned: Awaited<ReturnType<typeof startOnCanned>>;
  beforeAll(async () => {
    canned = await startOnCanned(NOW);
    const { answer } = canned.platform;
    const zones = [
      listedZone(42, 'saas', '*.tenants.example.com'),
      listedZone(43, 'big', 'big.tenants.example.com'),
      listedZone(44, 'names', 'Bücher.example', 'UPPER.Example.COM', 'trail.example.com.', 'xn--strae-oqa.example'),
    ];
    answer('GET /api/pullzone', { body: { Items: zones, HasMoreItems: false } });
    for (const body of zones) {
      const zone = body.Id;
      answer(`GET /api/pullzone/${zone}`, { body });
      answer(`GET /logging/v2/pullzones/${zone}/logs`, { body: { data: [], pagination: { hasMore: false } } });
      answer(`POST /api/pullzone/${zone}/purgeCache`, { status: 204 });
      answer(`POST /api/pullzone/${zone}/setForceSSL`, { status: 204 });
    }
    answer('POST /api/purge', { status: 204 });
    answer('POST /api/pullzone/requestExternalDnsCertificate', { status: 204 });
    answer('POST /api/pullzone/completeExternalDnsCertificate', { status: 204 });
  });
  afterAll(() => canned.close());
  beforeEach(() => canned.ops().readAll());

  const writes = () => canned.platform.requests.filter((request) => request.startsWith('POST'));

  it.each([
    ['acme.tenants.example.com', 'saas (42)'],
    ['ACME.Tenants.Example.com.', 'saas (42)'],
    ['bücher-laden.tenants.example.com', 'saas (42)'],
    ['big.tenants.example.com', 'big (43)'],
    ['bücher.example', 'names (44)'],
    ['xn--bcher-kva.example', 'names (44)'],
    ['straße.example', 'names (44)'],
    ['trail.example.com', 'names (44)'],
  ])('is looked at on the zone that serves it, a name of its own before a wildcard: %s', async (typed, zone) => {
    expect((await canned.ask(`log search ${typed}`)).text).toContain(zone);
    expect((await canned.ask(`errors show ${typed}`)).text).toMatch(/404|origin errors/);
    expect((await canned.ask(`zone show ${typed}`)).text).toContain(zone.replace(/ .*/, ''));
  });

  it.each(['tenants.example.com', 'a.b.tenants.example.com', 'acme.other.example.com'])(
    'that no wildcard stands for is on no zone: %s',
    async (typed) => {
      expect((await canned.ask(`log search ${typed}`)).text).toMatch(/There is no pull zone/);
      expect((await canned.ask(`cache purge https://${typed}/a`)).text).toMatch(/No pull zone has the hostname/);
    },
  );

  it('of a tenant is purged on the zone of the wildcard, as it was typed', async () => {
    const preview = await canned.ask('cache purge https://acme.tenants.example.com/logo.png');
    expect(preview.text).toContain('saas (42)');
    await preview.click(CONFIRM);
    await canned.ops().expectMessage(/@ada purged/);
    expect(writes().at(-1)).toContain(encodeURIComponent('https://acme.tenants.example.com/logo.png'));
  });

  it('of a tenant is no name by which all tenants are changed', async () => {
    const sent = writes().length;
    await canned.ops().type('/edge cache clear acme.tenants.example.com');
    const form = await canned.workspace.slack.person('ada').expectModal(/clear/i, { ready: true });
    expect(form.text).toMatch(/There is no pull zone/);
    await form.close();
    const { text } = await canned.ask('ssl force acme.tenants.example.com on');
    expect(text).toMatch(/No pull zone has the hostname acme\.tenants\.example\.com/);
    expect(writes()).toHaveLength(sent);
  });

  it.each([
    ['bücher.example', 'Bücher.example', 'xn--bcher-kva.example'],
    ['upper.example.com', 'UPPER.Example.COM', 'upper.example.com'],
    ['trail.example.com', 'trail.example.com.', 'trail.example.com'],
    ['STRASSE.example', undefined, undefined],
    ['straße.example', 'xn--strae-oqa.example', 'xn--strae-oqa.example'],
    ['*.tenants.example.com', '*.tenants.example.com', 'tenants.example.com'],
  ])('is sent for a certificate as the list has it: %s', async (typed, listed, onNetwork) => {
    const preview = await canned.ask(`certificate request ${typed}`);
    if (listed === undefined) {
      expect(preview.text).toMatch(/No pull zone lists this hostname/);
      return;
    }
    expect(preview.text).toContain(`_acme-challenge.${onNetwork}`);
    expect(preview.text).not.toMatch(/No pull zone lists/);
    await preview.click(CONFIRM);
    await canned.ops().expectMessage(/@ada requested/);
    expect(canned.platform.bodies('requestExternalDnsCertificate').at(-1)).toEqual({ Hostname: listed });
  });

  it('of the platform’s own domain gets no certificate that somebody else verifies, and that is said', async () => {
    const { text } = await canned.ask('certificate request saas.b-cdn.net');
    expect(text).toMatch(/the platform’s own domain: only the platform can create its TXT record/);
  });
});
