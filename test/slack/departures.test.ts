import { webApi } from '@slack/bolt';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Message } from '../../src/blocks/message.ts';
import { requestApproval } from '../../src/changes/approve.ts';
import { PostRefusedError } from '../../src/reports/post.ts';
import { endAll, endChannel } from '../../src/slack/departures.ts';
import type { Outgoing } from '../../src/slack/out/outgoing.ts';
import type { Bot } from '../../src/slack/services.ts';
import { createSubscriptions, type SubscriptionSettings, type Subscriptions } from '../../src/store/subscriptions.ts';
import { ADA, asked, BEN, createFixture, type Fixture, PLACE } from '../changes/fixture.ts';
import { recoverAll } from '../support/left.ts';
import { PLAIN } from '../support/subscription.ts';

const HOUR = 3_600_000;

let fixture: Fixture;
let subscriptions: Subscriptions;
let services: Bot;
/** Who has left; what was said to whom. */
let left: Set<string>;
let said: string[];
let isRevoked: boolean;

beforeEach(async () => {
  fixture = await createFixture();
  subscriptions = createSubscriptions(fixture.store.database);
  [left, said] = [new Set(), []];
  isRevoked = false;
  const tell = (user: string, { text }: Message) => {
    if (isRevoked) throw new webApi.WebAPIPlatformError({ ok: false, error: 'token_revoked' });
    if (left.has(user)) throw new webApi.WebAPIPlatformError({ ok: false, error: 'user_disabled' });
    said.push(`${user}: ${text}`);
  };
  const outgoing: Partial<Outgoing> = {
    toPerson: async ({ user }, text) => tell(user, text),
    async toDirect(user, text) {
      tell(user, text);
      return { channel: 'D1', ts: '1.1', thread: '1.1' };
    },
    update: async () => undefined,
  };
  services = {
    ...fixture.changes,
    outgoing,
    subscriptions,
    poster: {
      tell: async (user: string, text: Message) => {
        if (left.has(user)) throw new PostRefusedError('user_disabled', 'person gone');
        tell(user, text);
      },
    },
  } as unknown as Bot;
});

const subscribe = async (more: Partial<SubscriptionSettings> = {}) =>
  (await subscriptions.add({ ...PLAIN, owner: ADA.id, ...more }, () => undefined)).id;
const ask = async (line = 'server set web on') => asked(await fixture.type(line)).confirmation.id;

/** A change that waits for two others, with its card. */
async function waiting(): Promise<string> {
  const id = await ask('server set archive on');
  await requestApproval(fixture.changes, id, ADA, 'so that I see');
  await fixture.store.approvals.posted(id, { channel: PLACE.channelId, ts: '1.2' });
  await fixture.store.confirmations.notified(id);
  fixture.changes.unnotified.clear();
  return id;
}

describe('somebody who has left', () => {
  it('is stood in for by the admins where something is to be said', async () => {
    const id = await waiting();
    fixture.pass(24 * HOUR);
    left.add(ADA.id);
    await recoverAll(services);
    expect(said).toEqual([expect.stringMatching(/^UADM: .*server set.*archive.*not approved in time/)]);
    expect(await fixture.state(id)).toBe('expired');
  });

  it('is stood in for by the log where there are no admins', async () => {
    left.add(ADA.id);
    left.add('UADM');
    await subscribe({ channel: PLACE.channelId });
    await endChannel(services, PLACE.channelId);
    expect(said).toEqual([]);
    expect(fixture.logged).toContainEqual(
      expect.objectContaining({
        level: 50,
        said: expect.stringContaining('has ended'),
        msg: 'nobody who can act could be told',
      }),
    );
  });
});

describe('a channel that was archived', () => {
  it('gets no reports any more, and has no change that waits; their owners are told', async () => {
    const ids = [await ask(), await waiting()];
    await subscribe({ channel: PLACE.channelId });
    await subscribe({ channel: PLACE.channelId, owner: BEN.id });
    const elsewhere = await subscribe({ channel: 'C2' });
    await endChannel(services, PLACE.channelId);
    expect((await subscriptions.list()).map(({ id }) => id)).toEqual([elsewhere]);
    for (const id of ids) expect(await fixture.state(id)).toBe('withdrawn');
    expect(said.map((line) => line.split('\n')[0])).toEqual([
      'UADA: A subscription has ended: the channel was archived or deleted.',
      'UBEN: A subscription has ended: the channel was archived or deleted.',
      expect.stringMatching(/^UADA: .*web.*: its channel was archived or deleted\./),
      expect.stringMatching(/^UADA: .*archive.*: its channel was archived or deleted\./),
    ]);
    await endChannel(services, PLACE.channelId);
    expect(said, 'once').toHaveLength(4);
  });
});

describe('an app without a token', () => {
  it('keeps what is put back by the clock: it is put back all the same', async () => {
    const { id } = await fixture.do('server set web on --for 1h');
    const undoing = await fixture.store.confirmations.create({
      operation: 'server set',
      given: {},
      target: 'web',
      preview: { after: {} },
      actor: ADA.id,
      team: ADA.teamId,
      channel: PLACE.channelId,
      undoes: id,
      attempt: 1,
    });
    await endAll(services, 'uninstalled');
    expect(await fixture.state(undoing.id)).toBe('asked');
  });

  it.each([
    ['uninstalled', 0, /install it again/],
    ['revoked', 1, /subscriptions continue once you set a new token/],
  ] as const)(
    'that was %s leaves nothing to confirm, and says in the log what to do, and later to the requester',
    async (how, kept, words) => {
      const ids = [await ask(), await waiting()];
      await subscribe();
      await endAll(services, how);
      for (const id of ids) expect(await fixture.state(id)).toBe('withdrawn');
      expect(await subscriptions.list()).toHaveLength(kept);
      expect(said).toEqual([]);
      expect(fixture.logged).toContainEqual(expect.objectContaining({ level: 60, msg: expect.stringMatching(words) }));
      isRevoked = true;
      fixture.pass(61_000);
      await recoverAll(services);
      expect(said, 'nobody can be told yet').toEqual([]);
      isRevoked = false;
      fixture.pass(61_000);
      for (let time = 0; time < 2; time += 1) await recoverAll(services);
      expect(said, 'each once').toHaveLength(2);
      expect(said.join()).toMatch(/UADA: .*web.*: the app/);
    },
  );
});
