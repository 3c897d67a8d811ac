import type { UserAuditLog } from '../account/account.ts';
import type { Answer } from '../answers.ts';
import { coreError, Refusal } from '../answers.ts';
import { DAY, startOfDay } from '../clock.ts';
import { integerIn } from '../requests.ts';
import type { Incoming } from '../server.ts';
import type { Simulation, SimulationRoute } from '../simulation.ts';

/** Who is in the dashboard when something is changed by hand. */
const BY_HAND = { ActorId: '52317', ActorType: 'User' };

export const userAuditRoutes: SimulationRoute[] = [{ method: 'GET', path: '/user/audit/{date}', answer: showAudit }];

const FILTERS = ['Product', 'ResourceType', 'ResourceId', 'ActorId'] as const;

/** `GET /user/audit/{date}`: a day in UTC, in pages. */
function showAudit({ audit, account }: Simulation, { params, query, headers }: Incoming): Answer {
  const own = account.keys.find(({ Key }) => Key === headers.accesskey);
  if (!own?.Roles.some((role) => /^(?:User|UserApi|Subuser)$/.test(role)))
    return { status: 401, body: { Message: 'Authorization has been denied for this request.' } };
  const refuse = (name: string, message: string) => coreError(400, 'validation_error', name, message);
  const day = Date.parse(decodeURIComponent(params.date ?? ''));
  if (Number.isNaN(day)) throw new Refusal(refuse('date', 'The date is not valid.'));
  const order = query.get('Order') ?? 'Ascending';
  if (!/^(?:A|De)scending$/.test(order)) throw new Refusal(refuse('Order', 'The value is not valid.'));
  const limit = integerIn(query, 'Limit', { low: 1, high: 10_000, default: 100 }, refuse);
  const first = Number(Buffer.from(query.get('ContinuationToken') ?? '', 'base64url').toString() || '0');
  const start = startOfDay(day);
  const logs = audit.filter(({ Timestamp, ...entry }) => {
    const at = Date.parse(Timestamp);
    const isMeant = FILTERS.every((name) => !query.has(name) || query.getAll(name).includes(entry[name] ?? ''));
    return at >= start && at < start + DAY && isMeant;
  });
  const sorted = logs.sort((one, other) => Date.parse(one.Timestamp) - Date.parse(other.Timestamp));
  if (order === 'Descending') sorted.reverse();
  const next = first + limit;
  const hasMore = next < sorted.length;
  const token = (at: number) => Buffer.from(String(at)).toString('base64url');
  return {
    status: 200,
    body: {
      Logs: sorted.slice(first, next),
      HasMoreData: hasMore,
      ContinuationToken: hasMore ? token(next) : null,
      StartToken: sorted.length === 0 ? null : token(first),
    },
  };
}

type Described = Pick<UserAuditLog, 'Product' | 'ResourceType' | 'ResourceId' | 'Action'> & { Diff?: object };

type Describe = (simulation: Simulation, given: Record<string, unknown>, ids: string[], request: Incoming) => Described;

const cdn = (ResourceId: string | null, Action: string, Diff?: object): Described => ({
  ...{ Product: 'CDN', ResourceType: 'PullZone', ResourceId, Action },
  ...(Diff === undefined ? {} : { Diff }),
});
const other = (Product: string, ResourceType: string, ResourceId: string | undefined, Action: string): Described => ({
  ...{ Product, ResourceType, ResourceId: ResourceId ?? null, Action },
});
const pair = (Old: unknown, New: unknown) => ({ Old, New });

/** What a request is about to change, by its path. */
const CHANGES: readonly (readonly [RegExp, Describe])[] = [
  [
    /^POST \/pullzone\/(\d+)\/setForceSSL$/,
    ({ account }, { Hostname, ForceSSL }, [id = '']) => {
      const hostnames = account.zones.find(({ Id }) => String(Id) === id)?.Hostnames ?? [];
      const was = hostnames.find(({ Value }) => Value === Hostname)?.ForceSSL ?? null;
      return cdn(id, 'SetForceSSL', { Hostname, ForceSSL: pair(was, ForceSSL) });
    },
  ],
  [
    /^POST \/pullzone\/(\d+)\/purgeCache$/,
    (_, { CacheTag }, [id = '']) => cdn(id, 'PurgeCache', CacheTag === undefined ? undefined : { CacheTag }),
  ],
  // The platform takes an address, and looks for no zone.
  [/^POST \/purge$/, (_, _given, _ids, { query }) => cdn(null, 'PurgeUrl', { Url: query.get('url') })],
  [
    /^POST \/pullzone\/(\w+ExternalDnsCertificate)$/,
    ({ account }, { Hostname }, [action = '']) => {
      const zone = account.zones.find(({ Hostnames }) => Hostnames.some(({ Value }) => Value === Hostname));
      return cdn(zone === undefined ? null : String(zone.Id), action, { Hostname });
    },
  ],
  [
    /^PUT \/shield\/shield-zone\/(\d+)\/bot-categorization\/categories\/(\d+)$/,
    ({ account }, { action }, [id, category]) => {
      const was = account.shieldZones.find(({ shieldZoneId }) => String(shieldZoneId) === id)?.botActions;
      const Diff = { Category: Number(category), CategoryAction: pair(was?.[Number(category)] ?? 0, action) };
      return { ...other('Shield', 'ShieldZone', id, 'UpdateBotCategory'), Diff };
    },
  ],
  [
    /^\w+ \/shield\/shield-zone\/(\d+)\/api-guardian\/spec$/,
    (_, _given, [id]) => other('Shield', 'ShieldZone', id, 'UpdateApiGuardian'),
  ],
  [
    /^POST \/compute\/script\/(\d+)\/variables\/add$/,
    (_, { Name, DefaultValue }, [id]) => ({
      ...other('EdgeScripting', 'EdgeScript', id, 'AddVariable'),
      Diff: { Name, DefaultValue: pair(null, DefaultValue) },
    }),
  ],
  [
    /^POST \/compute\/script\/(\d+)\/publish\/([^/]+)$/,
    ({ account }, _, [id, uuid]) => {
      const was = account.scripts.find(({ Id }) => String(Id) === id)?.releases.find(({ Status }) => Status === 1);
      const Diff = { Release: pair(was?.Uuid ?? null, uuid) };
      return { ...other('EdgeScripting', 'EdgeScript', id, 'PublishRelease'), Diff };
    },
  ],
  [/^POST \/mc\/apps\/([^/]+)\/restart$/, (_, _given, [id]) => other('MagicContainers', 'Application', id, 'Restart')],
  [/^DELETE \/mc\/apps\/([^/]+)$/, (_, _given, [id]) => other('MagicContainers', 'Application', id, 'Delete')],
  [
    /^\w+ \/database\/v2\/databases\/([^/]+)\/auth\/(\w+)$/,
    (_, _given, [id, verb]) => other('Database', 'Database', id, verb === 'revoke' ? 'RevokeTokens' : 'GenerateToken'),
  ],
];

/** Undefined: it changes nothing that is logged. */
function describe(simulation: Simulation, request: Incoming): Described | undefined {
  const line = `${request.method} ${request.path}`;
  const [pattern, change] = CHANGES.find(([shape]) => shape.test(line)) ?? [];
  const ids = pattern?.exec(line)?.slice(1).map(decodeURIComponent) ?? [];
  return change?.(simulation, bodyOf(request.body), ids, request);
}

function bodyOf(body: Buffer): Record<string, unknown> {
  try {
    return { ...(JSON.parse(body.toString()) as object) };
  } catch {
    return {};
  }
}

/** The same route, which leaves an entry where it changed something. */
export function audited(route: SimulationRoute): SimulationRoute {
  if (route.method === 'GET') return route;
  return {
    ...route,
    async answer(simulation, request) {
      const described = describe(simulation, request);
      const answer = await route.answer(simulation, request);
      const isDone = answer.applied ?? (answer.status >= 200 && answer.status < 300);
      if (described === undefined || !isDone) return answer;
      const key = simulation.account.keys.find(({ Key }) => Key === request.headers.accesskey);
      const actor = key === undefined ? BY_HAND : { ActorId: String(key.Id), ActorType: 'ApiKey' };
      note(simulation, { ...described, ...actor }, request.at);
      return answer;
    },
  };
}

/** Adds an entry. */
export function note(
  { audit }: Simulation,
  { Diff, ...entry }: Partial<Omit<UserAuditLog, 'Diff'>> & { Diff?: object },
  at: Date,
): void {
  audit.push({
    Timestamp: at.toISOString(),
    Product: null,
    ResourceType: null,
    ResourceId: null,
    ResourceOwner: '7001',
    Action: null,
    ...BY_HAND,
    ...entry,
    Diff: Diff === undefined ? null : JSON.stringify(Diff),
  });
}
