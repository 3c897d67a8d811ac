import { createRandom, type Random } from '../random.ts';
import { seedApps } from './apps.ts';
import { seedShieldZones } from './shield.ts';
import { seedToken, type TokenState } from './tokens.ts';
import { seedZones } from './zones.ts';

/** An API key as row 1 lists it (spec 2.1). */
export interface ApiKey {
  Id: number;
  Key: string;
  Roles: string[];
}

/** A hostname of a pull zone (platform facts, part 6). */
export interface Hostname {
  Id: number;
  Value: string;
  ForceSSL: boolean;
  IsSystemHostname: boolean;
  IsManagedHostname: boolean;
  HasCertificate: boolean;
  /** 0 unknown, 1 HTTP-01, 2 DNS-01, 3 custom, 4 managed. */
  CertificateProvisionType: number;
  Certificate: string | null;
  CertificateKey: string | null;
}

/** A pull zone with the fields that are shown or must never be. */
export interface PullZone {
  Id: number;
  Name: string;
  OriginUrl: string;
  Enabled: boolean;
  Suspended: boolean;
  EnableLogging: boolean;
  EnableExtendedLogging: boolean;
  EnableOriginShield: boolean;
  EnableSafeHop: boolean;
  OptimizerEnabled: boolean;
  MonthlyBandwidthUsed: number;
  MonthlyCharges: number;
  MagicContainersAppId: string | null;
  EdgeScriptId: number;
  ZoneSecurityEnabled: boolean;
  ZoneSecurityKey: string;
  AWSSigningKey: string | null;
  AWSSigningSecret: string | null;
  LogForwardingToken: string | null;
  Hostnames: Hostname[];
}

/** A variable of an edge script (spec 2.4). */
export interface ScriptVariable {
  Id: number;
  Name: string;
  Required: boolean;
  DefaultValue: string | null;
}

/** An edge script. */
export interface EdgeScript {
  Id: number;
  Name: string;
  /** 0 DNS, 1 CDN, 2 middleware. */
  ScriptType: number;
  LastModified: string;
  DefaultHostname: string;
  DeploymentKey: string;
  LinkedPullZones: { Id: number; PullZoneName: string; DefaultHostname: string }[];
  EdgeScriptVariables: ScriptVariable[];
  MonthlyCost: number;
  MonthlyRequestCount: number;
  MonthlyCpuTime: number;
}

/** A shield zone and what was set on it. */
export interface ShieldZone {
  shieldZoneId: number;
  pullZoneId: number;
  /** 0 Basic, 1 Advanced, 2 Business, 3 Enterprise. */
  planType: number;
  /** Action by category; a category that is not named has action 0. */
  botActions: Record<number, number>;
  guardian?: { configuration: Record<string, unknown>; endpoints: Record<string, unknown>[] };
}

/** A volume template with its instances (spec 2.9); sizes are GB, and not integers. */
export interface Volume {
  name: string;
  id: string;
  size: number;
  totalUsage: number;
  totalInstancesCount: number;
  attachedInstancesCount: number;
  containersCount: number;
  volumeInstances: {
    id: string;
    attachedPods: string[];
    attachedContainers: string[];
    region: string;
    status: string;
    size: number;
    usage: number;
    set: string;
  }[];
}

/** A container application with what its other routes show. */
export interface App {
  id: string;
  name: string;
  description: string;
  displayEndpoint?: { id: string; address: string; type: string };
  status: string;
  volumes: Volume[];
  pullZoneId?: number;
  /** When its deletion was accepted. */
  deletedAt?: Date;
}

/** A database with every token that it has or had. */
export interface Database {
  id: string;
  name: string;
  groupId: string;
  region: string;
  /** Set when its port is open. */
  url: string;
  tokens: TokenState[];
  /** Seeded tokens by what they are. */
  seeded: { fullAccess: string; readOnly: string; revoked: string; expired: string };
}

/** The live state of the simulated account. */
export interface Account {
  keys: ApiKey[];
  zones: PullZone[];
  scripts: EdgeScript[];
  shieldZones: ShieldZone[];
  apps: App[];
  databases: Database[];
}

/** The account that every simulator starts with: names and ids are fixed, secrets depend on the seed. */
export function seedAccount(seed: number, now: Date): Account {
  const random = createRandom(seed, 'account');
  const zones = seedZones(seed);
  return {
    keys: seedKeys(random),
    zones,
    scripts: seedScripts(random, zones),
    shieldZones: seedShieldZones(now),
    apps: seedApps(seed),
    databases: [
      seedDatabase(seed, now, 'shop', 'db_01JZ7K3M9QW4T8X2C6V5B1N0HA', 'DE'),
      seedDatabase(seed, now, 'events', 'db_01JZ7K5R2YD7F3P9G8S4E6M1KB', 'NY'),
    ],
  };
}

/** The key that the bot is given: of the account's owner, so that it may do everything. */
export const OWNER_ROLES: readonly string[] = ['User', 'UserApi'];

function seedKeys(random: Random): ApiKey[] {
  const roles = [
    [...OWNER_ROLES],
    ['UserApi'],
    ['SubuserAPIStatistics'],
    ['SubuserAPIPullZones', 'SubuserAPIStatistics'],
    ['SubuserAPICompute'],
    ...Array.from({ length: 9 }, () => ['ScopedApiKey']),
  ];
  return roles.map((Roles, index) => {
    const hex = (length: number) => random.text(length, '0123456789abcdef');
    const uuid = [8, 4, 4, 4, 12].map(hex).join('-');
    return { Id: 90_210 + index * 37, Key: `${uuid}-${hex(8)}`, Roles };
  });
}

function seedScripts(random: Random, zones: readonly PullZone[]): EdgeScript[] {
  const scripts: [string, number, [string, boolean, string | null][], number | undefined][] = [
    [
      'geo-redirect',
      2,
      [
        ['DEFAULT_COUNTRY', true, 'DE'],
        ['FALLBACK_URL', false, 'https://www.example.com/'],
      ],
      308001,
    ],
    [
      'image-resizer',
      1,
      [
        ['MAX_WIDTH', true, '2400'],
        ['QUALITY', false, '82'],
      ],
      308003,
    ],
    [
      'ab-testing',
      2,
      [
        ['EXPERIMENT', true, 'checkout-2'],
        ['SHARE', true, '0.25'],
      ],
      308002,
    ],
    ['robots-txt', 1, [], undefined],
    ['dns-failover', 0, [['PRIMARY', true, null]], undefined],
    [
      'api-gateway',
      2,
      [
        ['UPSTREAM', true, 'https://origin-api.example.com'],
        ['TIMEOUT_MS', false, '8000'],
      ],
      308004,
    ],
  ];
  let variable = 20_600;
  return scripts.map(([Name, ScriptType, variables, zone], index) => ({
    Id: 41_300 + index * 11,
    Name,
    ScriptType,
    LastModified: new Date(Date.UTC(2026, 4, 3 + index * 5, 9, 30)).toISOString(),
    DefaultHostname: `${Name}-${random.text(5, 'abcdefghijkmnpqrstuvwxyz')}.script.example.net`,
    DeploymentKey: `deploy_${random.text(40)}`,
    LinkedPullZones: zones
      .filter(({ Id }) => Id === zone)
      .map((linked) => ({
        Id: linked.Id,
        PullZoneName: linked.Name,
        DefaultHostname: `${linked.Name}.edge.example.net`,
      })),
    EdgeScriptVariables: variables.map(([name, Required, DefaultValue]) => ({
      Id: variable++,
      Name: name,
      Required,
      DefaultValue,
    })),
    MonthlyCost: Math.round(random.next() * 900) / 100,
    MonthlyRequestCount: random.integer(10_000, 4_000_000),
    MonthlyCpuTime: random.integer(1_000, 900_000),
  }));
}

function seedDatabase(seed: number, now: Date, name: string, id: string, region: string): Database {
  const random = createRandom(seed, 'database', name);
  const groupId = `group_${id.slice(3)}`;
  const day = 86_400_000;
  const token = (authorization: 'full-access' | 'read-only', expires: Date | null, revoked = false): TokenState => ({
    token: seedToken(random, { id, groupId, authorization, issued: new Date(now.getTime() - 60 * day), expires }),
    authorization,
    expires,
    revoked,
  });
  const fullAccess = token('full-access', null);
  const readOnly = token('read-only', null);
  const revoked = token('full-access', null, true);
  const expired = token('full-access', new Date(now.getTime() - day));
  return {
    id,
    name,
    groupId,
    region,
    url: '',
    tokens: [fullAccess, readOnly, revoked, expired],
    seeded: {
      fullAccess: fullAccess.token,
      readOnly: readOnly.token,
      revoked: revoked.token,
      expired: expired.token,
    },
  };
}

/** Every secret that the account holds now; the simulator adds those that it ever held. */
export function secretsOf(account: Account): string[] {
  const zone = (item: PullZone): (string | null)[] => [
    item.ZoneSecurityKey,
    item.AWSSigningKey,
    item.AWSSigningSecret,
    item.LogForwardingToken,
    new URL(item.OriginUrl).password,
    ...item.Hostnames.map((hostname) => hostname.CertificateKey),
  ];
  return [
    ...account.keys.map((key) => key.Key),
    ...account.zones.flatMap(zone),
    ...account.scripts.map((script) => script.DeploymentKey),
    ...account.databases.flatMap((database) => database.tokens.map((token) => token.token)),
  ].filter((secret): secret is string => secret !== null && secret !== '');
}
