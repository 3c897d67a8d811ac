import { createRandom, type Random } from '../random.ts';
import type { Hostname, PullZone } from './account.ts';

interface ZoneSeed {
  Id: number;
  Name: string;
  /** `+` has a certificate, `!` forces TLS. */
  hostnames: string[];
  with?: Partial<PullZone>;
}

const ZONES: readonly ZoneSeed[] = [
  {
    Id: 308001,
    Name: 'main-site',
    hostnames: ['cdn.example.com+', 'www.example.com+!', 'example.com+'],
    with: { OptimizerEnabled: true, EnableOriginShield: true, EdgeScriptId: 41_300 },
  },
  {
    Id: 308002,
    Name: 'shop',
    hostnames: ['shop.example.com+', 'checkout.example.com', 'shop.xn--mnchen-3ya.example'],
    with: { EnableSafeHop: true, EnableOriginShield: true, EdgeScriptId: 41_322 },
  },
  { Id: 308003, Name: 'shop-images', hostnames: ['img.example.com+!'], with: { OptimizerEnabled: true } },
  {
    Id: 308004,
    Name: 'api',
    hostnames: ['api.example.com+!', '*.tenants.example.com'],
    with: { EnableSafeHop: true, EnableOriginShield: true, EdgeScriptId: 41_355 },
  },
  { Id: 308005, Name: 'docs', hostnames: ['docs.example.com'] },
  {
    Id: 308006,
    Name: 'video',
    hostnames: ['video.example.com+!'],
    with: { EnableExtendedLogging: true, ZoneSecurityEnabled: true, EnableOriginShield: true },
  },
  { Id: 308007, Name: 'downloads', hostnames: ['dl.example.com+'], with: { EnableLogging: false } },
  { Id: 308008, Name: 'staging', hostnames: ['staging.example.com', 'preview.example.com'] },
  { Id: 308009, Name: 'legacy-blog', hostnames: ['blog.example.org+'], with: { Suspended: true } },
  { Id: 308010, Name: 'status-page', hostnames: ['status.example.com+'], with: { EnableSafeHop: true } },
  { Id: 308011, Name: 'old-campaign', hostnames: ['campaign.example.org'], with: { Enabled: false } },
  {
    Id: 308012,
    Name: 'assets',
    hostnames: ['assets.example.com+', 'static.example.com+!'],
    with: { OptimizerEnabled: true, EnableOriginShield: true },
  },
  {
    Id: 308013,
    Name: 'stock-api',
    hostnames: ['stock.example.com+'],
    with: { MagicContainersAppId: 'HbqFNk0KZjzYOcp' },
  },
];

/** The pull zones of the seeded account; the signing keys and certificates' keys depend on the seed. */
export function seedZones(seed: number): PullZone[] {
  let hostnameId = 771_200;
  return ZONES.map((zone) => {
    const random = createRandom(seed, 'zone', zone.Id);
    const system = `${zone.Name}.edge.example.net+`;
    const credentials = zone.Name === 'api' ? `edge:${random.text(18)}@` : '';
    return {
      Id: zone.Id,
      Name: zone.Name,
      OriginUrl: `https://${credentials}origin-${zone.Name}.example.com`,
      Enabled: true,
      Suspended: false,
      EnableLogging: true,
      EnableExtendedLogging: false,
      EnableOriginShield: false,
      EnableSafeHop: false,
      OptimizerEnabled: false,
      MonthlyBandwidthUsed: random.integer(2_000_000_000, 900_000_000_000),
      MonthlyCharges: random.integer(100, 9_000) / 100,
      MagicContainersAppId: null,
      EdgeScriptId: -1,
      ZoneSecurityEnabled: false,
      ZoneSecurityKey: `${random.text(8, 'abcdef0123456789')}-${random.text(24, 'abcdef0123456789')}`,
      AWSSigningKey: zone.Name === 'downloads' ? `AKIA${random.text(16, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')}` : null,
      AWSSigningSecret: zone.Name === 'downloads' ? random.text(40) : null,
      LogForwardingToken: zone.Name === 'video' ? `lf_${random.text(32)}` : null,
      BlockedIps: [],
      Hostnames: [...zone.hostnames, system].map((text) => hostnameOf(text, hostnameId++, text === system, random)),
      ...zone.with,
    };
  });
}

function hostnameOf(text: string, Id: number, IsSystemHostname: boolean, random: Random): Hostname {
  const HasCertificate = text.includes('+');
  return {
    Id,
    Value: text.replace(/[+!]/g, ''),
    ForceSSL: text.includes('!'),
    IsSystemHostname,
    IsManagedHostname: IsSystemHostname,
    HasCertificate,
    CertificateProvisionType: HasCertificate ? (IsSystemHostname ? 4 : 1) : 0,
    Certificate: HasCertificate ? pem('CERTIFICATE', random.text(128)) : null,
    CertificateKey: HasCertificate ? pem('PRIVATE KEY', random.text(128)) : null,
  };
}

function pem(label: string, body: string): string {
  return `-----BEGIN ${label}-----\n${body.slice(0, 64)}\n${body.slice(64)}\n-----END ${label}-----\n`;
}
