import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Card } from '../../playground/slack/people/card.ts';
import type { Person } from '../../playground/slack/people/person.ts';
import { byHand } from '../support/by-hand.ts';
import { ASKED, CONFIRM } from '../support/changes.ts';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

const SECOND = 1_000;

/** Something that a person does, and how it is answered. */
interface Kind {
  prepare?: () => Promise<unknown>;
  act: (prepared: never) => Promise<unknown>;
  answered: () => Promise<unknown>;
}

describe('a process that is killed', () => {
  let workspace: TestWorkspace;
  let ada: Person;

  beforeAll(async () => {
    workspace = await startTestWorkspace();
    ada = workspace.slack.person('ada');
  });
  afterAll(() => workspace.close());
  beforeEach(() => {
    for (const id of workspace.slack.workspace.channels.keys()) ada.in(id).readAll();
    workspace.platform.requests.splice(0);
    workspace.slack.problems.splice(0);
  });
  afterEach(async () => {
    workspace.platform.clearFaults();
    while (true) {
      const form = await ada.expectNoModal().then(
        () => undefined,
        () => ada.expectModal(/./, { ready: false }),
      );
      if (form === undefined) break;
      await form.close();
    }
  });

  const ops = () => ada.in('#releases');
  const sent = () => workspace.platform.requests.filter(({ path }) => path.endsWith('/setForceSSL')).length;
  let host = 0;
  const nextHost = () => {
    host += 1;
    return `${['cdn', 'shop', 'checkout', 'docs', 'staging', 'preview', 'dl', 'assets', 'status', 'stock'][host % 10]}.example.com`;
  };
  async function asked(): Promise<Card> {
    await ops().type(`/edge ssl force ${nextHost()} on`);
    return ops().expectMessage(ASKED);
  }

  const kinds: Record<string, Kind> = {
    'a read': { act: () => ops().type('/edge zone list'), answered: () => ops().expectMessage(/shop/) },
    'a preview': {
      act: () => ops().type(`/edge ssl force ${nextHost()} on`),
      answered: () => ops().expectMessage(ASKED),
    },
    'a form': {
      act: () => ops().type('/edge ssl force'),
      answered: () => ada.expectModal('Force HTTPS', { ready: true }),
    },
    'a form that was sent': {
      async prepare() {
        await ops().type('/edge zone show');
        const form = await ada.expectModal('Zone show', { ready: true });
        await form.fill({ Zone: 'shop' });
        return form;
      },
      act: (form: { submit(): Promise<unknown> }) => form.submit(),
      answered: () => ops().expectMessage(/shop/),
    },
    'a press of Confirm': {
      prepare: asked,
      act: (card: Card) => card.click(CONFIRM),
      async answered() {
        await ada.in('#releases').expectMessage(/switched force HTTPS .*on for/);
        expect(sent()).toBe(1);
      },
    },
    'a look at the Home tab': { act: () => ada.openHome(), answered: () => ada.expectHome(/operates your edge/) },
    'a mention': {
      act: () => ops().type('@edgewise zone list'),
      answered: () => ops().expectMessage(/shop/),
    },
    'a direct message': {
      act: () => ada.in('@edgewise').type('zone list'),
      answered: () => ada.in('@edgewise').expectMessage(/shop/),
    },
    'a shortcut': {
      prepare: asked,
      act: (card: Card) => ada.shortcut('look-into', card),
      answered: () => ada.expectModal('Look into this', { ready: true }),
    },
    'a closed view': {
      async prepare() {
        await ops().type('/edge app delete mailer');
        const form = await ada.expectModal('App delete');
        await form.expectChange(/Type the name/);
        return form;
      },
      act: (form: { close(): Promise<unknown> }) => form.close(),
      answered: () => until(async () => (await stateOfLast()) === 'cancelled'),
    },
  };

  async function stateOfLast(): Promise<unknown> {
    const client = byHand(workspace.storeFile);
    const { rows } = await client.execute('SELECT state FROM confirmations ORDER BY created_at DESC LIMIT 1');
    client.close();
    return rows[0]?.state;
  }

  async function until(what: () => Promise<boolean>): Promise<void> {
    for (let turn = 0; turn < 200; turn += 1) {
      if (await what()) return;
      await new Promise((next) => setTimeout(next, 10));
    }
    throw new Error('it did not come about');
  }

  async function underWay(): Promise<number> {
    const client = byHand(workspace.storeFile);
    const { rows } = await client.execute(
      "SELECT count(*) AS n FROM jobs WHERE kind = 'payload' AND holder IS NOT NULL",
    );
    client.close();
    return Number(rows[0]?.n);
  }

  it.each(Object.keys(kinds))('when %s was acknowledged and written down, leaves it to the next one', async (name) => {
    const { prepare, act, answered } = kinds[name]!;
    const prepared = await prepare?.();
    await until(async () => (await underWay()) === 0);
    workspace.stall('written');
    await act(prepared as never).catch(() => undefined);
    await until(async () => (await underWay()) === 1);
    await workspace.kill();
    await answered();
    await until(async () => (await underWay()) === 0);
    expect(workspace.slack.problems).toEqual([]);
  });

  it.each(Object.keys(kinds))('when %s was answered and nothing said so, does no harm', async (name) => {
    const { prepare, act, answered } = kinds[name]!;
    const prepared = await prepare?.();
    await until(async () => (await underWay()) === 0);
    workspace.stall('answered');
    await act(prepared as never).catch(() => undefined);
    await answered();
    await workspace.kill();
    await until(async () => (await underWay()) === 0);
    await workspace.slack.idle();
    if (name === 'a press of Confirm') expect(sent()).toBe(1);
    expect(workspace.slack.problems).toEqual([]);
  });

  it('has written a form down before it says that it is working, so that the next one answers', async () => {
    await ops().type('/edge zone show');
    const form = await ada.expectModal('Zone show', { ready: true });
    await form.fill({ Zone: 'shop' });
    await until(async () => (await underWay()) === 0);
    workspace.stall('slowly written');
    await form.submit();
    expect(await underWay()).toBe(1);
    await workspace.kill();
    await ops().expectMessage(/shop/);
    expect(workspace.slack.problems).toEqual([]);
  });

  it('leaves no view at “One moment …”: the next one answers in it', async () => {
    const card = await asked();
    await card.click('Cancel');
    await card.expectChange(/Cancelled/);
    workspace.platform.fault('slow=60000@GET apps');
    await ops().type('/edge app delete webhooks');
    const form = await ada.expectModal('App delete', { ready: false });
    expect(form.text).toMatch(/One moment/);
    await workspace.kill();
    workspace.platform.clearFaults();
    await form.expectChange(/Type the name/);
    expect(workspace.slack.problems).toEqual([]);
  });

  it('has a read that was under way answered by the next one', async () => {
    workspace.platform.fault('slow=60000@GET /pullzone');
    await ops().type('/edge zone list');
    await until(async () => (await underWay()) === 1);
    await workspace.kill();
    workspace.platform.clearFaults();
    await ops().expectMessage(/shop/);
  });

  it('of an undo that was not made, has it told as that: the next one does not put it back after all', async () => {
    const host = nextHost();
    const hostnames = workspace.platform.account.zones.flatMap(({ Hostnames }) => Hostnames);
    hostnames.find(({ Value }) => Value === host)!.ForceSSL = false;
    await ops().type(`/edge ssl force ${host} on`);
    await (await ops().expectMessage(ASKED)).click(CONFIRM);
    const done = await ops().expectMessage(/switched force HTTPS off → on for [\s\S]*\[Undo\]/);
    await until(async () => (await underWay()) === 0);
    workspace.stall('answered');
    workspace.platform.fault('status=403@POST setForceSSL');
    await done.click('Undo', { confirm: true });
    await ops().expectMessage(/Nothing was changed/);
    await workspace.kill();
    workspace.platform.clearFaults();
    await ops().expectMessage(/It was not undone\.\s.*Press the button again/);
    await until(async () => (await underWay()) === 0);
    expect(sent(), 'once on, and once in vain').toBe(2);
    await done.click('Undo', { confirm: true });
    await ops().expectMessage(/switched force HTTPS on → off for/);
    expect(sent()).toBe(3);
    expect(workspace.slack.problems).toEqual([]);
  });

  it('of a change that may have been sent, has it told by the next one within seconds, and sends nothing again', async () => {
    const card = await asked();
    workspace.platform.fault('slow=60000@POST setForceSSL');
    await card.click(CONFIRM);
    await until(async () => (await stateOfLast()) === 'sent');
    await workspace.kill();
    workspace.platform.clearFaults();
    await ada.in('@edgewise').expectMessage(/Outcome unknown: Switch force HTTPS/);
    await card.expectChange(/Outcome unknown: [\s\S]*I won’t send it twice/);
    expect(sent()).toBeLessThan(2);
  });
});

describe('a press or a form that a killed process has left', () => {
  let workspace: TestWorkspace;
  /** How far the bot's clock is ahead, in milliseconds; Slack signs by the real one. */
  let ahead = 0;

  beforeAll(async () => {
    workspace = await startTestWorkspace({ now: () => new Date(Date.now() + ahead) });
  });
  afterAll(() => workspace.close());
  beforeEach(() => {
    ahead = 0;
    for (const id of workspace.slack.workspace.channels.keys()) ada().in(id).readAll();
    workspace.platform.requests.splice(0);
  });

  const ada = () => workspace.slack.person('ada');
  const ops = () => ada().in('#releases');
  const sent = () => workspace.platform.requests.filter(({ path }) => path.endsWith('/setForceSSL')).length;

  async function previewed(host: string): Promise<Card> {
    await ops().type(`/edge ssl force ${host} on`);
    return ops().expectMessage(ASKED);
  }
  async function filledIn() {
    await ops().type('/edge zone show');
    const form = await ada().expectModal('Zone show', { ready: true });
    await form.fill({ Zone: 'shop' });
    return form;
  }
  /** What is written down and not done. */
  async function underWay(): Promise<unknown> {
    const client = byHand(workspace.storeFile);
    const { rows } = await client.execute(
      "SELECT count(*) AS n FROM jobs WHERE kind = 'payload' AND holder IS NOT NULL",
    );
    client.close();
    return rows[0]?.n;
  }
  const written = (count: number) => expect.poll(underWay, { timeout: 5_000 }).toBe(count);
  /** Somebody does something that is written down, and the next process comes so much later. */
  async function comesLater(act: () => Promise<unknown>, milliseconds: number): Promise<void> {
    await written(0);
    workspace.stall('written');
    await act().catch(() => undefined);
    await written(1);
    ahead += milliseconds;
    await workspace.kill();
  }

  it('is done by the next one within half a minute', async () => {
    const card = await previewed('cdn.example.com');
    await comesLater(() => card.click(CONFIRM), 15 * SECOND);
    await ops().expectMessage(/switched force HTTPS off → on for/);
    const form = await filledIn();
    await comesLater(() => form.submit(), 15 * SECOND);
    await ops().expectMessage(/shop/);
    expect(sent()).toBe(1);
    expect(workspace.slack.problems).toEqual([]);
  });

  it('is not expected any more later: nothing is done, people are told, and a second press counts', async () => {
    const card = await previewed('shop.example.com');
    await comesLater(() => card.click(CONFIRM), 31 * SECOND);
    await ada()
      .in('@edgewise')
      .expectMessage(/could not answer the button that you pressed in time.*Press it again/s);
    await written(0);
    expect(sent()).toBe(0);
    await card.click(CONFIRM);
    await ops().expectMessage(/switched force HTTPS off → on for/);
    expect(sent()).toBe(1);

    const form = await filledIn();
    await comesLater(() => form.submit(), 31 * SECOND);
    await ada()
      .in('@edgewise')
      .expectMessage(/could not answer your form in time.*Open it again/s);
    await ada().expectNoModal();
    await written(0);
    expect(workspace.slack.problems).toEqual([]);
  });

  it('says to repeat the command, because the button is gone from a change that was given away', async () => {
    const card = await previewed('docs.example.com');
    workspace.platform.fault('slow=60000@GET /pullzone');
    await card.click(CONFIRM);
    await card.expectChange(/Working on/);
    const stopping = workspace.app.stop({ reads: 0, changes: 50 });
    ahead += 31 * SECOND;
    await stopping;
    workspace.platform.clearFaults();
    await workspace.kill();
    await ada()
      .in('@edgewise')
      .expectMessage(/could not answer the button that you pressed in time.*repeat the command/s);
    await written(0);
    expect(sent()).toBe(0);
  });

  it('has less time than a command, which is answered for half an hour', async () => {
    await comesLater(() => ops().type('/edge zone list'), 29 * 60 * SECOND);
    await ops().expectMessage(/shop/);
  });

  it('has less time than a command, whose sender is told after half an hour that it was lost', async () => {
    await comesLater(() => ops().type('/edge zone list'), 31 * 60 * SECOND);
    await ada()
      .in('@edgewise')
      .expectMessage(/could not answer your command in time.*Type it again/s);
    await written(0);
  });

  it('is not done at all where its sender was told that it was not taken', async () => {
    const card = await previewed('docs.example.com');
    await written(0);
    workspace.stall('unsaid');
    await card.click(CONFIRM);
    await ops().expectMessage(/I did not run this/);
    await written(0);
    await workspace.kill();
    await workspace.slack.idle();
    expect(sent()).toBe(0);
    await card.click(CONFIRM);
    await ops().expectMessage(/switched force HTTPS off → on for/);
    expect(sent()).toBe(1);
    expect(workspace.slack.problems).toEqual([]);
  });
});
