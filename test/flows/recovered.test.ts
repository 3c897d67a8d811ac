import { createClient } from '@libsql/client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Card } from '../../playground/slack/people/card.ts';
import type { Person } from '../../playground/slack/people/person.ts';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

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
    return `${['cdn', 'shop', 'checkout', 'docs', 'staging', 'preview', 'dl', 'www', 'img', 'api'][host % 10]}.example.com`;
  };
  async function asked(): Promise<Card> {
    await ops().type(`/edge ssl force ${nextHost()} on`);
    return ops().expectMessage(/\[Confirm\]/);
  }

  const kinds: Record<string, Kind> = {
    'a read': { act: () => ops().type('/edge zone list'), answered: () => ops().expectMessage(/shop/) },
    'a preview': {
      act: () => ops().type(`/edge ssl force ${nextHost()} on`),
      answered: () => ops().expectMessage(/\[Confirm\]/),
    },
    'a form': {
      act: () => ops().type('/edge ssl force'),
      answered: () => ada.expectModal('SSL force', { ready: true }),
    },
    'a form that was sent': {
      async prepare() {
        await ops().type('/edge zone show');
        const form = await ada.expectModal('Zone show', { ready: true });
        await form.fill({ Zone: 'shop' });
        return form;
      },
      act: (form: { submit(): Promise<unknown> }) => form.submit(),
      answered: async () => (await ada.expectModal('Zone show')).expectChange(/The answer is in the conversation/),
    },
    'a press of Confirm': {
      prepare: asked,
      act: (card: Card) => card.click('Confirm'),
      async answered() {
        await ada.in('#releases').expectMessage(/Force SSL is on/);
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
    const client = createClient({ url: `file:${workspace.storeFile}` });
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
    const client = createClient({ url: `file:${workspace.storeFile}` });
    const { rows } = await client.execute('SELECT count(*) AS n FROM deliveries WHERE content IS NOT NULL');
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

  it('of a change that may have been sent, has it told by the next one within seconds, and sends nothing again', async () => {
    const card = await asked();
    workspace.platform.fault('slow=60000@POST setForceSSL');
    await card.click('Confirm');
    await until(async () => (await stateOfLast()) === 'sent');
    await workspace.kill();
    workspace.platform.clearFaults();
    await ada.in('@edgewise').expectMessage(/stopped while it was doing ssl force[\s\S]*outcome is unknown/);
    await card.expectChange(/How this ended is not known\. It is not sent a second time/);
    expect(sent()).toBeLessThan(2);
  });
});
