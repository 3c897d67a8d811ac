import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { seedAccount } from '../../playground/platform/account/seed.ts';
import type { RecordedRequest } from '../../playground/platform/simulator.ts';
import type { Card, Form, Person } from '../../playground/slack/people/person.ts';
import { WATCH_FOR } from '../../src/changes/after.ts';
import { DISMISSED, dismissIncident } from '../../src/delivery/dismissals.ts';
import { keepIncidents } from '../../src/delivery/incident.ts';
import { createAgentTokens } from '../../src/store/agent-tokens.ts';
import { createAnchors } from '../../src/store/anchors.ts';
import { plannedKey } from '../../src/store/confirmations.ts';
import { macOf } from '../../src/store/protection.ts';
import { createReportLedger } from '../../src/store/report-ledger.ts';
import { reversalKey } from '../../src/store/reversals.ts';
import { createSubscriptions, type Subscription, type SubscriptionSettings } from '../../src/store/subscriptions.ts';
import { CONFIRM, SETTLED } from '../../test/support/changes.ts';
import { PLAIN } from '../../test/support/subscription.ts';
import { SEAL, type World } from './world.ts';

/** Everything is ready but for one press. */
export interface Ready {
  /** The confirmation that it is about; where it is only made by the press, how to find it. */
  id: string | (() => Promise<string | undefined>);
  /** The press; for what comes by the clock, nothing: the bot is started. */
  press: (() => Promise<unknown>) | 'start';
  /** Presses on where the person still can, after a bot that died has come back; false: there is nothing to press. */
  again(): Promise<boolean>;
  /** How many different requests have changed the platform when it is done. */
  writes: number;
  /** Which requests are the change; all that change something, unless told otherwise. */
  isChange?: (request: RecordedRequest) => boolean;
  /** What was made instead of requests, where the change is one of the bot's own store. */
  made?: () => Promise<string[]>;
  /** How it ends otherwise than by being done, not done or unknown. */
  ends?: RegExp;
  /** Whether silence is right at the end, by how the store has it: whoever closed a view has nothing to read. */
  maySayNothing?(state: string | undefined): boolean;
  /** The platform shows whether it took effect: that it is not known is no end. */
  isShown?: boolean;
  /** What it says besides, where nobody can tell how it ended. */
  advice?: RegExp;
  /** What shows the secret that it makes. */
  secret?: RegExp;
  /** What says that only a part was done. */
  part?: RegExp;
}

/** One way in which something changes, up to the press from which on the bot is killed. */
export interface Scenario {
  name: string;
  /** The operation of the registry that it runs. */
  operation: string;
  prepare(world: World): Promise<Ready>;
}

const definition = (title: string) =>
  `openapi: 3.0.3\ninfo:\n  title: ${title}\n  version: '1.0'\npaths:\n  /items:\n    get:\n      responses: { '200': { description: ok } }\n`;

const ada = (world: World) => world.slack.person('ada');

async function newest(world: World): Promise<string> {
  const { rows } = await world.database.execute('SELECT id FROM confirmations ORDER BY created_at DESC LIMIT 1');
  return String(rows[0]?.id);
}

/** A hostname of its own on the zone, with a certificate and without forced HTTPS. */
function hostname(world: World, zoneName = 'downloads'): string {
  const zone = world.platform.account.zones.find(({ Name }) => Name === zoneName);
  const [first] = zone?.Hostnames ?? [];
  if (zone === undefined || first === undefined) throw new Error(`the zone ${zoneName} has no hostname`);
  const Value = `kill-${world.turn()}.example.com`;
  zone.Hostnames = [
    ...zone.Hostnames.filter((one) => !one.Value.startsWith('kill-')),
    { ...first, Id: 900_000 + world.turn(), Value, ForceSSL: false, IsSystemHostname: false },
  ];
  return Value;
}

/** A button by its label, pressed as long as it is there. */
const pressing = (card: Card, label: string | RegExp) => async (): Promise<boolean> => {
  const has = card.buttons.some((one) => (typeof label === 'string' ? one.startsWith(label) : label.test(one)));
  if (has) await card.click(label, { confirm: true });
  return has;
};

async function onCard(world: World, card: Card, button: string | RegExp, writes: number) {
  const press = pressing(card, button);
  return { id: await newest(world), press, again: press, writes };
}

/** Of what the platform shows. */
const shown = (prepare: Scenario['prepare']) => async (world: World) => ({ ...(await prepare(world)), isShown: true });

/** Of what makes tokens: they stand in one view, or are said to be lost. */
const tokens = (prepare: Scenario['prepare'], advice: RegExp) => async (world: World) => ({
  ...(await prepare(world)),
  advice,
  secret: /They are shown once, here/,
  part: /\*Failed\*/,
});

const TOKENS_LOST = /The old tokens may be gone, and any new one is lost[\s\S]*Create one/;

/** As far as the question alone: it is asked with a button, or not at all. */
const asking =
  (line: (world: World) => string) =>
  async (world: World): Promise<Ready> => {
    world.turn();
    const command = line(world);
    const { rows } = await world.database.execute('SELECT max(created_at) AS last FROM confirmations');
    const last = Number(rows[0]?.last ?? 0);
    return {
      async id() {
        const found = await world.database.execute('SELECT id FROM confirmations WHERE created_at > :last LIMIT 1', {
          last,
        });
        return found.rows[0] === undefined ? undefined : String(found.rows[0].id);
      },
      press: () => world.channel().type(`/edge ${command}`),
      again: async () => false,
      writes: 0,
      ends: /"action_id":"confirm"|Type the name/,
      // Who was never asked anything has nothing to hear the end of.
      maySayNothing: (state) => state === undefined,
    };
  };

/** Typed in the conversation, confirmed under the preview. */
const typed =
  (line: (world: World) => string, writes = 1, button: string | RegExp = CONFIRM) =>
  async (world: World): Promise<Ready> => {
    world.turn();
    const ops = world.channel();
    const command = line(world);
    await ops.type(`/edge ${command}`);
    // What is new in each line stands in its preview too: a card of an earlier run is another one.
    const mark = /kill-?_?\d+/i.exec(command)?.[0] ?? '';
    const asked = new RegExp(`${SETTLED.source}[^]*${mark}[^]*\\[Cancel\\]`);
    return onCard(world, await ops.expectMessage(asked), button, writes);
  };

/** Asked in a view, confirmed by the typed name. */
const named =
  (line: (world: World) => string, writes: number) =>
  async (world: World): Promise<Ready> => {
    world.turn();
    await world.channel().type(`/edge ${line(world)}`);
    return { ...(await byName(ada(world))), id: await newest(world), writes };
  };

/** The view in which the name is typed, filled in. */
async function byName(person: Person, title: RegExp = /./) {
  const form = await person.expectModal(title);
  await form.expectChange(/Type the name/);
  const field = form.blocks.find((block) => block.block_id === 'name') as { hint?: { text: string } } | undefined;
  await form.fill({ 'Type the name to confirm': field?.hint?.text ?? '' });
  return {
    form,
    press: () => form.submit(),
    async again() {
      const isThere = form.isOpen && form.submitLabel !== undefined;
      if (isThere) await form.submit();
      return isThere;
    },
  };
}

/** An application of its own that can be deleted. */
function application(world: World, prefix = 'kill'): string {
  const { account } = world.platform;
  const [app] = seedAccount(1, new Date()).apps;
  if (app === undefined) throw new Error('the account has no application');
  const id = `${prefix}${world.turn()}`.padEnd(15, 'x');
  account.apps = [
    ...account.apps.filter(({ name }) => !name.startsWith(`${prefix}-`)),
    { ...app, id, name: `${prefix}-${id}` },
  ];
  return id;
}

/** The preview of an upload; its title tells it from those of earlier runs. */
async function uploading(world: World, zone: string): Promise<Card> {
  const title = `API ${world.turn()}`;
  const files = [{ name: 'api.yaml', content: definition(title) }];
  const ops = world.channel();
  const root = await ops.type('here it is', { files });
  await ops.type(`@edgewise guardian upload ${zone}`, { thread: root });
  return ops.expectMessage(new RegExp(`${title}\\b[^]*\\[Cancel\\]`));
}

/** A change that was made, for a while or not: its outcome in the channel has the button that takes it back. */
async function changed(world: World, flags: string, zone?: string): Promise<{ id: string; outcome: Card }> {
  const host = hostname(world, zone);
  const ops = world.channel();
  await ops.type(`/edge ssl force ${host} on${flags}`);
  const card = await ops.expectMessage(new RegExp(`${host}[^]*\\[Cancel\\]`));
  const id = await newest(world);
  await card.click(CONFIRM);
  const outcome = await ops.expectMessage(`on for ${host}`);
  await card.expectGone();
  return { id, outcome };
}

/** In its place the bot reads a log in which each request fails from then on, and none before. */
async function failsSince(world: World, at: number): Promise<void> {
  const server = createServer((request, response) => {
    const query = new URL(request.url ?? '', 'http://log').searchParams;
    const from = Date.parse(query.get('from') ?? '');
    const statusCode = from >= at ? 503 : 200;
    const isLeftOut = query.get('status') === '5xx' && statusCode === 200;
    const data = Array.from({ length: isLeftOut ? 0 : 60 }, (_, index) => ({
      timestamp: new Date(from + index).toISOString(),
      requestId: String(index).padStart(32, '0'),
      cacheStatus: 'MISS',
      statusCode,
    }));
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ data, pagination: { hasMore: false } }));
  });
  server.unref().listen(0, '127.0.0.1');
  await once(server, 'listening');
  world.proxy.redirect('logging', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

/** Presses what asks for a reason, and gives one: the form is ready to be sent. */
async function reasoned(card: Card, button: string, person: Person, title: string): Promise<Form> {
  await card.click(button, { stale: true });
  const form = await person.expectModal(title);
  return form.fill({ [form.fields[0] ?? '']: 'The certificate is there' });
}

/** Something that needs Ben, as far as Ada's preview. */
async function drafted(world: World, zone = 'docs') {
  const host = hostname(world, zone);
  return draftedOf(world, host, `ssl force ${host} on`);
}

async function draftedOf(world: World, host: string, line: string) {
  const ops = world.channel();
  await ops.type(`/edge ${line}`);
  const preview = await ops.expectMessage(new RegExp(`${host}[^]*🔒 Needs`));
  const asking = async () => reasoned(preview, 'Ask for approval …', ada(world), 'Ask for approval');
  const form = await asking();
  return {
    id: await newest(world),
    host,
    preview,
    ask: async () => {
      await form.submit();
      return async () => void (await preview.expectChange(/: needs /));
    },
    press: () => form.submit(),
    async again() {
      if (!preview.buttons.includes('Ask for approval …')) return false;
      await (await asking()).submit();
      return true;
    },
    writes: 0,
    ends: /: needs /,
  };
}

/** The same of what is asked for in a form: the reason is given under its preview. */
async function draftedInForm(world: World, host: string, line: string): Promise<Draft> {
  const ops = world.channel();
  await ops.type(`/edge ${line}`);
  const form = await ada(world).expectModal('Ask for approval', { ready: true });
  await form.fill({ [form.fields[0] ?? '']: 'The certificate is there' });
  const id = await newest(world);
  const ask = async () => {
    await form.submit();
    return async () => void (await ops.expectMessage(/: needs /));
  };
  return { id, host, ask };
}

/** Something that is about to be asked for; `ask` gives what waits until its requester is told that it was. */
type Draft = Pick<Awaited<ReturnType<typeof draftedOf>>, 'id' | 'host' | 'ask'>;

/** Something that waits for Ben: his card, and what is left to do once he has said yes. */
const waiting = (world: World, zone?: string) => drafted(world, zone).then((draft) => waitingOf(world, draft));

async function waitingOf<T extends Draft>(world: World, ready: T) {
  const ops = world.channel();
  const told = await ready.ask();
  const card = await world.slack
    .person('ben')
    .in(ops.channel)
    .expectMessage(new RegExp(`wants to[^]*${ready.host}`));
  await told();
  const run = async (): Promise<boolean> => {
    const runnable = ops.messages.findLast(
      ({ buttons, blocks }) => buttons.includes('Run') && JSON.stringify(blocks).includes(ready.id),
    );
    if (runnable === undefined) return false;
    await runnable.click('Run');
    return true;
  };
  return { ...ready, ops, card, run };
}

/** A report that comes to the channel; it is due once a year, so that it never comes in between. */
async function subscribed(world: World): Promise<Subscription> {
  world.turn();
  const settings: SubscriptionSettings = {
    ...PLAIN,
    report: 'daily-statistics',
    channel: world.channel().channel,
    schedule: '0 0 1 1 *',
    cron: '0 0 1 1 *',
    owner: ada(world).id,
    team: world.slack.workspace.team.id,
  };
  return createSubscriptions(world.database, SEAL).add(settings, () => new Date(Date.now() + 300 * 86_400_000));
}

/** A change of a subscription: `isMade` by how it is kept. */
const ofSubscription =
  (verb: string, isMade: (kept: Subscription) => boolean, before?: (world: World, id: number) => Promise<unknown>) =>
  async (world: World): Promise<Ready> => {
    const { id } = await subscribed(world);
    await before?.(world, id);
    const ops = world.channel();
    await ops.type(`/edge report ${verb.replace('$', String(id))}`);
    const ready = await onCard(
      world,
      await ops.expectMessage(new RegExp(`subscription ${id}\\b[^]*\\[Cancel\\]`)),
      CONFIRM,
      1,
    );
    const made = async () => {
      const kept = await createSubscriptions(world.database, SEAL).read(id);
      return kept !== undefined && isMade(kept) ? [`subscription ${id}`] : [];
    };
    return { ...ready, made, isShown: true };
  };

/** An incident that goes on; to be undismissed it has been dismissed. */
const ofDismissal =
  (verb: string, isDismissed: boolean) =>
  async (world: World): Promise<Ready> => {
    const anchors = createAnchors(world.database, SEAL);
    const ledger = createReportLedger(world.database);
    const ready = await ofSubscription(
      verb,
      () => true,
      async (_, id) => {
        const now = new Date();
        const zones = { '1': { since: now.getTime(), last: now.getTime(), failures: 0 } };
        await keepIncidents({ anchors }, id, [
          { ts: '1.1', from: now.getTime(), kinds: ['1:statistics 5xx'], said: { '1:statistics 5xx': {} }, zones },
        ]);
        if (!isDismissed) await dismissIncident({ anchors, ledger }, id, ada(world).id);
      },
    )(world);
    const made = async () => ((await anchors.named(DISMISSED)).size > 0 === isDismissed ? ['dismissed'] : []);
    return { ...ready, made };
  };

/** Every way in which the platform is changed. */
export const scenarios: readonly Scenario[] = [
  { name: 'ssl force', operation: 'ssl force', prepare: shown(typed((world) => `ssl force ${hostname(world)} on`)) },
  {
    name: 'ssl force --for',
    operation: 'ssl force',
    prepare: shown(typed((world) => `ssl force ${hostname(world)} on --for 30m`)),
  },
  {
    name: 'put back by the clock',
    operation: 'ssl force',
    async prepare(world) {
      const { id } = await changed(world, ' --for 30m');
      await world.slack.idle();
      world.bot.kill();
      await world.bot.gone();
      const { rows } = await world.database.execute('SELECT * FROM reversals WHERE confirmation = :id', { id });
      const mac = macOf(SEAL, 'reversals', { ...rows[0], due_at: 1 });
      await world.database.execute('UPDATE reversals SET due_at = 1, mac = :mac WHERE confirmation = :id', { id, mac });
      await world.database.execute('UPDATE jobs SET run_at = 1 WHERE key = :key', { key: reversalKey(id) });
      return { id: `undo-${id}`, press: 'start', again: async () => false, writes: 1, isShown: true };
    },
  },
  {
    name: 'ssl force --watch',
    operation: 'ssl force',
    prepare: shown(typed((world) => `ssl force ${hostname(world, 'api')} on --watch`)),
  },
  {
    name: 'taken back by the watch',
    operation: 'ssl force',
    async prepare(world) {
      const { id } = await changed(world, ' --watch', 'api');
      await world.slack.idle();
      world.bot.kill();
      await world.bot.gone();
      const { rows } = await world.database.execute('SELECT * FROM reversals WHERE confirmation = :id', { id });
      await failsSince(world, Number(rows[0]!.watch_until) - WATCH_FOR);
      await world.database.execute('UPDATE jobs SET run_at = 1 WHERE key = :key', { key: reversalKey(id) });
      return { id: `undo-${id}`, press: 'start', again: async () => false, writes: 1, isShown: true };
    },
  },
  {
    name: 'ssl force --at',
    operation: 'ssl force',
    async prepare(world) {
      const line = `ssl force ${hostname(world)} on --at "in 60m"`;
      return { ...(await typed(() => line, 0, 'Plan it')(world)), ends: /Planned for|"delete_original":true/ };
    },
  },
  {
    name: 'planned, by the clock',
    operation: 'ssl force',
    async prepare(world) {
      const host = hostname(world);
      const ops = world.channel();
      await ops.type(`/edge ssl force ${host} on --at "in 60m"`);
      const preview = await ops.expectMessage(new RegExp(`${host}[^]*\\[Plan it\\]`));
      const id = await newest(world);
      await preview.click('Plan it');
      await ops.expectMessage(new RegExp(`${host}[^]*Planned for`));
      await preview.expectGone();
      await world.slack.idle();
      world.bot.kill();
      await world.bot.gone();
      const { rows } = await world.database.execute('SELECT * FROM confirmations WHERE id = :id', { id });
      const due_at = Date.now();
      const mac = macOf(SEAL, 'confirmations', { ...rows[0], due_at });
      await world.database.execute('UPDATE confirmations SET due_at = :due_at, mac = :mac WHERE id = :id', {
        ...{ id, due_at, mac },
      });
      await world.database.execute('UPDATE jobs SET run_at = 1 WHERE key = :key', { key: plannedKey(id) });
      return { id, press: 'start', again: async () => false, writes: 1, isShown: true };
    },
  },
  {
    name: 'undo',
    operation: 'ssl force',
    async prepare(world) {
      const { id, outcome } = await changed(world, '');
      return { ...(await onCard(world, outcome, 'Undo', 1)), id: `undo-${id}`, isShown: true };
    },
  },
  {
    name: 'put back before its time',
    operation: 'ssl force',
    async prepare(world) {
      const { id, outcome } = await changed(world, ' --for 30m');
      return { ...(await onCard(world, outcome, 'Switch back now', 1)), id: `undo-${id}`, isShown: true };
    },
  },
  { name: 'cancel', operation: 'ssl force', prepare: typed((world) => `ssl force ${hostname(world)} on`, 0, 'Cancel') },
  {
    name: 'close the question',
    operation: 'app delete',
    async prepare(world) {
      world.turn();
      await world.channel().type(`/edge app delete ${application(world)}`);
      const { form } = await byName(ada(world));
      return {
        id: await newest(world),
        press: () => form.close({ all: true }),
        again: async () => false,
        writes: 0,
        maySayNothing: (state) => state === 'cancelled',
      };
    },
  },
  { name: 'ask for ssl force', operation: 'ssl force', prepare: asking((world) => `ssl force ${hostname(world)} on`) },
  {
    name: 'ask for database execute',
    operation: 'database execute',
    async prepare(world) {
      const ready = await asking((one) => `database execute shop CREATE TABLE kill_${one.turn()} (id)`)(world);
      // The token that the trial makes for itself lasts minutes, and is no change.
      return { ...ready, isChange: ({ service }) => service === 'database' };
    },
  },
  { name: 'ask for token regenerate', operation: 'token regenerate', prepare: asking(() => 'token regenerate shop') },
  {
    name: 'certificate request',
    operation: 'certificate request',
    prepare: typed((world) => `certificate request ${hostname(world)}`),
  },
  {
    name: 'certificate complete',
    operation: 'certificate complete',
    async prepare(world) {
      const host = hostname(world);
      await fetch(`${world.platform.urls.api}/pullzone/requestExternalDnsCertificate`, {
        method: 'POST',
        headers: {
          AccessKey: world.platform.environment.PLATFORM_ACCESS_KEY ?? '',
          'content-type': 'application/json',
        },
        body: JSON.stringify({ Hostname: host }),
      });
      return typed(() => `certificate complete ${host}`)(world);
    },
  },
  {
    name: 'bot set',
    operation: 'bot set',
    prepare: shown(
      typed((world) => {
        const zone = world.platform.account.shieldZones.find(({ shieldZoneId }) => shieldZoneId === 5102);
        if (zone !== undefined) zone.botActions = {};
        return 'bot set shop seo block';
      }),
    ),
  },
  {
    name: 'bot set --for',
    operation: 'bot set',
    prepare: shown(
      typed((world) => {
        const zone = world.platform.account.shieldZones.find(({ shieldZoneId }) => shieldZoneId === 5102);
        if (zone !== undefined) zone.botActions = {};
        return 'bot set shop seo block --for 30m';
      }),
    ),
  },
  {
    name: 'block',
    operation: 'block',
    prepare: shown(
      typed((world) => {
        const zone = world.platform.account.shieldZones.find(({ shieldZoneId }) => shieldZoneId === 5102);
        // The first entry of all takes two requests more.
        const list = { listId: 1, configurationId: 2, lastUpdated: '2026-01-01T00:00:00Z', name: 'Edgewise addresses' };
        if (zone !== undefined)
          zone.accessLists = [{ ...list, type: 1, action: 2, isEnabled: true, content: '192.0.2.1/32' }];
        return `block add shop 198.51.100.${world.turn() % 250}`;
      }),
    ),
  },
  {
    name: 'block, the first of its kind',
    operation: 'block',
    prepare: async (world) => ({
      ...(await shown(
        typed(() => {
          const zone = world.platform.account.shieldZones.find(({ shieldZoneId }) => shieldZoneId === 5102);
          if (zone !== undefined) zone.accessLists = [];
          return `block add shop 198.51.100.${world.turn() % 250}`;
        }),
      )(world)),
      // Its list is made first, and blocks nothing until it is switched on.
      isChange: ({ path }) => path.includes('/configurations/'),
    }),
  },
  {
    name: 'limit',
    operation: 'limit',
    prepare: shown(
      typed((world) => {
        const zone = world.platform.account.shieldZones.find(({ shieldZoneId }) => shieldZoneId === 5102);
        // A plan has few.
        if (zone !== undefined) zone.rateLimits = [];
        return `limit add shop /kill-${world.turn()} 10 1m`;
      }),
    ),
  },
  {
    name: 'attack',
    operation: 'attack',
    prepare: shown(
      typed((world) => {
        const zone = world.platform.account.shieldZones.find(({ shieldZoneId }) => shieldZoneId === 5102);
        if (zone !== undefined) zone.sensitivity = 2;
        return 'attack on shop';
      }),
    ),
  },
  {
    name: 'variable add',
    operation: 'variable add',
    prepare: shown(typed((world) => `variable add geo-redirect KILL_${world.turn()} one`)),
  },
  {
    name: 'script publish',
    operation: 'script publish',
    prepare: shown(
      typed((world) => {
        const script = world.platform.account.scripts.find(({ Name }) => Name === 'geo-redirect');
        for (const [at, one] of (script?.releases ?? []).entries()) {
          one.Status = at === 0 ? 1 : 0;
          one.Note = `kill-${world.turn()}-${at}`;
        }
        return `script publish geo-redirect ${script?.releases[1]?.Uuid}`;
      }),
    ),
  },
  {
    name: 'app restart',
    operation: 'app restart',
    prepare: typed(() => 'app restart stock-api'),
  },
  {
    name: 'guardian upload',
    operation: 'guardian upload',
    async prepare(world) {
      for (const zone of world.platform.account.shieldZones) {
        if (zone.pullZoneId === 308012) delete zone.guardian;
      }
      return onCard(world, await uploading(world, 'assets'), CONFIRM, 1);
    },
  },
  {
    name: 'guardian upload that replaces',
    operation: 'guardian upload',
    async prepare(world) {
      return onCard(world, await uploading(world, 'api'), CONFIRM, 1);
    },
  },
  {
    name: 'cache purge',
    operation: 'cache purge',
    prepare: typed((world) => `cache purge https://dl.example.com/kill-${world.turn()}.zip`),
  },
  { name: 'cache clear', operation: 'cache clear', prepare: named(() => 'cache clear downloads', 1) },
  {
    name: 'app delete',
    operation: 'app delete',
    prepare: named((world) => `app delete ${application(world)}`, 1),
  },
  {
    name: 'database execute',
    operation: 'database execute',
    async prepare(world) {
      const ready = await named((one) => `database execute shop CREATE TABLE kill_${one.turn()} (id)`, 1)(world);
      // The token that it makes for itself lasts minutes, and is no change.
      return { ...ready, isChange: ({ service }) => service === 'database', advice: /database query/ };
    },
  },
  {
    name: 'token create',
    operation: 'token create',
    prepare: tokens(
      typed(() => 'token create shop --both', 2),
      /The platform may have created a token that nobody saw/,
    ),
  },
  {
    name: 'token regenerate',
    operation: 'token regenerate',
    prepare: tokens(
      named(() => 'token regenerate shop --save-env', 3),
      TOKENS_LOST,
    ),
  },
  {
    name: 'token invalidate',
    operation: 'token invalidate',
    prepare: named(() => 'token invalidate shop', 1),
  },
  {
    name: 'token invalidate --regenerate',
    operation: 'token invalidate',
    prepare: tokens(
      named(() => 'token invalidate shop --regenerate', 3),
      TOKENS_LOST,
    ),
  },
  {
    name: 'token-for-agents create',
    operation: 'token-for-agents create',
    async prepare(world) {
      const owner = { id: ada(world).id, teamId: world.slack.workspace.team.id };
      const tokens = createAgentTokens(world.database, SEAL);
      await tokens.revoke(owner);
      const ops = world.channel();
      await ops.type('/edge token-for-agents create');
      const ready = await onCard(world, await ops.expectMessage(/token for agents\?[\s\S]*\[Cancel\]/), CONFIRM, 1);
      const made = async () => ((await tokens.until(owner)) === undefined ? [] : ['a token']);
      return { ...ready, made, secret: /edgewise_[\w-]{43}/, advice: /Make another one/ };
    },
  },
  {
    name: 'token-for-agents revoke',
    operation: 'token-for-agents revoke',
    async prepare(world) {
      const owner = { id: ada(world).id, teamId: world.slack.workspace.team.id };
      const tokens = createAgentTokens(world.database, SEAL);
      await tokens.create(owner);
      const ops = world.channel();
      await ops.type('/edge token-for-agents revoke');
      const ready = await onCard(world, await ops.expectMessage(/token for agents\?[\s\S]*\[Cancel\]/), CONFIRM, 1);
      const made = async () => ((await tokens.until(owner)) === undefined ? ['revoked'] : []);
      return { ...ready, made, isShown: true };
    },
  },
  {
    name: 'report subscribe',
    operation: 'report subscribe',
    async prepare(world) {
      const turn = world.turn();
      const cron = `${turn % 60} ${Math.floor(turn / 60) % 24} 29 2 *`;
      const ops = world.channel();
      await ops.type(`/edge report subscribe daily-statistics "${cron}"`);
      const preview = await ops.expectMessage(new RegExp(`${cron.replaceAll('*', '\\*')}[^]*\\[Cancel\\]`));
      const made = async () => {
        const all = await createSubscriptions(world.database, SEAL).list({ channel: ops.channel });
        return all.filter((one) => one.cron === cron).map(() => cron);
      };
      return { ...(await onCard(world, preview, CONFIRM, 1)), made, advice: /report list/ };
    },
  },
  {
    name: 'report unsubscribe',
    operation: 'report unsubscribe',
    prepare: ofSubscription('unsubscribe $', ({ state }) => state === 'ended'),
  },
  {
    name: 'report mute',
    operation: 'report mute',
    prepare: ofSubscription('mute $ 1h', ({ muted }) => muted !== undefined),
  },
  {
    name: 'report unmute',
    operation: 'report unmute',
    prepare: ofSubscription(
      'unmute $',
      ({ muted }) => muted === undefined,
      (world, id) =>
        createSubscriptions(world.database, SEAL).mute(id, {
          until: new Date(Date.now() + 86_400_000),
          by: ada(world).id,
        }),
    ),
  },
  {
    name: 'report dismiss',
    operation: 'report dismiss',
    prepare: ofDismissal('dismiss $', true),
  },
  {
    name: 'report undismiss',
    operation: 'report undismiss',
    prepare: ofDismissal('undismiss $', false),
  },
  { name: 'ask for approval', operation: 'ssl force', prepare: (world) => drafted(world) },
  {
    name: 'approve',
    operation: 'ssl force',
    async prepare(world) {
      const { id, card, run } = await waiting(world);
      const approve = pressing(card, 'Approve');
      return { id, press: approve, again: async () => (await approve()) || run(), writes: 1, isShown: true };
    },
  },
  {
    name: 'approve, as the first of two',
    operation: 'ssl force',
    async prepare(world) {
      const { id, card, ops, host, run } = await waiting(world, 'staging');
      const cyd = world.slack.person('cyd').in(ops.channel);
      const theirs = await cyd.expectMessage(new RegExp(`wants to[^]*${host}`));
      const first = pressing(card, 'Approve');
      return {
        id,
        press: first,
        again: async () => (await pressing(theirs, 'Approve')()) || (await first()) || run(),
        writes: 1,
        isShown: true,
      };
    },
  },
  {
    name: 'reject',
    operation: 'ssl force',
    async prepare(world) {
      const { id, card } = await waiting(world);
      const rejecting = () => reasoned(card, 'Reject …', world.slack.person('ben'), 'Reject');
      const form = await rejecting();
      return {
        id,
        press: () => form.submit(),
        async again() {
          if (!card.buttons.includes('Reject …')) return false;
          await (await rejecting()).submit();
          return true;
        },
        writes: 0,
      };
    },
  },
  {
    name: 'run what was approved',
    operation: 'ssl force',
    async prepare(world) {
      const { id, card, ops, host } = await waiting(world);
      await card.click('Approve');
      const told = await ops.expectMessage(new RegExp(`${host}[^]*\\[Run\\]`));
      return { ...(await onCard(world, told, 'Run', 1)), id, isShown: true };
    },
  },
  {
    name: 'run what was approved, by its name',
    operation: 'app delete',
    async prepare(world) {
      const app = application(world, 'held');
      const draft = await draftedInForm(world, `held-${app}`, `app delete ${app}`);
      const { id, card, ops } = await waitingOf(world, draft);
      await card.click('Approve');
      const told = await ops.expectMessage(new RegExp(`${app}[^]*\\[Run\\]`));
      await told.click('Run');
      const ready = await byName(ada(world), /App delete/);
      const again = async () => (await ready.again()) || pressing(told, 'Run')();
      return { ...ready, id, again, writes: 1 };
    },
  },
  {
    name: 'break the glass',
    operation: 'ssl force',
    async prepare(world) {
      const { id, preview, run } = await waiting(world);
      const breaking = () => reasoned(preview, 'Break glass …', ada(world), 'Break glass');
      const form = await breaking();
      return {
        id,
        press: () => form.submit(),
        again: async () => (await run()) || (preview.buttons.includes('Break glass …') && pressedAgain(breaking)),
        writes: 1,
        isShown: true,
      };
    },
  },
];

async function pressedAgain(form: () => Promise<Form>): Promise<boolean> {
  await (await form()).submit();
  return true;
}
