import type { KnownBlock } from '@slack/types';
import { pino } from 'pino';
import { type Message, message } from '../../src/blocks/message.ts';
import { mrkdwn } from '../../src/blocks/mrkdwn.ts';
import { type AskResult, ask } from '../../src/changes/ask.ts';
import { confirm } from '../../src/changes/confirm.ts';
import type { Outcome } from '../../src/changes/execute.ts';
import { recover } from '../../src/changes/recover.ts';
import type { ChangeServices } from '../../src/changes/services.ts';
import { UsageError } from '../../src/errors.ts';
import type { ArgumentKind, Option } from '../../src/operations/argument.ts';
import { choice, flag, forAWhile, force, optional, text } from '../../src/operations/arguments/plain.ts';
import type { Actor, Context, Place, ResolveContext } from '../../src/operations/context.ts';
import { readCommand } from '../../src/operations/grammar.ts';
import { type AnyOperation, defineOperation, type Preflight } from '../../src/operations/operation.ts';
import { commandOf } from '../../src/operations/policy-names.ts';
import { createFixedDirectory } from '../../src/policy/directory.ts';
import { parsePolicy } from '../../src/policy/document.ts';
import { createPolicy, type Policy } from '../../src/policy/policy.ts';
import { Secret } from '../../src/secret.ts';
import type { StoredAuditEntry } from '../../src/store/audit.ts';
import type { Database } from '../../src/store/database.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { createStore, type Store } from '../../src/store/store.ts';
import { changeServices } from '../support/services.ts';

export const MINUTE = 60_000;

const member = (id: string): Actor => ({ id, teamId: 'T1', kind: 'member' });
export const ADA = member('UADA');
export const BEN = member('UBEN');
export const CYD = member('UCYD');
/** May switch the lamp in the hall, and nothing else. */
export const DAN = member('UDAN');
/** Has the same id as ada, in another workspace. */
export const FOREIGN_ADA: Actor = { id: 'UADA', teamId: 'T2', kind: 'member' };

export const PLACE: Place = { channelId: 'C0HOUSE' };

const POLICY = `
roles:
  family:
    people: [UADA, UBEN, UCYD]
    allow: ['*']
  guest:
    people: [UDAN]
    allow:
      - operations: lamp set
        where: { lamp: hall }
  everybody:
    allow:
      - effect: read
approval:
  - operations: lamp set
    where: { lamp: cellar }
    approvers: { people: [UADA, UBEN, UCYD] }
    expires: 1h
    breakGlass: { channel: C0GLASS }
  - operations: lamp set
    where: { lamp: attic }
    approvers: { people: [UBEN, UCYD] }
    count: 2
    expires: 30m
    reason: required
`;

/** Commands of which the built-in policy speaks. */
const ELSEWHERE = ['key list', 'database query', 'log download', 'audit list'].map((name) => ({
  name,
  effect: 'read' as const,
  subjects: [],
}));

interface Lamp {
  id: number;
  name: string;
  room: string;
}

const LAMPS: readonly Lamp[] = [
  { id: 1, name: 'hall', room: 'downstairs' },
  { id: 2, name: 'kitchen', room: 'downstairs' },
  { id: 3, name: 'cellar', room: 'below' },
  { id: 4, name: 'attic', room: 'above' },
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

const plain = (mrkdwnText: string) => mrkdwnText.replaceAll('\u2060', '');

/** What is asked for when something is asked for. */
export function asked(answer: AskResult): Extract<AskResult, { kind: 'question' }> {
  if (answer.kind === 'question') return answer;
  throw new Error(`it was not asked: ${JSON.stringify(answer)}`);
}

/** What an answer or an end says, line by line. */
export function said(answer: AskResult | Outcome): string[] {
  if (answer.kind === 'form') return [`missing: ${answer.missing.join(', ')}`];
  if (answer.kind === 'retype') return [answer.message];
  return shown(answer.message);
}

export interface House {
  changes: ChangeServices;
  store: Store;
  operations: AnyOperation[];
  /** The state of the house: what the platform would show. */
  lamps: Map<string, string>;
  boxes: Set<string>;
  /** What was done, in order. */
  done: string[];
  /** Every look-up of a lamp: what it was given. */
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
  type(line: string, actor?: Actor, more?: { offered?: boolean; place?: Place }): Promise<AskResult>;
  /** Types it, and presses the button under the preview. */
  do(line: string, actor?: Actor): Promise<Outcome & { id: string }>;
  press(id: string, actor?: Actor, more?: { typedName?: string; claimed?: () => Promise<void> }): Promise<Outcome>;
  /** The process dies, and another one goes on: with the same store, and knowing nothing else. */
  restart(services?: Partial<ChangeServices>): ChangeServices;
  /** What whoever is alive finds left, and what it says. */
  recover(): Promise<{ id: string; words: string[] }[]>;
  audit(): Promise<StoredAuditEntry[]>;
  state(id: string): Promise<string | undefined>;
}

/** All that changes are made with, on a store in memory, for a platform that is a house with four lamps. */
export async function createHouse(
  services: Partial<ChangeServices> = {},
  {
    open = (clock: () => Date) => openDatabase({ url: ':memory:', clock }),
    key,
  }: { open?: (clock: () => Date) => Promise<Database>; key?: string } = {},
): Promise<House> {
  let at = Date.parse('2026-11-21T12:00:00Z');
  const now = () => new Date(at);
  const opened = await open(now);
  const database: Database = {
    async execute(sql, args) {
      if (house.storeFails(sql)) throw new Error('the store is gone');
      return opened.execute(sql, args);
    },
    close: () => opened.close(),
  };
  const store = createStore(database, key === undefined ? undefined : Secret.of(key));
  const logged: House['logged'] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => void logged.push(JSON.parse(line)) });
  let policy: Policy;
  const ruledBy = (written: string, admins = ['UADM']) => {
    const commands = [...house.operations.map(commandOf), ...ELSEWHERE];
    policy = createPolicy(parsePolicy({ text: written, commands, admins }), createFixedDirectory());
  };
  const start = (more: Partial<ChangeServices> = {}) =>
    changeServices({
      operations: house.operations,
      store,
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
  const house: House = {
    operations: [],
    lamps: new Map(LAMPS.map(({ name }) => [name, 'off'])),
    boxes: new Set(['old']),
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
    store,
    changes: undefined as never,
    now,
    pass(milliseconds) {
      at += milliseconds;
    },
    ruledBy,
    type(line, actor = ADA, { offered, place = PLACE } = {}) {
      const { operation, given } =
        offered === true
          ? { operation: house.operations.find(({ name }) => line.startsWith(name))!, given: { door: 'front' } }
          : readCommand(line, house.operations);
      const reader = { locale: 'en-GB', timezone: 'Europe/Berlin', now: now() };
      return ask(house.changes, {
        operation,
        given,
        actor,
        place,
        reader,
        ...(offered === undefined ? {} : { offered }),
      });
    },
    async do(line, actor = ADA) {
      const { id } = asked(await house.type(line, actor)).confirmation;
      return { ...(await house.press(id, actor)), id };
    },
    press: (id, actor = ADA, more = {}) =>
      confirm(house.changes, id, {
        actor,
        reader: { locale: 'en-GB', timezone: 'Europe/Berlin', now: now() },
        ...more,
      }),
    restart(more) {
      house.changes = start(more);
      return house.changes;
    },
    recover: async () =>
      (await recover(house.changes)).map((found) => ({
        id: found.confirmation.id,
        words: 'message' in found ? shown(found.message) : [found.approved.kind],
      })),
    audit: async () => (await store.audit.list({ limit: 100 })).reverse(),
    state: async (id) => (await store.confirmations.read(id))?.state,
  };
  house.operations.push(...operationsIn(house));
  ruledBy(POLICY);
  house.restart();
  return house;
}

function operationsIn(house: House): AnyOperation[] {
  const lamp: ArgumentKind<Lamp> = {
    label: 'Lamp',
    shape: 'word',
    required: true,
    field: { type: 'suggest' },
    check(typed) {
      if (typed === '') throw new UsageError('Lamp is empty.');
    },
    resolve(typed, { fresh, given }) {
      house.lookups.push({ fresh, given });
      const found = LAMPS.find(({ id, name }) => name === typed || String(id) === typed);
      if (found !== undefined) return found;
      throw new UsageError(`There is no lamp “${typed}”.`, { hint: '`/edge lamp list` shows them.' });
    },
    textOf: ({ id }) => String(id),
    names: { of: ['lamp', 'room'], read: (value) => namesOfLamp(value as Lamp) },
    suggest: (query, context) => house.suggests(query, context),
  };
  const make = async (what: string, change: () => void = () => undefined) => {
    await house.beforeRun();
    change();
    house.done.push(what);
    await house.afterRun();
  };
  const before = async <T>(state: T): Promise<{ before?: T; unread?: string }> => {
    await house.beforePreview();
    if (house.unread === undefined) return { before: state };
    return house.unread === '' ? {} : { unread: house.unread };
  };
  return [
    defineOperation({
      name: 'lamp set',
      summary: 'Switch a lamp',
      effect: 'write',
      args: { lamp, power: choice('Power', ['on', 'off', 'dim']), for: forAWhile() },
      target: ({ lamp: { name } }) => name,
      async preview({ lamp: { name }, power }, context) {
        house.contexts.push(context);
        const state = await before({ power: house.lamps.get(name) });
        return { ...state, after: { power }, warnings: power === 'dim' ? ['It may flicker.'] : [] };
      },
      preflight: async () => house.preflight ?? {},
      async run({ lamp: { name }, power }, context) {
        house.contexts.push(context);
        context.progress(1, 2);
        await make(`${name} ${power}`, () => house.lamps.set(name, power));
      },
      render: (_, { lamp: { name }, power }) => message(mrkdwn`The lamp ${name} is *${power}*.`),
      undo: ({ before: was }) => ({ power: String(was.power) }),
    }),
    defineOperation({
      name: 'lamp list',
      summary: 'List the lamps',
      effect: 'read',
      args: { room: optional(text('Room')), file: flag('File') },
      target: ({ room }) => room ?? 'the house',
      async run({ room }, context) {
        house.contexts.push(context);
        await house.beforeRun();
        return LAMPS.filter((one) => room === undefined || one.room === room).map(({ name }) => name);
      },
      render: (names, { file }, { timezone }) => ({
        ...message(`${names.join(', ')} (${timezone})`),
        ...(file ? { files: [{ name: 'lamps.txt', content: names.join('\n') }] } : {}),
      }),
    }),
    defineOperation({
      name: 'lamp look',
      summary: 'Look at a lamp',
      effect: 'read',
      args: { lamp },
      target: ({ lamp: { name } }) => name,
      run: async ({ lamp: { name } }) => house.lamps.get(name),
      render: (power, { lamp: { name } }) => message(`${name} is ${power}`),
    }),
    defineOperation({
      name: 'bell ring',
      summary: 'Ring the bell',
      effect: 'write',
      args: { times: text('Times') },
      target: ({ times }) => `the bell ${times}`,
      run: ({ times }) => make(`bell ${times}`),
      render: () => message('It rang.'),
    }),
    defineOperation({
      name: 'box burn',
      summary: 'Burn a box',
      effect: 'destructive',
      args: { box: text('Box'), force: force() },
      target: ({ box }) => box,
      preview: async ({ box }) => ({ ...(await before({ there: house.boxes.has(box) })), after: { there: false } }),
      run: ({ box }) => make(`burnt ${box}`, () => house.boxes.delete(box)),
      render: (_, { box }) => message(`The box ${box} is gone.`),
    }),
    defineOperation({
      name: 'key make',
      summary: 'Make a key',
      effect: 'write',
      args: { door: { ...text('Door'), auditTextOf: () => '(a door)' } },
      target: ({ door }) => door,
      preview: async () => ({ before: {}, after: {} }),
      run: ({ door }) => make(`key ${door}`),
      render: (_, { door }) => message(`A key for ${door} was made.`),
      reveal: (_, { door }) => (door === 'none' ? undefined : message(`The key for ${door} is 4711.`)),
      whenUnknown: ({ door }) => message(`Look whether ${door} has a new lock.`),
    }),
    defineOperation({
      name: 'key again',
      summary: 'Make a key once more',
      effect: 'write',
      args: { door: text('Door') },
      offeredBy: 'key make',
      target: ({ door }) => door,
      preview: async () => ({ before: {}, after: {} }),
      run: ({ door }) => make(`key ${door} again`),
      render: () => message('Another key was made.'),
    }),
    defineOperation({
      name: 'status',
      summary: 'Say that all is well',
      effect: 'read',
      args: {},
      audited: 'never',
      target: () => 'the house',
      run: async () => undefined,
      render: () => message('All is well.'),
    }),
  ];
}

const namesOfLamp = ({ id, name, room }: Lamp) => ({ lamp: [name, String(id)], room: [room] });
