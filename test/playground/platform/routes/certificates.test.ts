import { describe, expect, test } from 'vitest';
import { usePlatform } from '../platform.ts';

const platform = usePlatform();

describe('certificates', () => {
  const request = (Hostname: unknown) =>
    platform.ask('api', 'POST', '/pullzone/requestExternalDnsCertificate', { body: { Hostname } });
  const complete = (Hostname: string) =>
    platform.ask('api', 'POST', '/pullzone/completeExternalDnsCertificate', { body: { Hostname } });
  const hasCertificate = async (zone: number, name: string): Promise<boolean> => {
    const { body } = await platform.get(`/pullzone/${zone}`);
    return body.Hostnames.find((hostname: { Value: string }) => hostname.Value === name).HasCertificate;
  };

  test('are requested, and then completed', async () => {
    const reply = await request('docs.example.com');
    expect(reply).toMatchObject({ status: 200, body: { TxtRecordName: '_acme-challenge.docs.example.com' } });
    expect(Object.keys(reply.body)).toEqual(['TxtRecordName', 'TxtRecordValue', 'ExpiresAt']);
    expect(await hasCertificate(308005, 'docs.example.com')).toBe(false);
    expect(await complete('docs.example.com')).toMatchObject({ status: 200, text: '' });
    expect(await hasCertificate(308005, 'docs.example.com')).toBe(true);
  });

  test('take wildcards, and international names in either form', async () => {
    expect((await request('*.tenants.example.com')).body.TxtRecordName).toBe('_acme-challenge.tenants.example.com');
    expect((await request('shop.münchen.example')).status).toBe(200);
    expect((await request('SHOP.xn--mnchen-3ya.example')).status).toBe(200);
  });

  test('are refused for hostnames that are not in the account', async () => {
    expect(await request('nowhere.example.com')).toMatchObject({
      status: 404,
      body: { ErrorKey: 'pullzone.hostname_not_found', Field: 'Hostname', Message: expect.stringContaining('nowhere') },
    });
    expect((await request(undefined)).status).toBe(400);
    expect((await request('main-site.edge.example.net')).status).toBe(400);
  });

  test('are refused with Retry-After when they are requested too often', async () => {
    for (let time = 1; time <= 5; time++) {
      expect((await request('staging.example.com')).status).toBe(200);
    }
    const reply = await request('staging.example.com');
    expect(reply).toMatchObject({ status: 429, body: { ErrorKey: 'certificate.rate_limited' } });
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test('cannot be completed before they are requested, or while the record is missing', async () => {
    expect((await complete('preview.example.com')).status).toBe(400);
    await request('preview.example.com');
    const off = platform.simulator.fault('unverified');
    expect(await complete('preview.example.com')).toMatchObject({
      status: 400,
      body: { ErrorKey: 'certificate.verification_failed' },
    });
    off();
    expect((await complete('preview.example.com')).status).toBe(200);
  });
});
