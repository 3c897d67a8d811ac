import type { AccessList, Account, Kept, RateLimit, ShieldZone } from '../account/account.ts';
import { type Answer, coreError, problem } from '../answers.ts';
import { HOUR } from '../clock.ts';
import { hashOf } from '../random.ts';
import { objectIn } from '../requests.ts';
import type { Incoming } from '../server.ts';
import { type Simulation, type SimulationRoute, zoneOf } from '../simulation.ts';
import { addressOf, ja4Of, keptBy } from '../traffic/kept.ts';
import { FLOOD_ASN, type LogRecord } from '../traffic/records.ts';
import { SUCCESS } from './guardian.ts';
import { withZone } from './shield.ts';

/** The routes of what a shield keeps out: its events, access lists, rate limits, and the challenge for everybody. */
export const securityRoutes: SimulationRoute[] = [
  { method: 'POST', path: '/shield/event-logs/{zone}/search', answer: withZone(searchEvents) },
  { method: 'GET', path: '/shield/shield-zone/{zone}/access-lists', answer: withZone(showLists) },
  { method: 'POST', path: '/shield/shield-zone/{zone}/access-lists', answer: withZone(addList) },
  {
    method: 'PATCH',
    path: '/shield/shield-zone/{zone}/access-lists/configurations/{id}',
    answer: withZone(configureList),
  },
  { method: 'GET', path: '/shield/shield-zone/{zone}/access-lists/{id}', answer: withZone(withList(showList)) },
  { method: 'PATCH', path: '/shield/shield-zone/{zone}/access-lists/{id}', answer: withZone(withList(writeList)) },
  { method: 'DELETE', path: '/shield/shield-zone/{zone}/access-lists/{id}', answer: withZone(withList(removeList)) },
  {
    method: 'GET',
    path: '/shield/rate-limits/{zone}',
    answer: withZone(({ rateLimits }) => ({
      status: 200,
      body: {
        data: rateLimits.map(listedLimit),
        page: { totalCount: rateLimits.length, totalPages: 1, currentPage: 1, pageSize: 100 },
      },
    })),
  },
  { method: 'POST', path: '/shield/rate-limit', answer: addLimit },
  { method: 'DELETE', path: '/shield/rate-limit/{id}', answer: removeLimit },
  { method: 'POST', path: '/shield/shield-zone/under-attack', answer: underAttack },
  { method: 'PATCH', path: '/shield/shield-zone', answer: configure },
  { method: 'POST', path: '/pullzone/{id}/addBlockedIp', answer: blockIp(true) },
  { method: 'POST', path: '/pullzone/{id}/removeBlockedIp', answer: blockIp(false) },
];

/** A list of limits does not say how many requests they are. */
function listedLimit({ ruleConfiguration, ...limit }: RateLimit) {
  const { requestCount: _, counterKeyType: __, timeframe: ___, blockTime: ____, ...rule } = ruleConfiguration;
  return { ...limit, ruleConfiguration: rule };
}

/** How many custom lists each plan has, and how many limits. */
const MOST_LISTS = [1, 5, 10, 25];
const MOST_LIMITS = [2, 10, 25, 100];

const bodyOf = (request: Incoming) =>
  objectIn(request, problem(400, 'The request body is not a JSON object.', request.path, 'invalid_body'));
const invalid = (request: Incoming, field: string) =>
  problem(400, `The field ${field} is not valid.`, request.path, 'invalid_body');
const refused = (statusCode: number, message: string, errorKey: string): Answer => ({
  status: 202,
  applied: false,
  body: { error: { statusCode, success: false, message, errorKey } },
});
/** What is deleted has no envelope. */
const notFound = (message: string, errorKey: string): Answer => ({
  ...refused(404, message, errorKey),
  body: { statusCode: 404, success: false, message, errorKey },
});

/** What is kept out from now on, beside what was; what is not any more ends now. */
function keep({ kept }: Account, given: Omit<Kept, 'entry' | 'from' | 'to'>, entries: readonly string[], now: number) {
  const open = kept.filter(
    ({ to, zoneId, by, type }) => to === undefined && zoneId === given.zoneId && by === given.by && type === given.type,
  );
  for (const one of open) if (!entries.includes(one.entry)) one.to = now;
  for (const entry of entries) if (!open.some((one) => one.entry === entry)) kept.push({ ...given, entry, from: now });
}

const linesOf = (content: string) => content.split('\n').filter((line) => line.trim() !== '');

/** All blocking lists of a zone, as one. */
function keepLists({ account, now }: Simulation, { pullZoneId, accessLists }: ShieldZone): void {
  for (const type of [0, 1, 2, 3, 5]) {
    const blocking = accessLists.filter((list) => list.type === type && list.isEnabled && list.action === 2);
    const entries = blocking.flatMap(({ content }) => linesOf(content));
    keep(account, { zoneId: pullZoneId, by: 'list', type }, entries, now().getTime());
  }
}

const shownList = ({ content, ...list }: AccessList) => ({ ...list, entryCount: linesOf(content).length });

function showLists({ accessLists, planType }: ShieldZone): Answer {
  return {
    status: 200,
    body: {
      managedLists: [],
      customLists: accessLists.map(shownList),
      customEntryCount: accessLists.flatMap(({ content }) => linesOf(content)).length,
      customEntryLimit: 1_000,
      customListCount: accessLists.length,
      customListLimit: MOST_LISTS[planType] ?? 1,
    },
  };
}

const ENTRIES: Readonly<Record<number, RegExp>> = {
  0: /^[\d.:a-f]+$/i,
  1: /^[\d.:a-f]+\/\d{1,3}$/i,
  2: /^(AS)?\d{1,10}$/i,
  3: /^[A-Z]{2}$/,
  5: /^[a-z]\w{9}_[0-9a-f]{12}_[0-9a-f]{12}$/,
};

function addList(zone: ShieldZone, request: Incoming, simulation: Simulation): Answer {
  const { name, type, content } = bodyOf(request);
  if (typeof name !== 'string' || name === '') return invalid(request, 'name');
  const entry = ENTRIES[Number(type)];
  if (typeof type !== 'number' || entry === undefined) return invalid(request, 'type');
  if (typeof content !== 'string' || !linesOf(content).every((line) => entry.test(line)))
    return invalid(request, 'content');
  if (zone.accessLists.length >= (MOST_LISTS[zone.planType] ?? 1))
    return refused(403, 'The plan has no more custom access lists.', 'invalid_plan_type.access_lists');
  const listId = 9_000 + zone.shieldZoneId * 10 + zone.accessLists.length + (hashOf(name, content) % 100_000) * 100;
  zone.accessLists.push({
    listId,
    configurationId: listId + 50,
    name,
    type,
    content,
    // Switched on by its configuration.
    isEnabled: false,
    action: 0,
    lastUpdated: simulation.now().toISOString(),
  });
  return { status: 200, body: { data: dataOf(zone.accessLists.at(-1)!), error: SUCCESS } };
}

const dataOf = ({ listId, name, type, content, lastUpdated }: AccessList) => ({
  ...{ id: listId, name, type, content, entryCount: linesOf(content).length, lastModified: lastUpdated },
});

type OfList = (list: AccessList, zone: ShieldZone, request: Incoming, simulation: Simulation) => Answer;

function withList(answer: OfList) {
  return (zone: ShieldZone, request: Incoming, simulation: Simulation): Answer => {
    const list = zone.accessLists.find(({ listId }) => String(listId) === request.params.id);
    const [message, key] = ['The access list was not found.', 'not_found.access_list'] as const;
    if (list !== undefined) return answer(list, zone, request, simulation);
    return request.method === 'DELETE' ? notFound(message, key) : refused(404, message, key);
  };
}

function showList(list: AccessList): Answer {
  return { status: 200, body: { data: dataOf(list), error: SUCCESS } };
}

function writeList(list: AccessList, zone: ShieldZone, request: Incoming, simulation: Simulation): Answer {
  const { content } = bodyOf(request);
  if (typeof content !== 'string' || !linesOf(content).every((line) => ENTRIES[list.type]?.test(line)))
    return invalid(request, 'content');
  list.content = content;
  list.lastUpdated = simulation.now().toISOString();
  keepLists(simulation, zone);
  return showList(list);
}

function removeList(list: AccessList, zone: ShieldZone, _: Incoming, simulation: Simulation): Answer {
  zone.accessLists.splice(zone.accessLists.indexOf(list), 1);
  keepLists(simulation, zone);
  return { status: 200, body: SUCCESS };
}

function configureList(zone: ShieldZone, request: Incoming, simulation: Simulation): Answer {
  const list = zone.accessLists.find(({ configurationId }) => String(configurationId) === request.params.id);
  if (list === undefined) return refused(404, 'The access list was not found.', 'not_found.access_list');
  const { isEnabled = list.isEnabled, action = list.action } = bodyOf(request);
  if (typeof isEnabled !== 'boolean') return invalid(request, 'isEnabled');
  if (typeof action !== 'number' || action < 0 || action > 5) return invalid(request, 'action');
  Object.assign(list, { isEnabled, action });
  keepLists(simulation, zone);
  return { status: 200, body: { data: { isEnabled, action }, error: SUCCESS } };
}

const NOT_FOUND = 'The shield zone was not found, or you have no access to it.';

function shieldZoneIn({ account }: Simulation, id: unknown, { path }: Incoming): ShieldZone | Answer {
  const found = account.shieldZones.find(({ shieldZoneId }) => shieldZoneId === id);
  return found ?? problem(404, NOT_FOUND, path, 'not_found_or_unauthorised_access.shieldzone');
}

function addLimit(simulation: Simulation, request: Incoming): Answer {
  const { shieldZoneId, ruleName, ruleDescription, ruleConfiguration } = bodyOf(request);
  const zone = shieldZoneIn(simulation, shieldZoneId, request);
  if ('status' in zone) return zone;
  const rule = (ruleConfiguration ?? {}) as Record<string, unknown>;
  const { value, timeframe, blockTime, requestCount } = rule;
  if (typeof ruleName !== 'string') return invalid(request, 'ruleName');
  if (typeof value !== 'string' || !value.startsWith('/')) return invalid(request, 'value');
  if (typeof requestCount !== 'number' || requestCount < 1) return invalid(request, 'requestCount');
  if (![1, 10, 60, 300, 900, 3600].includes(Number(timeframe))) return invalid(request, 'timeframe');
  if (![30, 60, 300, 900, 1800, 3600].includes(Number(blockTime))) return invalid(request, 'blockTime');
  if (zone.rateLimits.length >= (MOST_LIMITS[zone.planType] ?? 2))
    return refused(403, 'The plan has no more rate limits.', 'invalid_plan_type.rate_limit');
  const id = 70_000 + (hashOf(ruleName, value, zone.rateLimits.length, simulation.now().getTime()) % 100_000);
  const limit = { id, ruleName, ruleDescription: String(ruleDescription ?? ''), ruleConfiguration: { ...rule, value } };
  zone.rateLimits.push(limit);
  keepLimits(simulation, zone);
  return { status: 200, body: { ...limit, shieldZoneId } };
}

function keepLimits({ account, now }: Simulation, { pullZoneId, rateLimits }: ShieldZone): void {
  const entries = rateLimits.map(({ ruleConfiguration }) => ruleConfiguration.value);
  keep(account, { zoneId: pullZoneId, by: 'limit', type: -1 }, entries, now().getTime());
}

function removeLimit(simulation: Simulation, { params }: Incoming): Answer {
  const isMeant = ({ id }: { id: number }) => String(id) === params.id;
  const zone = simulation.account.shieldZones.find(({ rateLimits }) => rateLimits.some(isMeant));
  if (zone === undefined) return notFound('The rate limit was not found.', 'not_found.ratelimit_shieldzone');
  zone.rateLimits = zone.rateLimits.filter((limit) => !isMeant(limit));
  keepLimits(simulation, zone);
  return { status: 200, body: SUCCESS };
}

function setSensitivity({ account, now }: Simulation, zone: ShieldZone, sensitivity: number): void {
  zone.sensitivity = sensitivity;
  const everybody = sensitivity === 4 ? ['everybody'] : [];
  keep(account, { zoneId: zone.pullZoneId, by: 'challenge', type: -1 }, everybody, now().getTime());
}

/** `POST /shield/shield-zone/under-attack`: only for a pull zone without a shield zone. */
function underAttack(simulation: Simulation, request: Incoming): Answer {
  const { account } = simulation;
  const { pullZoneId, planType } = bodyOf(request);
  if (zoneOf(account, String(pullZoneId)) === undefined) return invalid(request, 'pullZoneId');
  if (typeof planType !== 'number' || planType < 0 || planType > 3) return invalid(request, 'planType');
  const envelope = (status: number, message: string, errorKey: string): Answer => ({
    status,
    body: { error: { statusCode: status, success: false, message, errorKey } },
  });
  if (account.shieldZones.some((zone) => zone.pullZoneId === pullZoneId))
    return envelope(409, 'A shield zone already exists for this pull zone.', 'already_exists.shieldzone');
  const shieldZoneId = Math.max(0, ...account.shieldZones.map((zone) => zone.shieldZoneId)) + 1;
  const zone: ShieldZone = {
    ...{ shieldZoneId, pullZoneId: Number(pullZoneId), planType, botActions: {}, sensitivity: 2 },
    ...{ accessLists: [], rateLimits: [] },
  };
  account.shieldZones.push(zone);
  setSensitivity(simulation, zone, 4);
  const shieldZone = { shieldZoneId, planType, dDoSShieldSensitivity: 4 };
  return { status: 200, body: { data: { pullZoneId, shieldZone }, error: SUCCESS } };
}

/** `PATCH /shield/shield-zone` */
function configure(simulation: Simulation, request: Incoming): Answer {
  const { shieldZoneId, shieldZone } = bodyOf(request);
  const zone = shieldZoneIn(simulation, shieldZoneId, request);
  if ('status' in zone) return zone;
  const { dDoSShieldSensitivity: wanted } = (shieldZone ?? {}) as Record<string, unknown>;
  if (wanted !== undefined && ![0, 1, 2, 3, 4].includes(Number(wanted)))
    return invalid(request, 'dDoSShieldSensitivity');
  if (wanted !== undefined) setSensitivity(simulation, zone, Number(wanted));
  return { status: 200, body: { data: { shieldZoneId, shieldZone }, error: SUCCESS } };
}

/** `POST /pullzone/{id}/addBlockedIp` and `…/removeBlockedIp` */
function blockIp(isAdded: boolean): SimulationRoute['answer'] {
  return ({ account, now }, request) => {
    const zone = zoneOf(account, request.params.id);
    if (!zone) return coreError(404, 'pullZone.not_found', 'PullZone', 'The requested Pull Zone was not found');
    const refusal = coreError(400, 'validation_error', 'BlockedIp', 'The BlockedIp field is not valid.');
    const { BlockedIp } = objectIn(request, refusal);
    if (typeof BlockedIp !== 'string' || BlockedIp === '') return refusal;
    zone.BlockedIps = zone.BlockedIps.filter((one) => one !== BlockedIp);
    if (isAdded) zone.BlockedIps.push(BlockedIp);
    keep(account, { zoneId: zone.Id, by: 'list', type: -1 }, zone.BlockedIps, now().getTime());
    return { status: 204 };
  };
}

const DIMENSIONS = ['feature', 'ruleId', 'ip', 'ja4', 'ua', 'url', 'asn', 'country', 'action'] as const;
type Dimension = (typeof DIMENSIONS)[number];
type SecurityEvent = Record<Dimension, string> & { at: number };

const WAF_RULES = ['942100', '941100', '930120', '920350'];

/** What the shield sees of a request. */
function eventOf(kept: readonly Kept[], zoneId: number, record: LogRecord): SecurityEvent | undefined {
  const by = keptBy(kept, zoneId, record)?.by;
  const seen =
    by === 'list'
      ? { feature: 'AccessLists', ruleId: 'access-list', action: 'Block' }
      : by === 'challenge'
        ? { feature: 'DDoS', ruleId: 'ddos-challenge', action: 'Challenge' }
        : by === 'limit'
          ? { feature: 'RateLimit', ruleId: 'rate-limit', action: 'Block' }
          : record.asn === FLOOD_ASN
            ? { feature: 'BotDetection', ruleId: 'bot-detection', action: 'Log' }
            : record.statusCode === 403 || record.statusCode === 400
              ? { feature: 'WAF', ruleId: WAF_RULES[hashOf(record.requestId) % WAF_RULES.length]!, action: 'Block' }
              : undefined;
  return seen && { ...seen, ...whoOf(record), url: record.path, at: record.at };
}

const whoOf = (record: LogRecord) => ({
  ip: addressOf(record),
  ja4: ja4Of(record),
  ua: record.userAgent,
  asn: String(record.asn),
  country: record.countryCode,
});

/** `POST /shield/event-logs/{zone}/search` */
function searchEvents({ pullZoneId }: ShieldZone, request: Incoming, { account, logs, now }: Simulation): Answer {
  const { from, to, filters, groupBy, buckets = 0, page = 0, pageSize = 50 } = bodyOf(request);
  if (typeof from !== 'number' || from < now().getTime() - 72 * HOUR - HOUR / 60) return invalid(request, 'from');
  if (typeof to !== 'number' || to <= from) return invalid(request, 'to');
  const by = (Array.isArray(groupBy) ? groupBy : []) as Dimension[];
  if (!by.every((one) => DIMENSIONS.includes(one))) return invalid(request, 'groupBy');
  const wanted = (Array.isArray(filters) ? filters : []) as { field: Dimension; op: string; value: string[] }[];
  if (!wanted.every(({ field, op }) => DIMENSIONS.includes(field) && ['eq', 'in'].includes(op)))
    return invalid(request, 'filters');
  const zone = zoneOf(account, String(pullZoneId))!;
  const events = [...logs.between(zone, from, to, 'asc')]
    .flat()
    .flatMap((record) => eventOf(account.kept, pullZoneId, record) ?? [])
    .filter((event) => wanted.every(({ field, value }) => value.includes(event[field])));
  const groups = new Map<string, SecurityEvent[]>();
  for (const event of events) {
    const key = JSON.stringify(by.map((one) => event[one]));
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [event]);
    else group.push(event);
  }
  const size = Math.min(500, Math.max(1, Number(pageSize)));
  const sorted = [...groups.values()].sort((one, other) => other.length - one.length);
  const shown = sorted.slice(Number(page) * size, (Number(page) + 1) * size);
  const rows = by.length > 0 ? [] : events.slice(Number(page) * size, (Number(page) + 1) * size);
  const total = by.length > 0 ? sorted.length : events.length;
  return {
    status: 200,
    body: {
      rows: rows.map(({ at, ...fields }, index) => ({ logId: `${at}-${index}`, timestamp: at, log: null, fields })),
      groups: by.length === 0 ? [] : shown.map((group) => groupObject(group, by, Number(buckets), from, to)),
      total,
      totalPages: Math.ceil(total / size),
      page: Number(page),
      errorResponse: SUCCESS,
    },
    // It reads.
    applied: false,
  };
}

function groupObject(
  group: readonly SecurityEvent[],
  by: readonly Dimension[],
  buckets: number,
  from: number,
  to: number,
) {
  const [first] = group;
  const many = (action: string) => group.filter((event) => event.action === action).length;
  const sparkline = Array.from({ length: Math.min(500, buckets) }, () => 0);
  for (const { at } of group) {
    const bucket = Math.floor(((at - from) / (to - from)) * sparkline.length);
    if (bucket in sparkline) sparkline[bucket]! += 1;
  }
  return {
    key: Object.fromEntries(by.map((one) => [one, first![one]])),
    count: group.length,
    firstSeen: first!.at,
    lastSeen: group.at(-1)!.at,
    context: {
      ...{ country: first!.country, asn: first!.asn },
      ...{ blocked: many('Block'), challenged: many('Challenge'), logged: many('Log') },
      features: [...new Set(group.map(({ feature }) => feature))].join(','),
      ruleIds: [...new Set(group.map(({ ruleId }) => ruleId))].join(','),
    },
    ...(buckets > 0 ? { sparkline } : {}),
  };
}
