import type { KnownBlock } from '@slack/types';
import { pino } from 'pino';
import { type Message, message } from '../../src/blocks/message.ts';
import { mrkdwn } from '../../src/blocks/mrkdwn.ts';
import { type AskResult, ask } from '../../src/changes/ask.ts';
import { confirm } from '../../src/changes/confirm.ts';
import type { Outcome } from '../../src/changes/execute.ts';
import { commandOf } from '../../src/changes/permission.ts';
import { recover } from '../../src/changes/recover.ts';
import type { Services } from '../../src/changes/services.ts';
import { putBackDue, type Undone } from '../../src/changes/undo.ts';
import { UsageError } from '../../src/errors.ts';
import { createRunner } from '../../src/jobs.ts';
import { choice, flag, forAWhile, force, optional, text } from '../../src/operations/arguments/plain.ts';
import type { Actor, Context, ResolveContext, SeenPlace } from '../../src/operations/context.ts';
import { readCommand } from '../../src/operations/grammar.ts';
import {
  type AnyOperation,
  type ArgumentKind,
  defineOperation,
  type Option,
  type Preflight,
} from '../../src/operations/operation.ts';
import { parsePolicy } from '../../src/policy/document.ts';
import { createFixedDirectory } from '../../src/policy/names.ts';
import { createPolicy, type Policy } from '../../src/policy/policy.ts';
import { Secret } from '../../src/secret.ts';
import type { StoredAuditEntry } from '../../src/store/audit-entry.ts';
import type { Database } from '../../src/store/database.ts';
import { createSelf, type Job } from '../../src/store/jobs.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { createSeal } from '../../src/store/seal.ts';
import { createStore, type Store } from '../../src/store/store.ts';
import { StoreError } from '../../src/store/store-error.ts';
import { asProcess } from '../support/as-process.ts';
import { changeServices } from '../support/services.ts';

export const MINUTE = 60_000;

const member = (id: string): Actor => ({ id, teamId: 'T1', kind: 'member' });
export const ADA = member('UADA');
export const BEN = member('UBEN');
export const CYD = member('UCYD');
/** May switch the server in the web, and nothing else. */
export const DAN = member('UDAN');
/** Has the same id as ada, in another workspace. */
export const FOREIGN_ADA: Actor = { id: 'UADA', teamId: 'T2', kind: 'member' };

export const PLACE: SeenPlace = { channelId: 'C0OPS', external: false };

const POLICY = `
roles:
  operators:
    people: [UADA, UBEN, UCYD]
    allow: ['*']
  guest:
    people: [UDAN]
    allow:
      - operations: server set
        where: { server: web }
  everybody:
    allow:
      - effect: read
approval:
  - operations: server set
    where: { server: billing }
    approvers: { people: [UADA, UBEN, UCYD] }
    expires: 1h
    breakGlass: { channel: C0GLASS }
  - operations: server set
    where: { server: archive }
    approvers: { people: [UBEN, UCYD] }
    count: 2
    expires: 30m
    reason: required
`;

/** Commands of which the built-in policy speaks. */
const ELSEWHERE = ['key list', 'database query', 'log download', 'audit list', 'changes list', 'balance show'].map(
  (name) => ({
    name,
    effect: 'read' as const,
    subjects: [],
    always: [],
  }),
);

interface Server {
  id: number;
  name: string;
  region: string;
}

const SERVERS: readonly Server[] = [
  { id: 1, name: 'web', region: 'europe' },
  { id: 2, name: 'mail', region: 'europe' },
  { id: 3, name: 'billing', region: 'asia' },
  { id: 4, name: 'archive', region: 'america' },
];

/** A message as it is read: one line a paragraph, small print after a dot, buttons in brackets. */
export function shown({ blocks }: Pick<Message, 'blocks'>): string[] {
  return (blocks as KnownBlock[]).flatMap((block): string[] => {
    if (block.type === 'section') return [plain(block.text?.text ?? '')];
    if (block.type === 'context')
      return block.elements.map((one) => `· ${plain('text' in one && typeof one.text === 'string' ? one.text : '')}`);
    if (block.type !== 'actions') return [block.type];
    const buttons = block.elements.map((one) => {
      if (one.type !== 'button') return one.type;
      const style = one.style === undefined ? '' : ` ${one.style}`;
      return `[${one.text.text}: ${one.action_id}${style}]`;
    });
    return [buttons.join(' ')];
  });
}

const plain = (mrkdwnText: string) => mrkdwnText;

/** What is asked for when something is asked for. */
export function asked(answer: AskResult): Extract<AskResult, { kind: 'question' }> {
  if (answer.kind === 'question') return answer;
  throw new Error(`it was not asked: ${JSON.stringify(answer)}`);
}

/** What an answer or an end says, line by line. */
export function said(answer: AskResult | Outcome): string[] {
  if (answer.kind === 'form') return [`missing: ${answer.missing.join(', ')}`];
  return shown(answer.message);
}

export interface Fixture {
  changes: Services;
  store: Store;
  operations: AnyOperation[];
  /** The state of all servers: what the platform would show. */
  servers: Map<string, string>;
  backups: Set<string>;
  /** What was done, in order. */
  done: string[];
  /** Every look-up of a server: what it was given. */
  lookups: { fresh: boolean; given: Readonly<Record<string, string>> }[];
  /** What every preview and run was given. */
  contexts: Context[];
  /** Goes wrong, or not, before and after something is done. */
  beforeRun: () => unknown;
  afterRun: () => unknown;
  beforePreview: () => unknown;
  /** Set: the state cannot be read, for this reason; empty: for none that is said. */
  unread: string | undefined;
  preflight: Preflight | undefined;
  suggests: (query: string, context: ResolveContext) => Promise<Option[]>;
  /** Set: a statement of the store fails. */
  storeFails: (sql: string) => boolean;
  logged: { level: number; msg: string; [field: string]: unknown }[];
  now(): Date;
  pass(milliseconds: number): void;
  /** From now on another policy holds. */
  ruledBy(policy: string, admins?: string[]): void;
  type(line: string, actor?: Actor, more?: { place?: SeenPlace }): Promise<AskResult>;
  /** Types it, and presses the button under the preview. */
  do(line: string, actor?: Actor): Promise<Outcome & { id: string }>;
  press(
    id: string,
    actor?: Actor,
    more?: { typedName?: string; claimed?: () => Promise<void>; isClosed?: boolean },
  ): Promise<Outcome>;
  /** The process dies, and another one goes on: with the same store, and knowing nothing else. */
  restart(services?: Partial<Services>): Services;
  /** What is due to be put back is, and what was begun by a process that died is gone on with. */
  putBack(): Promise<Undone[]>;
  /** What whoever is alive finds left, and what it says. */
  recover(): Promise<{ id: string; words: string[] }[]>;
  audit(): Promise<StoredAuditEntry[]>;
  state(id: string): Promise<string | undefined>;
}

/** All that changes are made with, on a store in memory, for a platform of four servers. */
export async function createFixture(
  services: Partial<Services> = {},
  {
    open = (clock: () => Date) => openDatabase({ url: ':memory:', clock }),
    key,
  }: { open?: (clock: () => Date) => Promise<Database>; key?: string } = {},
): Promise<Fixture> {
  let at = Date.parse('2026-11-21T12:00:00Z');
  const now = () => new Date(at);
  const opened = await open(now);
  const database: Database = {
    ...opened,
    async execute(sql, args) {
      if (fixture.storeFails(sql)) throw new StoreError('away', 'the store is gone');
      return opened.execute(sql, args);
    },
    async together(statements) {
      if (statements.some(({ sql }) => fixture.storeFails(sql))) throw new StoreError('away', 'the store is gone');
      return opened.together(statements);
    },
    inTurn: (_, work) => work(database),
  };
  const seal = createSeal(key === undefined ? undefined : Secret.of(key));
  /** The store of the next process: all others are dead. */
  const enter = (): Store => createStore(asProcess(database, createSelf(false)), seal);
  const logged: Fixture['logged'] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => void logged.push(JSON.parse(line)) });
  let policy: Policy;
  const ruledBy = (written: string, admins = ['UADM']) => {
    const commands = [...fixture.operations.map(commandOf), ...ELSEWHERE];
    policy = createPolicy(parsePolicy({ text: written, commands, admins }), createFixedDirectory());
  };
  const start = (more: Partial<Services> = {}) =>
    changeServices({
      operations: fixture.operations,
      store: fixture.store,
      policy: {
        get admins() {
          return policy.admins;
        },
        get source() {
          return policy.source;
        },
        decide: (...asking) => policy.decide(...asking),
        approvalFor: (...asking) => policy.approvalFor(...asking),
      },
      log,
      now,
      ...services,
      ...more,
    });
  const fixture: Fixture = {
    operations: [],
    servers: new Map(SERVERS.map(({ name }) => [name, 'off'])),
    backups: new Set(['old']),
    done: [],
    lookups: [],
    contexts: [],
    beforeRun: () => undefined,
    afterRun: () => undefined,
    beforePreview: () => undefined,
    unread: undefined,
    preflight: undefined,
    suggests: async () => [],
    storeFails: () => false,
    logged,
    store: undefined as never,
    changes: undefined as never,
    now,
    pass(milliseconds) {
      at += milliseconds;
    },
    ruledBy,
    type(line, actor = ADA, { place = PLACE } = {}) {
      const { operation, given } = readCommand(line, fixture.operations);
      const reader = { locale: 'en-GB', timezone: 'Europe/Berlin', now: now() };
      return ask(fixture.changes, { operation, given, actor, place, reader });
    },
    async do(line, actor = ADA) {
      const { id } = asked(await fixture.type(line, actor)).confirmation;
      return { ...(await fixture.press(id, actor)), id };
    },
    press: (id, actor = ADA, more = {}) =>
      confirm(fixture.changes, id, {
        actor,
        reader: { locale: 'en-GB', timezone: 'Europe/Berlin', now: now() },
        ...more,
      }),
    restart(more) {
      fixture.store = enter();
      fixture.changes = start(more);
      return fixture.changes;
    },
    async putBack() {
      const ends: Undone[] = [];
      const doing = async ({ key }: Job) => {
        const id = key.slice('reversal:'.length);
        const end = await putBackDue(fixture.changes, id, { locale: 'en', timezone: 'UTC', now: new Date(0) });
        if (end !== undefined) ends.push(end);
        return fixture.store.reversals.dueIn(id);
      };
      const runner = createRunner(fixture.store.jobs, [{ reversal: doing }], log);
      await runner.tick();
      await runner.stop();
      return ends;
    },
    async recover() {
      const all: { id: string; words: string[] }[] = [];
      const doing = async ({ key }: Job) => {
        const id = key.slice('change:'.length);
        const found = await recover(fixture.changes, id);
        if (found !== undefined)
          all.push({ id, words: 'message' in found ? shown(found.message) : [found.approved.kind] });
        return fixture.changes.unnotified.has(id) ? MINUTE : undefined;
      };
      const runner = createRunner(fixture.store.jobs, [{ change: doing }], log);
      await runner.tick();
      await runner.stop();
      return all;
    },
    audit: async () => (await fixture.store.audit.list({ limit: 100 })).reverse(),
    state: async (id) => (await fixture.store.confirmations.read(id))?.state,
  };
  fixture.operations.push(...operationsIn(fixture));
  ruledBy(POLICY);
  fixture.restart();
  return fixture;
}

function operationsIn(fixture: Fixture): AnyOperation[] {
  const server: ArgumentKind<Server> = {
    label: 'Server',
    shape: 'word',
    required: true,
    field: { type: 'suggest' },
    check(typed) {
      if (typed === '') throw new UsageError('Server is empty.');
    },
    resolve(typed, { fresh, given }) {
      fixture.lookups.push({ fresh, given });
      const found = SERVERS.find(({ id, name }) => name === typed || String(id) === typed);
      if (found !== undefined) return found;
      throw new UsageError(`There is no server “${typed}”.`, { hint: '`/edge server list` shows them.' });
    },
    textOf: ({ id }) => String(id),
    names: { of: { server: (word) => word, region: (word) => word }, read: (value) => namesOfServer(value as Server) },
    suggest: (query, context) => fixture.suggests(query, context),
  };
  const make = async (what: string, change: () => void = () => undefined) => {
    await fixture.beforeRun();
    change();
    fixture.done.push(what);
    await fixture.afterRun();
  };
  const before = async <T>(state: T): Promise<{ before?: T; unread?: string }> => {
    await fixture.beforePreview();
    if (fixture.unread === undefined) return { before: state };
    return fixture.unread === '' ? {} : { unread: fixture.unread };
  };
  return [
    defineOperation({
      name: 'server set',
      summary: 'Switch a server',
      effect: 'write',
      args: { server, power: choice('Power', ['on', 'off', 'idle']), for: forAWhile() },
      target: ({ server: { name } }) => name,
      async preview({ server: { name }, power }, context) {
        fixture.contexts.push(context);
        const state = await before({ power: fixture.servers.get(name) });
        return { ...state, after: { power }, warnings: power === 'idle' ? ['It may stall.'] : [] };
      },
      preflight: async () => fixture.preflight ?? {},
      async run({ server: { name }, power }, context) {
        fixture.contexts.push(context);
        context.progress(1, 2);
        await make(`${name} ${power}`, () => fixture.servers.set(name, power));
      },
      render: (_, { server: { name }, power }) => message(mrkdwn`The server ${name} is *${power}*.`),
      undo: ({ before: was }) => ({ power: String(was.power) }),
    }),
    defineOperation({
      name: 'server list',
      summary: 'List the servers',
      effect: 'read',
      args: { region: optional(text('Region')), file: flag('File') },
      target: ({ region }) => region ?? 'all servers',
      async run({ region }, context) {
        fixture.contexts.push(context);
        await fixture.beforeRun();
        return SERVERS.filter((one) => region === undefined || one.region === region).map(({ name }) => name);
      },
      render: (names, { file }, { timezone }) => ({
        ...message(`${names.join(', ')} (${timezone})`),
        ...(file ? { files: [{ name: 'servers.txt', content: names.join('\n') }] } : {}),
      }),
    }),
    defineOperation({
      name: 'server look',
      summary: 'Look at a server',
      effect: 'read',
      args: { server },
      target: ({ server: { name } }) => name,
      run: async ({ server: { name } }) => fixture.servers.get(name),
      render: (power, { server: { name } }) => message(`${name} is ${power}`),
    }),
    defineOperation({
      name: 'alarm test',
      summary: 'Test the alarm',
      effect: 'write',
      args: { times: text('Times') },
      target: ({ times }) => `the alarm ${times}`,
      run: ({ times }) => make(`alarm ${times}`),
      render: () => message('It was heard.'),
    }),
    defineOperation({
      name: 'backup delete',
      summary: 'Delete a backup',
      effect: 'destructive',
      args: { backup: text('Backup'), force: force() },
      target: ({ backup }) => backup,
      preview: async ({ backup }) => ({
        ...(await before({ there: fixture.backups.has(backup) })),
        after: { there: false },
      }),
      run: ({ backup }) => make(`deleted ${backup}`, () => fixture.backups.delete(backup)),
      render: (_, { backup }) => message(`The backup ${backup} is gone.`),
    }),
    defineOperation({
      name: 'key create',
      summary: 'Create a key',
      effect: 'write',
      args: { app: { ...text('App'), auditTextOf: () => '(an app)' } },
      target: ({ app }) => app,
      preview: async () => ({ before: {}, after: {} }),
      run: ({ app }) => make(`key ${app}`),
      render: (_, { app }) => message(`A key for ${app} was made.`),
      reveal: (_, { app }) => (app === 'none' ? undefined : message(`The key for ${app} is 4711.`)),
      whenUnknown: ({ app }) => message(`Look whether ${app} has a new key.`),
    }),
    defineOperation({
      name: 'status',
      summary: 'Say that all is well',
      effect: 'read',
      args: {},
      audited: 'never',
      target: () => 'all servers',
      run: async () => undefined,
      render: () => message('All is well.'),
    }),
  ];
}

const namesOfServer = ({ id, name, region }: Server) => ({
  server: [[name, String(id)]],
  region: [[region]],
});
