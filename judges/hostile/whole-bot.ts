import type { webApi } from '@slack/bolt';
import type { ModalView, View } from '@slack/types';
import fc from 'fast-check';
import type { Message } from '../../src/blocks/message.ts';
import { commandOf } from '../../src/changes/permission.ts';
import { createCollectReport } from '../../src/delivery/collect.ts';
import { createLog } from '../../src/log.ts';
import { lineOf } from '../../src/operations/grammar.ts';
import { operations } from '../../src/operations/index.ts';
import type { AnyOperation } from '../../src/operations/operation.ts';
import { parsePolicy } from '../../src/policy/document.ts';
import { createFixedDirectory } from '../../src/policy/names.ts';
import { createPolicy } from '../../src/policy/policy.ts';
import type { reports } from '../../src/reports/index.ts';
import { Secret } from '../../src/secret.ts';
import { runAction } from '../../src/slack/actions.ts';
import { runCommand } from '../../src/slack/commands.ts';
import { memoryOf, optionsOf } from '../../src/slack/form.ts';
import { showHome } from '../../src/slack/home/home.ts';
import { hostsOf } from '../../src/slack/hosts.ts';
import { createOutgoing } from '../../src/slack/out/outgoing.ts';
import { createPosts } from '../../src/slack/out/posts.ts';
import { createSecretFilter } from '../../src/slack/out/secrets.ts';
import { putBack } from '../../src/slack/recover.ts';
import type { Bot, Origin } from '../../src/slack/services.ts';
import { submitView, suggestOptions } from '../../src/slack/views.ts';
import { REVERSAL } from '../../src/store/reversals.ts';
import { openStore } from '../../src/store/store.ts';
import { withoutSecrets } from '../../src/store/without-secrets.ts';
import { NOW } from '../../test/operations/performing.ts';
import { KEEPS_NOTHING } from '../../test/support/keeps-nothing.ts';
import { recoverAll } from '../../test/support/left.ts';
import { changeServices } from '../../test/support/services.ts';
import type { Texts } from './generated-platform.ts';
import { createHostileWorld } from './hostile-world.ts';

/** Something that left the bot. */
export interface Left {
  method: string;
  body: Record<string, unknown>;
}

/** The bot from what people type to what Slack gets, between a platform and people who mean harm. Nothing of it is on a network. */
export interface WholeBot {
  /** Does everything that can be done with one operation: asks, presses what comes, sends the views that come. */
  perform(operation: AnyOperation): Promise<void>;
  /** Looks at what is suggested for each of its arguments. */
  suggest(operation: AnyOperation): Promise<void>;
  report(report: (typeof reports)[number]): Promise<void>;
  /** The Home tab, and what waited too long. */
  rest(): Promise<void>;
  left: Left[];
  logged: string[];
  /** Every text in the store. */
  stored(): Promise<string[]>;
  close(): Promise<void>;
}

/** The same, told by its name where a property fails. */
export const named = <T extends { name: string }>(one: T): T => ({ ...one, [fc.toStringMethod]: () => one.name });

const ADA = { userId: 'U0ADA', teamId: 'T0' };
const BEN = { userId: 'U0BEN', teamId: 'T0' };

/** Some changes want an approval, so that its cards are seen too. */
const POLICY = `
approval:
  - operations: ['bot set', 'app delete', 'variable add']
    approvers: { people: [U0BEN] }
    breakGlass: { channel: C0GLASS }
roles:
  all:
    people: [U0ADA, U0BEN]
    allow: ['*']
`;

const OWN_OPERATIONS = [
  'confirm',
  'run',
  'undo',
  'share',
  'ask-approval',
  'approve',
  'reject',
  'break-glass',
  'cancel',
];

export async function createWholeBot(
  texts: Texts,
  seed: number,
  {
    settings = [],
    manyRows = 0,
    onLearn = () => undefined,
  }: { settings?: readonly Secret[]; manyRows?: number; onLearn?: (secret: Secret) => void } = {},
): Promise<WholeBot> {
  const secrets = createSecretFilter(settings);
  const left: Left[] = [];
  const logged: string[] = [];
  const log = createLog('debug', secrets, (line) => void logged.push(line));
  const { context, random, givenFor } = createHostileWorld(texts, seed, {
    manyRows,
    onSecret(secret) {
      secrets.learn(secret);
      onLearn(secret);
    },
  });
  let now = NOW.getTime();
  const clock = () => new Date(now);
  const store = await openStore({ url: ':memory:', clock, encryptionKey: Secret.of('the key of this store') });
  let views = 0;
  const call =
    (method: string, answer: (body: Record<string, unknown>) => object = () => ({})) =>
    async (body: Record<string, unknown>) => {
      left.push({ method, body });
      return { ok: true, ...answer(body) };
    };
  const posted = () => ({ ts: `1700000000.${String(left.length).padStart(6, '0')}` });
  const shown = () => {
    views += 1;
    return { view: { id: `V${views}` } };
  };
  const client = {
    chat: {
      postMessage: call('chat.postMessage', posted),
      postEphemeral: call('chat.postEphemeral'),
      update: call('chat.update', posted),
    },
    conversations: {
      open: call('conversations.open', () => ({ channel: { id: 'D0ADA' } })),
      history: call('conversations.history', () => ({ messages: [] })),
      replies: call('conversations.replies', () => ({ messages: [] })),
    },
    views: {
      open: call('views.open', shown),
      update: call('views.update', shown),
      publish: call('views.publish', shown),
    },
    filesUploadV2: call('files.upload'),
  } as unknown as webApi.WebClient;
  const outgoing = createOutgoing({
    userId: 'U0EDGEWISE',
    interactive: client,
    background: client,
    secrets,
    log,
    hosts: hostsOf('https://slack.com/api'),
    ...KEEPS_NOTHING,
    wait: async () => undefined,
  });
  const cleanly = operations.map((operation) => ({
    ...operation,
    target: (values: Record<string, unknown>) => secrets.hideIn(operation.target(values)),
  }));
  const policy = createPolicy(
    parsePolicy({ text: POLICY, commands: operations.map(commandOf), admins: [] }),
    createFixedDirectory(),
  );
  const poster = createPosts({
    outgoing,
    pace: store.pace,
    now: clock,
    wait: async () => undefined,
    log,
  });
  const services: Bot = {
    ...changeServices({
      operations: cleanly,
      platform: context.platform,
      catalogue: context.catalogue,
      reports: context.reports,
      store: withoutSecrets(store, secrets.hideIn),
      policy,
      health: context.health,
      timeLine: context.timeLine,
      names: { person: async () => ({ name: texts.next(), handle: texts.next() }), channel: async () => texts.next() },
      log,
      now: clock,
      file: context.file,
      summariseLog: context.summariseLog,
      outlineDefinition: context.outlineDefinition,
      environmentFile: context.environmentFile,
      configuredDatabase: context.configuredDatabase,
    }),
    outgoing,
    poster,
    subscriptions: store.subscriptions,
    people: {
      find: async (id, teamId) => ({ actor: { id, teamId, kind: 'member' }, locale: 'en-US', timezone: 'UTC' }),
      idOf: (id) => id,
      idsOf: (id) => [id],
    },
    secrets,
    running: new Map(),
    pressed: new Set(),
  };
  const originOf = (person: typeof ADA): Origin => ({ ...person, place: { channelId: 'C0OPS' }, triggerId: 'trigger' });

  /** Everything that can be pressed or sent in what left since then. */
  async function follow(from: number, operation: AnyOperation): Promise<void> {
    for (let at = from; at < left.length && left.length < from + 60; at += 1) {
      const { body, method } = left[at]!;
      for (const { action, value } of buttonsIn(body)) {
        if (!OWN_OPERATIONS.includes(action)) continue;
        const person = action === 'approve' || action === 'reject' ? BEN : ADA;
        if (action === 'cancel' && random.next() < 0.8) continue;
        await runAction(services, { id: action, value }, originOf(person));
      }
      if (method.startsWith('views.')) await send(body.view as View, operation);
    }
  }

  /** Sends a view that can be sent, with what its reader would fill in. */
  async function send(view: View, operation: AnyOperation): Promise<void> {
    if (view.type !== 'modal' || view.submit === undefined) return;
    const { private_metadata, callback_id = '' } = view as ModalView;
    const memory = memoryOf({ private_metadata });
    const given = callback_id === 'form' ? await givenFor(operation) : {};
    const values = Object.fromEntries(Object.entries(given).map(([key, value]) => [key, { [key]: { value } }]));
    const submitted = submitView(
      services,
      {
        id: `V${views}`,
        callback_id,
        private_metadata,
        values: {
          ...values,
          name: { name: { value: memory.typedName ?? '' } },
          reason: { reason: { value: texts.next().slice(0, 500) } },
        },
      },
      memory.purpose === 'reject' ? BEN : ADA,
    );
    left.push({ method: 'ack', body: { ...submitted.acknowledgement } });
    await submitted.work?.();
  }

  async function suggestFor(operation: AnyOperation): Promise<void> {
    for (const key of Object.keys(operation.args)) {
      const view = {
        id: 'V0',
        callback_id: 'form',
        values: {},
        private_metadata: JSON.stringify({ operation: operation.name, channel: 'C0OPS' }),
      };
      const found = await suggestOptions(services, view, key, texts.next(), ADA);
      left.push({ method: 'suggestions', body: { options: optionsOf(found) } });
    }
  }

  return {
    left,
    logged,
    suggest: suggestFor,
    async perform(operation) {
      const from = left.length;
      const given = await givenFor(operation);
      await suggestFor(operation);
      await runCommand(services, lineOf(operation, given), originOf(ADA));
      await follow(from, operation);
    },
    async report(report) {
      const collect = createCollectReport({
        platform: context.platform,
        zones: () => context.catalogue.zones(),
        timeLine: context.timeLine,
        now: clock,
        anchors: withoutSecrets(store, secrets.hideIn).anchors,
      });
      const window = { from: new Date(now - 86_400_000), to: new Date(now) };
      const selection = { targets: [], include: [], exclude: [], thresholds: {} };
      let news: { message: Message } | undefined;
      try {
        const reading = { locale: 'en-US', timezone: 'UTC' };
        news = (await collect(report, selection, window, reading, context.signal)).news();
      } catch (error) {
        log.error({ err: error }, 'a report could not be collected');
      }
      if (news === undefined) return;
      const { ts } = await poster.post({ channel: 'C0OPS', message: news.message, key: 'slot' });
      await poster.update({ channel: 'C0OPS', ts, message: news.message });
    },
    async rest() {
      await showHome(services, ADA);
      now += 86_400_000;
      await recoverAll(services);
      for (const job of await store.jobs.claim(100))
        if (job.kind === REVERSAL) await putBack(services, job, context.reader);
    },
    async stored() {
      const { rows: tables } = await store.database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'");
      const texts: string[] = [];
      for (const { name } of tables) {
        const { rows } = await store.database.execute(`SELECT * FROM "${String(name)}"`);
        texts.push(
          ...rows.map(
            (row) =>
              `${String(name)}: ${JSON.stringify(row, (_, value) => (value instanceof ArrayBuffer ? '' : value))}`,
          ),
        );
      }
      return texts;
    },
    close: () => store.close(),
  };
}

function buttonsIn(value: unknown): { action: string; value: string }[] {
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return [];
  const { type, action_id: action, value: held } = value as Record<string, unknown>;
  if (type === 'button') return typeof action === 'string' ? [{ action, value: String(held ?? '') }] : [];
  return Object.values(value).flatMap(buttonsIn);
}
