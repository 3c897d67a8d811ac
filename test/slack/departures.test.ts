import { webApi } from '@slack/bolt';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Message } from '../../src/blocks/message.ts';
import { requestApproval, vote } from '../../src/changes/approve.ts';
import { PostRefusedError } from '../../src/reports/post.ts';
import { beginRound, endAll, endChannel, lookForDeparted, type Round } from '../../src/slack/departures.ts';
import type { Outgoing } from '../../src/slack/out/outgoing.ts';
import type { Bot } from '../../src/slack/services.ts';
import { createSubscriptions, type SubscriptionSettings, type Subscriptions } from '../../src/store/subscriptions.ts';
import { ADA, asked, BEN, CYD, createFixture, type Fixture, PLACE } from '../changes/fixture.ts';
import { recoverAll } from '../support/left.ts';
import { PLAIN } from '../support/subscription.ts';

const HOUR = 3_600_000;

let fixture: Fixture;
let subscriptions: Subscriptions;
let services: Bot;
/** Who has left; whom Slack was asked about; what was said to whom. */
let left: Set<string>;
let looked: string[];
let said: string[];
let cards: string[];
let isRevoked: boolean;

beforeEach(async () => {
  fixture = await createFixture();
  subscriptions = createSubscriptions(fixture.store.database);
  [left, looked, said, cards] = [new Set(), [], [], []];
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
    update: async (_, __, { text }) => void cards.push(text),
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
    people: {
      find: async (id: string) => {
        looked.push(id);
        return { actor: { id, teamId: 'T1', kind: 'member' }, locale: '', timezone: '', hasLeft: left.has(id) };
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

async function aRound(round: Round = beginRound(), now = 0): Promise<void> {
  do await lookForDeparted(services, round, now);
  while (round.people.length > 0);
}

describe('somebody who has left', () => {
  it('is noticed within the hour, by asking Slack about one person at a time', async () => {
    await subscribe();
    await subscribe({ owner: BEN.id });
    await subscribe({ owner: '' });
    const id = await waiting();
    await vote(fixture.changes, id, CYD, 'approved', '');
    const round = beginRound();
    await lookForDeparted(services, round, 0);
    expect(looked).toHaveLength(1);
    await aRound(round);
    expect([...looked].sort()).toEqual([ADA.id, BEN.id, CYD.id].sort());
    await aRound(round, HOUR - 1);
    expect(looked).toHaveLength(3);
    await aRound(round, HOUR);
    expect(looked).toHaveLength(6);
    expect(said).toEqual([]);
  });

  it('has no subscriptions any more, and an admin is told', async () => {
    const id = await subscribe();
    await subscribe({ owner: BEN.id });
    left.add(ADA.id);
    await aRound();
    expect((await subscriptions.list()).map(({ owner }) => owner)).toEqual([BEN.id]);
    expect(said).toEqual([
      expect.stringMatching(
        new RegExp(
          `^UADM: A subscription has ended: <@UADA> has left[\\s\\S]*errors[\\s\\S]*<#C1> \\(subscription ${id}\\)[\\s\\S]*report subscribe`,
        ),
      ),
    ]);
    await aRound();
    expect(said, 'once').toHaveLength(1);
  });

  it('has no change left that anybody could approve or run, and an admin is told', async () => {
    const ids = [await ask(), await waiting()];
    left.add(ADA.id);
    await aRound();
    for (const id of ids) expect(await fixture.state(id)).toBe('withdrawn');
    expect(said).toEqual([
      expect.stringMatching(/^UADM: <@UADA> has left[\s\S]*server set[\s\S]*web[\s\S]*server set[\s\S]*archive/),
    ]);
    expect(cards).toEqual([expect.stringMatching(/Not done: whoever asked for it has left the workspace\./)]);
    expect(await vote(fixture.changes, ids[1]!, BEN, 'approved', '')).toMatchObject({ kind: 'refused' });
    expect(await fixture.press(ids[0]!)).not.toMatchObject({ kind: 'done' });
    expect(fixture.done).toEqual([]);
    expect((await fixture.audit()).filter(({ outcome }) => outcome === 'withdrawn')).toHaveLength(2);
    fixture.pass(HOUR);
    await recoverAll(services);
    expect(said, 'once').toHaveLength(1);
  });

  it('has approved nothing any more that still waits', async () => {
    const id = await waiting();
    await vote(fixture.changes, id, CYD, 'approved', '');
    left.add(CYD.id);
    await aRound();
    expect(await fixture.store.approvals.verdicts(id)).toEqual([]);
    expect(cards.at(-1)).toMatch(/Needs 2 approvals/);
    await vote(fixture.changes, id, BEN, 'approved', '');
    expect(await fixture.state(id)).toBe('waiting');
  });

  it('is stood in for by the admins where something is to be said, and by the log where there are none', async () => {
    const id = await waiting();
    fixture.pass(24 * HOUR);
    left.add(ADA.id);
    await recoverAll(services);
    expect(said).toEqual([expect.stringMatching(/^UADM: .*server set.*archive.*not approved in time/)]);
    expect(await fixture.state(id)).toBe('expired');
    left.add('UADM');
    await subscribe();
    await aRound();
    expect(said).toHaveLength(1);
    expect(fixture.logged).toContainEqual(
      expect.objectContaining({
        level: 50,
        said: expect.stringContaining('has ended'),
        msg: 'nobody who can act could be told',
      }),
    );
  });

  it('is nobody of whom Slack does not say so', async () => {
    await subscribe();
    services.people.find = async (id) => ({
      actor: { id, teamId: 'T1', kind: 'stranger' },
      locale: '',
      timezone: '',
      unanswered: new Error('no answer'),
    });
    await aRound();
    expect(await subscriptions.list()).toHaveLength(1);
  });

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
    left.add(ADA.id);
    await aRound();
    await endAll(services, 'uninstalled');
    expect(await fixture.state(undoing.id)).toBe('asked');
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
  it.each([
    ['uninstalled', 0, /install it again/],
    ['revoked', 1, /subscriptions go on with a new token/],
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
