import { describe, expect, it } from 'vitest';
import { moment } from '../../src/blocks/mrkdwn.ts';
import { cardOf } from '../../src/changes/approval-card.ts';
import type { Approved } from '../../src/changes/approve.ts';
import { breakGlass, needsReason, requestApproval, resume, vote } from '../../src/changes/approve.ts';
import type { ChangeState } from '../../src/changes/change.ts';
import { cancel } from '../../src/changes/confirm.ts';
import { expire, notified } from '../../src/changes/recover.ts';
import { GLASS_A_DAY } from '../../src/store/approvals.ts';
import { taken } from '../support/approval-steps.ts';
import { forced } from '../support/forced.ts';
import { ADA, asked, BEN, CYD, createFixture, DAN, type Fixture, FOREIGN_ADA, MINUTE, shown } from './fixture.ts';

const ask = async (fixture: Fixture, line: string) => asked(await fixture.type(line)).confirmation.id;
const silent = async () => undefined;

/** What comes of it, in words: for the one who did it, on the card, and for the requester. */
async function read({ changes }: Fixture, approved: Approved) {
  const { kind } = approved;
  const words = shown(approved.message);
  if (kind === 'refused') return { kind, words };
  const card = shown(await cardOf(changes, approved.confirmation));
  if (kind === 'decided') return { kind, words, card, requester: shown(approved.requester) };
  if (kind === 'glass') return { kind, words, card };
  return { kind, words, card, approvers: approved.approvers, breakGlass: approved.breakGlass };
}

/** Somebody asks for an approval; ada, with a reason. */
async function waiting(
  line = 'server set archive on',
  reason = 'so that I see',
): Promise<{ fixture: Fixture; id: string }> {
  const fixture = await createFixture();
  const id = await ask(fixture, line);
  await requestApproval(fixture.changes, id, ADA, reason);
  return { fixture, id };
}

/** The line of a card that waits. */
const needs = (whom: string) => expect.stringMatching(new RegExp(`^⏳ Needs ${whom}, until <!date`));
const CARD = ['<@UADA> wants to `server set` on `archive`', 'Power: `off` → `on`', '*Why:* so that I see'];
const BUTTONS = '[Approve: approve primary] [Reject …: reject danger] [Look closer: details]';
const NOT_KNOWN = { kind: 'refused', words: ['I no longer have this request.', 'Repeat the command.'] };
/** How it stands is said instead. */
const stands = (words: RegExp) => ({ kind: 'refused', words: expect.arrayContaining([expect.stringMatching(words)]) });
const DECIDED = { kind: 'refused', words: ['You have already decided this.'] };

/** So many minutes later, as Slack is told. */
const until = (fixture: Fixture, minutes: number): string =>
  moment(new Date(fixture.now().getTime() + minutes * MINUTE)).value;

describe('Asking for an approval', () => {
  it('shows what is asked, of whom, and why; the approvers are the others', async () => {
    const fixture = await createFixture();
    const id = await ask(fixture, 'server set archive on');
    const approved = await requestApproval(fixture.changes, id, ADA, '  so that I see ');
    expect(await read(fixture, approved)).toEqual({
      kind: 'waiting',
      words: [
        '⏳ `server set` on `archive`: needs 2 approvals: <@UBEN> and <@UCYD>, as of <!date^1795262400^{time}|12:00 UTC>. The decision comes as a direct message.',
      ],
      card: [...CARD, needs('2 approvals: <@UBEN> and <@UCYD>'), BUTTONS],
      approvers: ['UBEN', 'UCYD'],
      breakGlass: false,
    });
    const card = await cardOf(fixture.changes, (await fixture.store.confirmations.read(id))!);
    const buttons = card.blocks.at(-1);
    expect(buttons).toMatchObject({
      elements: [
        { type: 'button', text: { type: 'plain_text', text: 'Approve', emoji: false }, value: id },
        { type: 'button', text: { type: 'plain_text', text: 'Reject …', emoji: false }, value: id },
        { type: 'button', text: { type: 'plain_text', text: 'Look closer', emoji: false }, value: id },
      ],
    });
    expect(await fixture.store.confirmations.read(id)).toMatchObject({
      state: 'waiting',
      reason: 'so that I see',
      expiresAt: new Date(fixture.now().getTime() + 30 * MINUTE),
    });
    expect(await fixture.audit()).toMatchObject([
      {
        actor: 'UADA',
        channel: 'C0OPS',
        target: 'archive',
        given: { server: '4', power: 'on' },
        outcome: 'waiting',
        detail: 'so that I see',
        rule: 'server set where server is archive (the policy line 20) needs an approval',
        preview: { before: { power: 'off' }, after: { power: 'on' } },
        confirmation: id,
      },
    ]);
  });

  it('never asks the requester, and says whether the glass can be broken', async () => {
    const fixture = await createFixture();
    const approved = await requestApproval(fixture.changes, await ask(fixture, 'server set billing on'), ADA, '');
    expect(await read(fixture, approved)).toEqual({
      kind: 'waiting',
      words: [
        '⏳ `server set` on `billing`: needs one approval: <@UBEN> or <@UCYD>, as of <!date^1795262400^{time}|12:00 UTC>. The decision comes as a direct message.',
      ],
      card: [
        '<@UADA> wants to `server set` on `billing`',
        'Power: `off` → `on`',
        needs('one approval: <@UBEN> or <@UCYD>'),
        BUTTONS,
      ],
      approvers: ['UBEN', 'UCYD'],
      breakGlass: true,
    });
  });

  it('says so when it would be put back by itself', async () => {
    const fixture = await createFixture();
    fixture.ruledBy(
      'roles:\n  all:\n    people: [UADA]\n    allow: ["*"]\napproval:\n  - operations: ["server set", "alarm test"]\n    approvers: { people: [UBEN] }\n',
    );
    const server = await requestApproval(fixture.changes, await ask(fixture, 'server set web on --for 30m'), ADA, '');
    expect((await read(fixture, server)).card?.[2]).toBe(
      '· Switches back after 30 min, unless somebody changes it before then.',
    );
    const alarm = await requestApproval(fixture.changes, await ask(fixture, 'alarm test 3'), ADA, '');
    expect((await read(fixture, alarm)).card).toEqual([
      '<@UADA> wants to `alarm test` on `the alarm 3`',
      needs('one approval: <@UBEN>'),
      BUTTONS,
    ]);
  });

  it('names the rule rather than many people, or nobody', async () => {
    const fixture = await createFixture();
    const others = ['UONE', 'UTWO', 'UTHREE', 'UFOUR', 'UFIVE'];
    const rule = (people: string[], more = '') =>
      `roles:\n  all:\n    people: [UADA, UBEN]\n    allow: ["*"]\napproval:\n  - operations: server set\n    approvers: { people: [${people.join(', ')}]${more} }\n`;
    for (const [written, needs] of [
      [rule(['UADA', ...others]), 'one approval: <@UONE>, <@UTWO>, <@UTHREE>, <@UFOUR> or <@UFIVE>'],
      [rule(['UADA', ...others, 'USIX']), 'one approval from 7 named people'],
      [rule(['UADA']), 'one approval from 1 named person'],
      [rule(['UBEN'], ', roles: [everybody]'), 'one approval from all members, 1 named person'],
    ] as const) {
      fixture.ruledBy(written);
      const approved = await requestApproval(fixture.changes, await ask(fixture, 'server set web on'), ADA, '');
      expect((await read(fixture, approved)).words).toEqual([
        `⏳ \`server set\` on \`web\`: needs ${needs}, as of <!date^1795262400^{time}|12:00 UTC>. The decision comes as a direct message.`,
      ]);
    }
  });

  it('wants a reason where the policy does', async () => {
    const fixture = await createFixture();
    const id = await ask(fixture, 'server set archive on');
    const refused = { kind: 'refused', words: ['Give a reason: the approvers read it.'] };
    for (const reason of ['', '  '])
      expect(await read(fixture, await requestApproval(fixture.changes, id, ADA, reason))).toEqual(refused);
    expect(await fixture.state(id)).toBe('drafted');
  });

  it('is known to want a reason before anybody is asked', async () => {
    const fixture = await createFixture();
    const needs = async (line: string) => needsReason(fixture.changes, await ask(fixture, line));
    expect([await needs('server set archive on'), await needs('server set billing on')]).toEqual([true, false]);
    expect(await needs('alarm test 3')).toBe(false);
    expect(await needsReason(fixture.changes, 'unknown')).toBe(false);
  });

  it('is refused to others, twice, and for what is not known', async () => {
    const { fixture, id } = await waiting();
    expect(await read(fixture, await requestApproval(fixture.changes, id, ADA, 'again'))).toEqual(
      stands(/^⏳ Needs 2/u),
    );
    const other = await ask(fixture, 'server set archive on');
    expect(await read(fixture, await requestApproval(fixture.changes, other, BEN, 'mine'))).toEqual(
      stands(/^Nobody has been asked to approve it yet/),
    );
    expect(await read(fixture, await requestApproval(fixture.changes, 'unknown', ADA, 'mine'))).toEqual(NOT_KNOWN);
    fixture.operations.splice(0, 1);
    expect(await read(fixture, await requestApproval(fixture.changes, other, ADA, 'mine'))).toEqual(NOT_KNOWN);
  });

  it('waits for as long as the policy gave when it was typed', async () => {
    const fixture = await createFixture();
    const id = await ask(fixture, 'server set archive on');
    fixture.ruledBy('roles:\n  all:\n    people: [UADA]\n    allow: ["*"]\n');
    await requestApproval(fixture.changes, id, ADA, 'so that I see');
    fixture.pass(30 * MINUTE - 1);
    expect(await expire(fixture.changes)).toEqual([]);
    fixture.pass(1);
    expect(await expire(fixture.changes)).toMatchObject([{ id, outcome: 'not approved in time' }]);
  });
});

describe('A verdict', () => {
  it('counts until there are enough; then it can be run, for as long as the policy says', async () => {
    const { fixture, id } = await waiting();
    expect(await read(fixture, await vote(fixture.changes, id, BEN, 'approved', ' fine '))).toEqual({
      kind: 'waiting',
      words: [
        'Noted: `server set` on `archive`. As of <!date^1795262400^{time}|12:00 UTC> it still needs one more approval: <@UCYD>.',
      ],
      card: [...CARD, '✅ <@UBEN> approved: fine', needs('one more approval: <@UCYD>'), BUTTONS],
      approvers: [],
      breakGlass: false,
    });
    fixture.pass(MINUTE);
    expect(await read(fixture, await vote(fixture.changes, id, CYD, 'approved', ''))).toEqual({
      kind: 'decided',
      words: ['Approved: `server set` on `archive`. I’ve told <@UADA>.'],
      card: [
        ...CARD,
        '✅ <@UBEN> approved: fine\n✅ <@UCYD> approved',
        `*Approved.* <@UADA> can run it until ${until(fixture, 30)}.`,
        '[Run: run-beside primary]',
      ],
      requester: [
        `<@UBEN> and <@UCYD> approved: \`server set\` on \`archive\`. Run it by ${until(fixture, 30)}; I check the state again first.`,
      ],
    });
    expect(await fixture.store.confirmations.read(id)).toMatchObject({
      state: 'approved',
      expiresAt: new Date(fixture.now().getTime() + 30 * MINUTE),
    });
    expect(
      (await fixture.audit()).map(({ actor, outcome, detail, rule }) => ({ actor, outcome, detail, rule })),
    ).toEqual([
      { actor: 'UADA', outcome: 'waiting', detail: 'so that I see', rule: expect.stringContaining('archive') },
      { actor: 'UBEN', outcome: 'approved', detail: 'fine', rule: expect.stringContaining('archive') },
      { actor: 'UCYD', outcome: 'approved', detail: '', rule: expect.stringContaining('archive') },
    ]);
    expect(await read(fixture, await vote(fixture.changes, id, CYD, 'approved', ''))).toEqual(
      stands(/Approved|⏳ Needs/u),
    );
  });

  it('of one who rejects ends it, whoever approved', async () => {
    const { fixture, id } = await waiting();
    await vote(fixture.changes, id, BEN, 'approved', '');
    fixture.pass(MINUTE);
    expect(await read(fixture, await vote(fixture.changes, id, CYD, 'rejected', 'not now'))).toEqual({
      kind: 'decided',
      words: ['Rejected: `server set` on `archive`. Nothing was done.'],
      card: [CARD[0], CARD[2], '✅ <@UBEN> approved\n❌ <@UCYD> rejected: not now', '❌ Rejected. Nothing was done.'],
      requester: ['<@UCYD> rejected: `server set` on `archive`. Nothing was done.', '· not now'],
    });
    expect(await fixture.store.confirmations.read(id)).toMatchObject({
      state: 'rejected',
      outcome: 'UCYD rejected it: not now',
    });
    expect(await read(fixture, await vote(fixture.changes, id, BEN, 'approved', ''))).toEqual(
      stands(/Approved|Rejected/),
    );
  });

  it('needs no reason', async () => {
    const { fixture, id } = await waiting();
    const decided = await vote(fixture.changes, id, CYD, 'rejected', '  ');
    expect((await read(fixture, decided)).requester).toEqual([
      '<@UCYD> rejected: `server set` on `archive`. Nothing was done.',
    ]);
    expect(await fixture.store.confirmations.read(id)).toMatchObject({ outcome: 'UCYD rejected it' });
  });

  it.each([
    [ADA, 'nobody approves their own request'],
    [
      DAN,
      'it needs 2 approvals from 2 named people (server set where server is archive (the policy line 20) needs an approval)',
    ],
    [{ ...FOREIGN_ADA, id: 'UBEN', kind: 'stranger' as const }, 'people of other workspaces cannot approve'],
  ])('of %o does not count, and that it was tried is remembered', async (actor, why) => {
    const { fixture, id } = await waiting();
    expect(await read(fixture, await vote(fixture.changes, id, actor, 'approved', ''))).toEqual({
      kind: 'refused',
      words: [`You cannot decide this: ${why}.`],
    });
    expect((await fixture.audit()).at(-1)).toMatchObject({
      actor: actor.id,
      outcome: 'forbidden',
      detail: `may not approve: ${why}`,
      rule: expect.stringContaining('archive'),
    });
    expect(await fixture.store.approvals.verdicts(id)).toEqual([]);
  });

  it('is given once, and cannot be changed', async () => {
    const { fixture, id } = await waiting();
    await vote(fixture.changes, id, BEN, 'approved', '');
    expect(await read(fixture, await vote(fixture.changes, id, BEN, 'approved', ''))).toEqual(DECIDED);
    expect(await read(fixture, await vote(fixture.changes, id, BEN, 'rejected', ''))).toEqual(DECIDED);
    expect((await fixture.store.approvals.verdicts(id)).map(({ verdict }) => verdict)).toEqual(['approved']);
    expect((await fixture.audit()).map(({ outcome }) => outcome)).toEqual(['waiting', 'approved']);
  });

  it('comes too late when the time is over, and for what is not known', async () => {
    const { fixture, id } = await waiting();
    fixture.pass(30 * MINUTE);
    expect(await read(fixture, await vote(fixture.changes, id, BEN, 'approved', ''))).toEqual(
      stands(/^Expired: .*Nothing was done/),
    );
    expect(await read(fixture, await vote(fixture.changes, 'unknown', BEN, 'approved', ''))).toEqual(NOT_KNOWN);
    const other = await waiting();
    other.fixture.operations.splice(0, 1);
    expect(await read(other.fixture, await vote(other.fixture.changes, other.id, BEN, 'approved', ''))).toEqual(
      NOT_KNOWN,
    );
  });

  it('is not needed where the policy asks for none any more', async () => {
    const { fixture, id } = await waiting();
    fixture.ruledBy('roles:\n  all:\n    people: [UADA]\n    allow: ["*"]\n');
    const card = shown(await cardOf(fixture.changes, (await fixture.store.confirmations.read(id))!));
    expect(card).toContainEqual(needs('no approval any more'));
    expect(await read(fixture, await vote(fixture.changes, id, BEN, 'approved', ''))).toEqual({
      kind: 'refused',
      words: ['This no longer needs approval.', 'Whoever asked can repeat the command.'],
    });
    expect(await fixture.store.approvals.verdicts(id)).toEqual([]);
  });

  it('lets nothing through that the requester may not do any more; it can be rejected', async () => {
    const { fixture, id } = await waiting();
    fixture.ruledBy(
      'roles:\n  all:\n    people: [UBEN]\n    allow: ["*"]\napproval:\n  - operations: server set\n    approvers: { people: [UBEN] }\n',
    );
    expect(await read(fixture, await vote(fixture.changes, id, BEN, 'approved', ''))).toEqual({
      kind: 'refused',
      words: [
        '<@UADA> may not run `server set` on `archive` any more: only the roles admins, all may.',
        'I did not count your approval. You can still reject it.',
      ],
    });
    expect(await read(fixture, await vote(fixture.changes, id, BEN, 'rejected', ''))).toMatchObject({
      kind: 'decided',
    });
  });

  it('lets nothing through where the channel does not allow it any more', async () => {
    const { fixture, id } = await waiting();
    fixture.ruledBy(
      'roles:\n  all:\n    people: [UADA]\n    allow: ["*"]\nchannels:\n  C0OPS:\n    allow: [server list]\napproval:\n  - operations: server set\n    approvers: { people: [UBEN] }\n',
    );
    expect((await read(fixture, await vote(fixture.changes, id, BEN, 'approved', ''))).words[0]).toContain(
      'may not run',
    );
    expect(await fixture.state(id)).toBe('waiting');
  });

  it('of two who press at once ends it once, and nobody reads that it needs 0 more', async () => {
    const { fixture, id } = await waiting('server set billing on', '');
    const both = await Promise.all([BEN, CYD].map((who) => vote(fixture.changes, id, who, 'approved', '')));
    expect(both.map(({ kind }) => kind).sort()).toEqual(['decided', 'refused']);
    expect(both.flatMap(({ message }) => shown(message)).join()).not.toMatch(/0 more/);
    expect((await fixture.audit()).map(({ outcome }) => outcome)).toEqual(['waiting', 'approved']);
  });

  it('is written with its entry in the audit or not at all', async () => {
    const { fixture, id } = await waiting();
    fixture.storeFails = (sql) => sql.includes('INTO audit (');
    await expect(vote(fixture.changes, id, BEN, 'approved', '')).rejects.toThrow('the store is gone');
    fixture.storeFails = () => false;
    expect(await fixture.store.approvals.verdicts(id)).toEqual([]);
    await vote(fixture.changes, id, CYD, 'approved', '');
    await vote(fixture.changes, id, BEN, 'approved', '');
    expect((await fixture.audit()).map(({ actor, outcome }) => [actor, outcome])).toEqual([
      ['UADA', 'waiting'],
      ['UCYD', 'approved'],
      ['UBEN', 'approved'],
    ]);
  });

  it('is shown on the card by another process where its own died over it', async () => {
    const { fixture, id } = await waiting();
    await notified(fixture.changes, id);
    await fixture.store.approvals.vote(taken(id, BEN, 'approved'), { count: 2, lifetime: MINUTE, outcome: '' });
    fixture.pass(2 * MINUTE);
    expect(await fixture.recover()).toEqual([{ id, words: ['waiting'] }]);
  });
});

describe('Breaking the glass', () => {
  it('counts only where the audit has it, in a store with a key', async () => {
    const fixture = await createFixture({}, { key: 'nobody else knows this key' });
    const id = await ask(fixture, 'server set billing on');
    await forced(
      fixture.store.database,
      `UPDATE confirmations SET state = 'approved', glass_broken = 1, reason = '' WHERE id = :id`,
      { id },
    );
    expect(shown((await fixture.press(id)).message).join('\n')).toContain(
      'the audit has no entry that it was let through without approval',
    );
    expect(fixture.done).toEqual([]);
    const announced = await ask(fixture, 'server set billing on');
    await breakGlass(fixture.changes, announced, ADA, 'an outage', silent);
    expect(await fixture.press(announced)).toMatchObject({ kind: 'done' });
  });

  it('counts only where no entry since then is missing, in a store with a key', async () => {
    const fixture = await createFixture({}, { key: 'nobody else knows this key' });
    const id = await ask(fixture, 'server set billing on');
    await breakGlass(fixture.changes, id, ADA, 'an outage', silent);
    await fixture.type('server list europe');
    const { database } = fixture.store;
    const { rows } = await database.execute('SELECT max(number) AS last FROM audit');
    await fixture.type('server list europe');
    await forced(database, 'DELETE FROM audit WHERE number = :last', { last: Number(rows[0]?.last) });
    expect(shown((await fixture.press(id)).message).join('\n')).toContain(
      'audit entries made since this was asked for are missing or were altered',
    );
    expect(fixture.done).toEqual([]);
  });

  it('is announced first, then lets it through, and says so everywhere', async () => {
    const { fixture, id } = await waiting('server set billing on', '');
    const announced: unknown[] = [];
    const glass = await breakGlass(fixture.changes, id, ADA, ' an outage ', async (channel, text) => {
      announced.push([channel, shown(text), await fixture.state(id)]);
    });
    const announcement = [
      '🚨 <@UADA> is doing this *without approval*: `server set` on `billing`',
      'Power: `off` → `on`',
      '*Why:* an outage',
      '· `server set where server is billing (the policy line 15) needs an approval`',
    ];
    expect(announced).toEqual([['C0GLASS', announcement, 'waiting']]);
    expect(await read(fixture, glass)).toEqual({
      kind: 'glass',
      words: ['You can run it now without approval: `server set` on `billing`. Your reason is posted in <#C0GLASS>.'],
      card: [
        '🚨 <@UADA> is doing this *without approval*: `server set` on `billing`',
        'Power: `off` → `on`',
        '*Why:* an outage',
        expect.stringMatching(/^Going ahead without approval\. <@UADA> can run it until <!date/),
        '[Run: run-beside primary]',
      ],
    });
    expect(await fixture.store.confirmations.read(id)).toMatchObject({ state: 'approved', glassBroken: true });
    expect((await fixture.audit()).at(-1)).toMatchObject({
      actor: 'UADA',
      outcome: 'break-glass',
      detail: 'an outage',
      rule: expect.stringContaining('billing'),
    });
    await notified(fixture.changes, id);
    fixture.pass(2 * MINUTE);
    expect(await fixture.recover()).toEqual([]);
  });

  it('lets nothing through that could not be announced', async () => {
    const { fixture, id } = await waiting('server set billing on', '');
    const fails = async () => Promise.reject(new Error('no such channel'));
    await expect(breakGlass(fixture.changes, id, ADA, 'an outage', fails)).rejects.toThrow('no such channel');
    expect(await fixture.state(id)).toBe('waiting');
  });

  it('needs no waiting before', async () => {
    const fixture = await createFixture();
    const id = await ask(fixture, 'server set billing on');
    expect((await breakGlass(fixture.changes, id, ADA, 'an outage', silent)).kind).toBe('glass');
  });

  it('is refused without a reason, to others, where the policy has no glass, and when it is too late', async () => {
    const { fixture, id } = await waiting('server set billing on', '');
    const glass = async (which: string, actor = ADA, reason = 'an outage') =>
      await read(fixture, await breakGlass(fixture.changes, which, actor, reason, silent));
    expect(await glass(id, ADA, '  ')).toEqual({ kind: 'refused', words: ['Give a reason: everybody reads it.'] });
    expect(await glass(id, BEN)).toEqual(NOT_KNOWN);
    expect(await glass('unknown')).toEqual(NOT_KNOWN);
    const none = (rule: string) => ({
      kind: 'refused',
      words: [`The policy lets nobody do this without approval (${rule}).`],
    });
    expect(await glass(await ask(fixture, 'server set archive on'))).toEqual(
      none('server set where server is archive (the policy line 20) needs an approval'),
    );
    expect(await glass(await ask(fixture, 'alarm test 3'))).toEqual(none('no rule'));
    await cancel(fixture.changes, id, ADA);
    expect(await glass(id)).toEqual(stands(/^Cancelled: /));
    expect(await fixture.state(id)).toBe('cancelled');
  });

  it('announces nothing of what waits no more, or where the policy asks nobody', async () => {
    const { fixture, id } = await waiting('server set billing on', '');
    const announced: string[] = [];
    const announce = async (channel: string) => void announced.push(channel);
    await cancel(fixture.changes, id, ADA);
    expect(await read(fixture, await breakGlass(fixture.changes, id, ADA, 'an outage', announce))).toEqual(
      stands(/^Cancelled: /),
    );
    const other = await ask(fixture, 'server set billing on');
    fixture.ruledBy('roles:\n  all:\n    people: [UADA]\n    allow: ["*"]\n');
    expect((await breakGlass(fixture.changes, other, ADA, 'an outage', announce)).kind).toBe('refused');
    expect(announced).toEqual([]);
  });

  it('is for emergencies: a few a day, and no more is announced', async () => {
    const fixture = await createFixture();
    const announced: string[] = [];
    const announce = async (channel: string) => void announced.push(channel);
    const kinds: unknown[] = [];
    for (let count = 1; count <= GLASS_A_DAY + 1; count += 1) {
      const id = await ask(fixture, 'server set billing on');
      kinds.push(await read(fixture, await breakGlass(fixture.changes, id, ADA, 'an outage', announce)));
    }
    expect(kinds.at(-1)).toEqual({
      kind: 'refused',
      words: [
        'You wanted 5 changes without approval in the last day. That’s the limit: I did not allow this one.',
        'Ask for approval.',
      ],
    });
    expect(announced).toHaveLength(GLASS_A_DAY);
  });

  it('is refused when it was decided while it was announced', async () => {
    const { fixture, id } = await waiting('server set billing on', '');
    const late = await breakGlass(fixture.changes, id, ADA, 'an outage', async () => {
      await cancel(fixture.changes, id, ADA);
    });
    expect(await read(fixture, late)).toEqual(stands(/^Cancelled: /));
  });
});

describe('Going on with what a process that died has left', () => {
  const resumed = async (fixture: Fixture, id: string) =>
    read(fixture, await resume(fixture.changes, (await fixture.store.confirmations.read(id))!));

  it('says once more what nobody was told', async () => {
    const { fixture, id } = await waiting('server set billing on', '');
    await fixture.store.approvals.vote(taken(id, BEN, 'rejected', 'no'), {
      ...{ count: 1, lifetime: MINUTE, outcome: 'UBEN rejected it: no' },
    });
    expect(await resumed(fixture, id)).toMatchObject({
      kind: 'decided',
      requester: ['<@UBEN> rejected: `server set` on `billing`. Nothing was done.', '· no'],
    });
    await notified(fixture.changes, id);
    fixture.pass(2 * MINUTE);
    expect(await fixture.recover()).toEqual([]);
  });

  it('asks for the approval where nobody has decided', async () => {
    const fixture = await createFixture();
    const id = await ask(fixture, 'server set billing on');
    await fixture.store.approvals.request(taken(id, ADA, 'waiting', 'why not'), 60 * MINUTE);
    expect(await resumed(fixture, id)).toMatchObject({ kind: 'waiting', approvers: ['UBEN', 'UCYD'] });
    expect(await fixture.audit()).toMatchObject([{ actor: 'UADA', outcome: 'waiting', detail: 'why not' }]);
  });

  it('tells that it was let through without approval', async () => {
    const fixture = await createFixture();
    const id = await ask(fixture, 'server set billing on');
    await fixture.store.approvals.breakGlass(taken(id, ADA, 'break-glass', 'an outage'));
    expect(await resumed(fixture, id)).toMatchObject({
      kind: 'decided',
      words: ['Approved: `server set` on `billing`. I’ve told <@UADA>.'],
      requester: ['Going ahead without approval: `server set` on `billing`.'],
    });
  });

  it('writes nothing down for a command that does not exist any more', async () => {
    const { fixture, id } = await waiting();
    await forced(fixture.store.database, `UPDATE confirmations SET state = 'rejected', operation = 'server eat'`);
    expect(await resumed(fixture, id)).toMatchObject({
      card: ['<@UADA> wants to `server eat` on `archive`', '*Why:* so that I see', '❌ Rejected. Nothing was done.'],
    });
    expect(await fixture.audit()).toHaveLength(1);
  });
});

describe('The card of an approval', () => {
  it.each<[ChangeState, string, string?]>([
    ['approved', '*Approved.* <@UADA> can run it until 30 minutes later.', '[Run: run-beside primary]'],
    ['asked', '*Approved.* <@UADA> can run it until 30 minutes later.', '[Run: run-beside primary]'],
    ['claimed', '*Approved.* <@UADA> can run it.'],
    ['sent', '*Approved.* <@UADA> can run it.'],
    ['done', '✅ Done by <@UADA>.'],
    ['undone', '✅ Done by <@UADA>.'],
    ['expired', 'Expired: the disk is full. Nothing was done.', '[Ask again: ask-again]'],
    ['cancelled', 'Cancelled by the requester. Nothing was done.'],
    ['unknown', 'Outcome unknown.'],
    ['failed', 'Not done: the disk is full.'],
    ['refused', 'Not done: the disk is full.'],
    ['overtaken', 'Not done: the disk is full.'],
    ['drafted', 'Nobody has been asked to approve it yet.'],
  ])('says how it stands when it is %s', async (state, words, ...buttons) => {
    const { fixture, id } = await waiting();
    const outcome = state === 'drafted' ? null : 'the disk is full';
    await forced(fixture.store.database, 'UPDATE confirmations SET state = :state, outcome = :outcome', {
      state,
      outcome,
    });
    const card = shown(await cardOf(fixture.changes, (await fixture.store.confirmations.read(id))!));
    const end = [words.replace('30 minutes later', until(fixture, 30)), ...buttons];
    expect(card.slice(-end.length)).toEqual(end);
    expect(card.at(-end.length - 1)).not.toMatch(/^\[/);
  });
});
