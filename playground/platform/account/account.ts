import type { TokenState } from './tokens.ts';

/** An API key as `GET /apikey` lists it. */
export interface ApiKey {
  Id: number;
  Key: string;
  Roles: string[];
}

/** A hostname of a pull zone. */
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
  BlockedIps: string[];
  Hostnames: Hostname[];
}

/** A variable of an edge script. */
export interface ScriptVariable {
  Id: number;
  Name: string;
  Required: boolean;
  DefaultValue: string | null;
}

/** A release of an edge script, as `GET …/releases` lists it. */
export interface ScriptRelease {
  Id: number;
  Deleted: boolean;
  Code: string;
  Uuid: string;
  Note: string;
  Author: string;
  AuthorEmail: string;
  CommitSha: string | null;
  /** 0 archived, 1 live. */
  Status: number;
  DateReleased: string;
  DatePublished: string;
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
  /** Not in the answers of the script itself. */
  releases: ScriptRelease[];
}

/** A custom access list: `type` 1 CIDR, 2 ASN, 3 country, 5 JA4; `action` 2 blocks. */
export interface AccessList {
  listId: number;
  configurationId: number;
  name: string;
  type: number;
  content: string;
  isEnabled: boolean;
  action: number;
  lastUpdated: string;
}

export interface RateLimit {
  id: number;
  ruleName: string;
  ruleDescription: string;
  ruleConfiguration: Record<string, unknown> & { value: string };
}

/** Whom a zone keeps out, or challenges, since when. */
export interface Kept {
  zoneId: number;
  by: 'list' | 'limit' | 'challenge';
  /** Of an access list its type. */
  type: number;
  entry: string;
  from: number;
  to?: number;
}

/** A shield zone and its settings. */
export interface ShieldZone {
  shieldZoneId: number;
  pullZoneId: number;
  /** 0 Basic, 1 Advanced, 2 Business, 3 Enterprise. */
  planType: number;
  /** Action by category; a category that is not named has action 0. */
  botActions: Record<number, number>;
  /** 0 off, 1 low, 2 medium, 3 high, 4: everybody is challenged. */
  sensitivity: number;
  accessLists: AccessList[];
  rateLimits: RateLimit[];
  guardian?: { configuration: Record<string, unknown>; endpoints: Record<string, unknown>[] };
}

/** A volume template with its instances; sizes are GB, and not integers. */
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

/** A container application, with the fields of all its routes. */
export interface App {
  id: string;
  name: string;
  description: string;
  displayEndpoint?: { id: string; address: string; type: string };
  status: string;
  volumes: Volume[];
  pullZoneId?: number;
  image: string;
  /** An environment variable. */
  password: string;
  instances: number;
  restarts: number;
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
  /** The seeded tokens, one of each kind. */
  seeded: { fullAccess: string; readOnly: string; revoked: string; expired: string };
}

/** The live state of the simulated account. */
export interface Account {
  keys: ApiKey[];
  zones: PullZone[];
  scripts: EdgeScript[];
  shieldZones: ShieldZone[];
  /** Oldest first; also what ended. */
  kept: Kept[];
  apps: App[];
  databases: Database[];
}

/** What the account's audit has of a change, by whoever made it. */
export interface UserAuditLog {
  Timestamp: string;
  Product: string | null;
  ResourceType: string | null;
  ResourceId: string | null;
  ResourceOwner: string | null;
  Action: string | null;
  ActorId: string | null;
  ActorType: string | null;
  /** JSON. */
  Diff: string | null;
}

/** What somebody wrote into the code. */
const keyIn = ({ Code }: ScriptRelease): string => /key_\w+/.exec(Code)?.[0] ?? '';

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
    ...account.scripts.flatMap(({ DeploymentKey, releases }) => [DeploymentKey, ...releases.map(keyIn)]),
    ...account.apps.map((app) => app.password),
    ...account.databases.flatMap((database) => database.tokens.map((token) => token.token)),
  ].filter((secret): secret is string => secret !== null && secret !== '');
}
