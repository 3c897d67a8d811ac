import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { createRandom, type Random } from '../../playground/platform/random.ts';
import { message, section } from '../../src/blocks/message.ts';
import { createSummariser } from '../../src/logs/summariser.ts';
import type { LogFormat } from '../../src/logs/summary.ts';
import { createCatalogue } from '../../src/operations/catalogue.ts';
import { createTimeLine } from '../../src/operations/changes/time-line.ts';
import type { Context, GivenFile, ResolveContext } from '../../src/operations/context.ts';
import { outlineOf } from '../../src/operations/guardian/outline.ts';
import { operations } from '../../src/operations/index.ts';
import type { AnyOperation, ArgumentKind } from '../../src/operations/operation.ts';
import type { ListedSubscription, ReportsView } from '../../src/operations/reports-view.ts';
import { fieldsOf } from '../../src/platform/audit-diff.ts';
import type { UserAuditEntry } from '../../src/platform/resources/user-audit.ts';
import { reports } from '../../src/reports/index.ts';
import { Secret } from '../../src/secret.ts';
import type { StoredAuditEntry } from '../../src/store/audit-entry.ts';
import { contextOf, NOW } from '../../test/operations/performing.ts';
import { createGeneratedPlatform, type Texts } from './generated-platform.ts';

/** Everything that operations get, from people and a platform that mean harm. */
export interface HostileWorld {
  context: Context & ResolveContext;
  random: Random;
  texts: Texts;
  /** What somebody types for an operation: what passes its checks, and what does not. */
  givenFor(operation: AnyOperation): Promise<Record<string, string>>;
}

/** What kinds of arguments take, when they do not take everything. */
const SENSIBLE = [
  'yesterday', '2d', '30m', '2027-01-31', 'cdn.example.com', '*.example.com', '1', '#ops', 'weekdays at 9:00', '22:00-07:00', 'Europe/Berlin', '404,5xx',
  'HIT', 'DE', '203.0.113.7', '0123456789abcdef0123456789abcdef', 'min-errors=5', 'status:5xx', 'SELECT 1', "UPDATE a SET b = '<!here>' WHERE c = 'x'",
  'DELETE FROM "`<!channel>`"', 'daily-statistics', 'changed', 'F0FILE', 'on', 'main-site', 'ssl force',
]; // biome-ignore format: a list of texts reads better as a block

export function createHostileWorld(
  texts: Texts,
  seed: number,
  options?: Parameters<typeof createGeneratedPlatform>[2],
): HostileWorld {
  const random = createRandom(seed, 'hostile world');
  const platform = createGeneratedPlatform(texts, seed, options);
  const catalogue = createCatalogue(platform, () => NOW);
  const audit = { list: async () => Array.from({ length: 3 }, (_, index) => auditRecord(index + 1, texts)) };
  const context: Context & ResolveContext = {
    ...contextOf({ platform, catalogue }),
    file: async (id) => fileOf(id, texts, random),
    reports: reportsOf(texts, random),
    audit: {
      ...audit,
      actors: async () => [],
      verify: async () => ({ entries: 3, head: texts.next(), problems: [] }),
    },
    timeLine: createTimeLine({
      operations,
      audit,
      marks: { list: async () => [{ at: NOW, text: texts.next(), zone: null, url: null }] },
      catalogue,
      elsewhere: { read: async (from) => ({ from, at: NOW, isCut: false, entries: loggedBy(texts) }) },
      now: () => NOW,
    }),
    approvals: {
      waiting: async () => [
        {
          id: 'c1',
          title: texts.next(),
          actor: 'U0ADA',
          approvedBy: ['U0BOB'],
          needs: '1 of U0CYD',
          reason: texts.next(),
          askedAt: NOW,
          until: NOW,
        },
      ],
      own: async () => ({ runnable: [section(texts.next())], expired: [section(texts.next())] }),
      planned: async () => [section(texts.next())],
    },
    policy: {
      may: () => true,
      check: async (line) => ({
        operation: line,
        allowed: random.next() < 0.5,
        rule: 'rule 3',
        tentative: true,
        hint: 'Ask <@U0ADA>.',
      }),
      search: () => operations.slice(0, 5).map(({ name }) => name),
      operations: () => operations.slice(0, 5).map((one, at) => ({ ...one, allowed: at < 3 })),
    },
    health: { read: async () => [{ name: 'Platform', ok: false, detail: texts.next() }] },
    summariseLog: summarise,
    outlineDefinition: async (content) => outlineOf(content),
    environmentFile: {
      path: '/nowhere',
      check: () => undefined,
      save: async () => ({ wroteUrl: true, isOtherUrl: false }),
    },
    configuredDatabase: { url: 'https://db.example.com', token: Secret.of('the-token-of-the-settings') },
  };

  async function textFor(key: string, kind: ArgumentKind<unknown>, given: Record<string, string>): Promise<string> {
    const { field } = kind;
    if (field.type === 'select' && random.next() < 0.9) return random.pick(field.options).value;
    if (field.type === 'checkbox' && random.next() < 0.9) return 'true';
    if (kind.suggest !== undefined && random.next() < 0.8) {
      const options = await kind.suggest('', { ...context, given, fresh: false });
      const own = options.filter(({ value }) => passes(kind, value));
      if (own.length > 0) return random.pick(own).value;
    }
    const anything =
      key === 'command' ? [`${random.pick(operations).name} ${texts.next()}`] : [texts.next(), texts.next()];
    if (random.next() < 0.05) return anything[0] ?? '';
    const candidates = [...anything, ...SENSIBLE];
    return candidates.find((text) => passes(kind, text)) ?? texts.next();
  }

  return {
    context,
    random,
    texts,
    async givenFor(operation) {
      const given: Record<string, string> = {};
      for (const [key, kind] of Object.entries(operation.args)) {
        if (kind.required || random.next() < 0.7) given[key] = await textFor(key, kind, given);
      }
      return given;
    },
  };
}

/** Changes that the platform’s audit has: some as a command makes them, all in somebody’s words. */
function loggedBy(texts: Texts): UserAuditEntry[] {
  const pair = () => ({ Old: texts.next(), New: texts.next() });
  const diffs = [
    { Hostname: texts.next(), ForceSSL: { Old: true, New: false } },
    { Url: texts.next() },
    { [texts.next()]: pair(), [texts.next()]: { [texts.next()]: pair() }, Name: texts.next(), Value: pair() },
    texts.next(),
  ];
  return diffs.map((diff, minute) => ({
    at: new Date(NOW.getTime() - minute * 60_000),
    ...{ Product: texts.next(), ResourceType: `PullZone ${texts.next()}`, ResourceId: texts.next() },
    ...{ Action: `Purge ${texts.next()}`, ActorId: texts.next(), ActorType: texts.next() },
    fields: fieldsOf(typeof diff === 'string' ? diff : JSON.stringify(diff), false),
  }));
}

/** An OpenAPI definition whose every name is somebody's idea. */
function fileOf(id: string, texts: Texts, random: Random): GivenFile {
  const definition = {
    openapi: random.pick(['3.0.3', texts.next()]),
    info: { title: texts.next(), version: texts.next() },
    servers: [{ url: texts.next() }],
    paths: {
      [`/${texts.next()}`]: { get: { parameters: [{ name: texts.next(), in: 'query' }] } },
      '/a': { [texts.next()]: {} },
    },
  };
  const content = Buffer.from(JSON.stringify(definition));
  const sha256 = createHash('sha256').update(content).digest('hex');
  return { id, name: `${texts.next()}${random.pick(['.yaml', '.json', ''])}`, size: content.length, content, sha256 };
}

function passes(kind: ArgumentKind<unknown>, text: string): boolean {
  try {
    kind.check(text, NOW);
    return text !== '';
  } catch {
    return false;
  }
}

async function summarise(source: Readable, format: LogFormat) {
  const summariser = createSummariser(format);
  for await (const chunk of source) summariser.push(chunk as Buffer);
  return summariser.end();
}

function auditRecord(number: number, texts: Texts): StoredAuditEntry {
  return {
    number,
    at: NOW,
    actor: texts.next(),
    team: 'T0',
    channel: texts.next(),
    operation: texts.next(),
    given: {},
    target: texts.next(),
    outcome: texts.next(),
    detail: texts.next(),
    rule: texts.next(),
    preview: { before: { [texts.next()]: texts.next() }, after: { [texts.next()]: texts.next() } },
    reference: texts.next(),
    hash: texts.next(),
  };
}

/** Reports of a workspace whose channels have such names. */
function reportsOf(texts: Texts, random: Random): ReportsView {
  const subscription = (id: number): ListedSubscription => ({
    id,
    isOfSettings: false,
    report: 'error-summary',
    channel: 'C0OPS',
    channelName: texts.next(),
    schedule: texts.next(),
    cron: '*/15 * * * *',
    timezone: 'UTC',
    locale: 'en-US',
    targets: [texts.next()],
    include: [texts.next()],
    exclude: [texts.next()],
    thresholds: { [texts.next()]: 3 },
    owner: 'U0ADA',
    team: 'T0',
    version: 1,
    state: random.pick(['active', 'broken', 'ended'] as const),
    reason: texts.next(),
    createdAt: NOW,
    slotsUntil: NOW,
    nextSlot: NOW,
    muted: undefined,
    dismissed: [texts.next()],
  });
  return {
    all: () =>
      reports.map(({ name, summary, schedule }) => ({ name, summary, schedule, thresholds: { minErrors: 1 } })),
    subscriptions: async () => [subscription(1), subscription(2)],
    subscribe: async () => subscription(3),
    unsubscribe: async () => true,
    mute: async () => true,
    unmute: async () => true,
    incident: async () => [texts.next(), texts.next()].map((words) => ({ zone: '1', words, since: NOW })),
    incidents: async () => [{ channelName: texts.next(), troubles: [{ zone: '1', words: texts.next(), since: NOW }] }],
    doubts: async () => [{ zone: '2', words: texts.next(), since: NOW.getTime() }],
    seen: async () => ({
      ...{ logs: NOW.getTime(), statistics: NOW.getTime() },
      zones: { 1: { failed: 0 }, 2: { failed: random.pick([0, 2]), of: 9 } },
    }),
    recovered: async () => [{ zone: 1, name: texts.next(), from: NOW.getTime(), to: NOW.getTime() }],
    take: async () => ({ by: texts.next(), isNew: random.next() < 0.5 }),
    dismiss: async () => true,
    undismiss: async () => true,
    make: async () => ({ message: message(texts.next()), details: message(texts.next()) }),
    post: async () => undefined,
    channel: async () => ({ id: 'C0OPS', name: texts.next(), member: random.next() < 0.5, external: false }),
  };
}
