/** A platform of the judge's own: pull zones, scripts, apps, statistics and logs; it writes down every change that it gets. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How the platform misbehaves for a while, with what share of the requests. */
export interface PlatformFault {
  kind: '503' | '429' | 'hang' | 'hang-after' | 'drop' | 'drop-after' | 'error-after';
  of: 'any' | 'read' | 'change';
  share: number;
}

/** A change as it arrived. */
export interface Change {
  at: number;
  /** The hostname or the name of the variable: each belongs to one conversation. */
  subject: string;
  /** `on`, `off`, or the value of the variable. */
  value: string;
  /** The platform did it, whatever it answered. */
  isApplied: boolean;
  answer: string;
}

export interface PlatformStand {
  url: string;
  changes: Change[];
  /** Every request that arrived: time, method and path. */
  requests: { at: number; line: string }[];
  faults: Set<PlatformFault>;
  hostnames: readonly string[];
  isForced(hostname: string): boolean;
  /** How many milliseconds a file of the access log takes to come; 0: at once. */
  setLogTime(milliseconds: number): void;
  close(): Promise<void>;
}

interface Account {
  forced: Map<string, boolean>;
  zones: { Id: number; Name: string; hostnames: string[] }[];
  variables: { Id: number; Name: string; Required: boolean; DefaultValue: string }[];
  logTime: number;
}

const ZONES = 40;

/** Starts it with `perZone` hostnames in each of forty zones. */
export async function startPlatform(roll: () => number, perZone: number): Promise<PlatformStand> {
  const zones = Array.from({ length: ZONES }, (_, index) => ({
    Id: 1000 + index,
    Name: `zone-${String(index).padStart(2, '0')}`,
    hostnames: Array.from({ length: perZone }, (_, n) => `h${n}-${String(index).padStart(2, '0')}.example.com`),
  }));
  const account: Account = { forced: new Map(), zones, variables: [], logTime: 0 };
  const stand = {
    changes: [] as Change[],
    requests: [] as { at: number; line: string }[],
    faults: new Set<PlatformFault>(),
  };
  const server = createServer((request, response) => {
    void serve(stand, account, roll, request, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    ...stand,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    // Across the zones, so that neighbours in time are of different zones.
    hostnames: Array.from({ length: perZone * ZONES }, (_, n) => zones[n % ZONES]!.hostnames[Math.floor(n / ZONES)]!),
    isForced: (hostname) => account.forced.get(hostname) ?? false,
    setLogTime: (milliseconds) => {
      account.logTime = milliseconds;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function serve(
  stand: Pick<PlatformStand, 'changes' | 'requests' | 'faults'>,
  account: Account,
  roll: () => number,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString('utf8');
  const { pathname: path } = new URL(request.url ?? '/', 'http://platform');
  const method = request.method ?? 'GET';
  stand.requests.push({ at: Date.now(), line: `${method} ${path}` });
  const kind = method === 'GET' ? 'read' : 'change';
  const fault = [...stand.faults].find((one) => (one.of === 'any' || one.of === kind) && roll() < one.share)?.kind;
  const change = kind === 'change' ? changeOf(path, body) : undefined;
  if (change !== undefined) stand.changes.push(change);
  const isBefore = fault !== undefined && !fault.endsWith('-after');
  if (change !== undefined && fault !== undefined) change.answer = fault;
  if (isBefore) return misbehave(fault, request, response);
  await wait(10 + roll() * 90);
  if (path.endsWith('.log') && account.logTime > 0) return trickle(account.logTime, request, response);
  const answer = answerOf(account, method, path, body);
  if (change !== undefined && answer.status < 300) change.isApplied = true;
  if (fault !== undefined) return misbehave(fault, request, response);
  if (change !== undefined) change.answer = String(answer.status);
  response.writeHead(answer.status, { 'content-type': 'application/json' });
  response.end(answer.body === undefined ? undefined : JSON.stringify(answer.body));
}

function misbehave(kind: PlatformFault['kind'], request: IncomingMessage, response: ServerResponse): void {
  if (kind === '503') response.writeHead(503).end('Service Unavailable');
  else if (kind === 'error-after')
    response.writeHead(500, { 'content-type': 'application/json' }).end('{"Message":"Internal"}');
  else if (kind === '429') response.writeHead(429, { 'retry-after': '3' }).end();
  else if (kind.startsWith('drop')) request.socket.destroy();
  else setTimeout(() => request.socket.destroy(), 60_000).unref();
}

function changeOf(path: string, body: string): Change {
  const fields = JSON.parse(body === '' ? '{}' : body) as Record<string, unknown>;
  const isVariable = path.endsWith('/variables/add');
  return {
    at: Date.now(),
    subject: String(isVariable ? fields.Name : (fields.Hostname ?? path)),
    value: isVariable ? String(fields.DefaultValue) : fields.ForceSSL === true ? 'on' : 'off',
    isApplied: false,
    answer: '',
  };
}

interface Answer {
  status: number;
  body?: unknown;
}

function answerOf(account: Account, method: string, path: string, body: string): Answer {
  const zone = account.zones.find(({ Id }) => path.startsWith(`/pullzone/${Id}`));
  if (method === 'GET' && path === '/pullzone')
    return {
      status: 200,
      body: { Items: account.zones.map((one) => shape(account, one)), HasMoreItems: false, TotalItems: ZONES },
    };
  if (method === 'GET' && zone !== undefined && path === `/pullzone/${zone.Id}`)
    return { status: 200, body: shape(account, zone) };
  if (method === 'POST' && path.endsWith('/setForceSSL')) {
    const { Hostname, ForceSSL } = JSON.parse(body) as { Hostname: string; ForceSSL: boolean };
    if (zone?.hostnames.includes(Hostname) !== true)
      return { status: 400, body: { ErrorKey: 'hostname.not_found', Field: 'Hostname', Message: 'No such hostname.' } };
    account.forced.set(Hostname, ForceSSL);
    return { status: 204 };
  }
  if (path.startsWith('/compute/script')) return scripts(account, method, path, body);
  if (path === '/mc/apps') return { status: 200, body: { items: APPS, meta: { totalItems: APPS.length } } };
  if (path === '/statistics' || path.endsWith('/statistics') || path.endsWith('/queuestatistics'))
    return { status: 200, body: statistics() };
  if (path.endsWith('/logs'))
    return { status: 200, body: { data: [], pagination: { hasMore: false, offset: 0, limit: 100, returned: 0 } } };
  if (/^\/\d+\/\d\d-\d\d-\d{4}$/.test(path)) return { status: 200, body: { logs: [] } };
  if (path === '/apikey')
    return { status: 200, body: { Items: [], CurrentPage: 1, TotalItems: 0, HasMoreItems: false } };
  return { status: 404 };
}

const APPS = ['shop', 'blog', 'feed'].map((name) => ({ id: `app${name}`, name, description: '', status: 'active' }));

function scripts(account: Account, method: string, path: string, body: string): Answer {
  const script = {
    Id: 77,
    Name: 'router',
    ScriptType: 1,
    LastModified: '2026-06-01T00:00:00Z',
    EdgeScriptVariables: account.variables,
  };
  if (method === 'POST' && path === '/compute/script/77/variables/add') {
    const fields = JSON.parse(body) as { Name: string; Required: boolean; DefaultValue?: string };
    const variable = {
      Id: account.variables.length + 1,
      Name: fields.Name,
      Required: fields.Required,
      DefaultValue: fields.DefaultValue ?? '',
    };
    account.variables.push(variable);
    return { status: 200, body: variable };
  }
  if (method === 'GET' && path === '/compute/script')
    return { status: 200, body: { Items: [script], HasMoreItems: false, TotalItems: 1 } };
  if (method === 'GET' && path === '/compute/script/77') return { status: 200, body: script };
  return { status: 404 };
}

function shape({ forced }: Account, { Id, Name, hostnames }: Account['zones'][number]) {
  return {
    Id,
    Name,
    OriginUrl: `https://origin.${Name}.example.com`,
    Enabled: true,
    Suspended: false,
    EnableLogging: true,
    MonthlyBandwidthUsed: Id * 1_000_000,
    Hostnames: hostnames.map((Value, index) => ({
      Id: Id * 1000 + index,
      Value,
      ForceSSL: forced.get(Value) ?? false,
      HasCertificate: true,
      IsSystemHostname: false,
    })),
  };
}

/** A day like every other day. */
function statistics() {
  const chart = Object.fromEntries(
    Array.from({ length: 3 }, (_, day) => [
      new Date(Date.now() - day * 86_400_000).toISOString().slice(0, 10).concat('T00:00:00Z'),
      1000,
    ]),
  );
  return {
    TotalRequestsServed: 3000,
    TotalBandwidthUsed: 3_000_000,
    CacheHitRate: 90,
    RequestsServedChart: chart,
    BandwidthUsedChart: chart,
    CacheHitRateChart: chart,
    Error5xxChart: {},
    Error4xxChart: {},
    Error3xxChart: {},
  };
}

/** A day's access log that comes slowly, a line every fifty milliseconds. */
function trickle(time: number, request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/plain' });
  const until = Date.now() + time;
  const timer = setInterval(() => {
    if (Date.now() > until || request.socket.destroyed) {
      clearInterval(timer);
      response.end();
      return;
    }
    response.write(
      `HIT|200|${Date.now() - 86_400_000}|412|1000|163.172.53.0|-|https://h0-00.example.com/a|WA|Mozilla/5.0|322b688bd63fb63f2babe9de30a5d262|DE\n`.repeat(
        40,
      ),
    );
  }, 50);
  timer.unref();
}
