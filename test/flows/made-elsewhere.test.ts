import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ASKED, CONFIRM } from '../support/changes.ts';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

/** Over Socket Mode: the clock that is moved here would make every signature stale. */
describe('a change that somebody makes elsewhere', () => {
  let workspace: TestWorkspace;
  let since = performance.now();
  let start = Date.parse('2026-11-20T07:31:00Z');
  const now = () => new Date(start + (performance.now() - since));
  const at = (moment: string) => {
    start = Date.parse(`2026-11-20T${moment}Z`);
    since = performance.now();
  };
  const ops = (person = 'ada') => workspace.slack.person(person).in('#ops');
  const asked = () => workspace.platform.requests.filter(({ path }) => path.startsWith('/user/audit')).length;

  beforeAll(async () => {
    workspace = await startTestWorkspace({ now, socket: true });
    await workspace.slack.connected();
  });
  afterAll(() => workspace.close());

  async function confirmed(line: string) {
    await ops().type(`/edge ${line}`);
    const card = await ops().expectMessage(ASKED);
    await card.click(CONFIRM);
    await card.expectGone();
  }

  it('is not asked for while nobody has subscribed', async () => {
    workspace.platform.byHand();
    at('07:45:01');
    await workspace.app.tick();
    expect(asked()).toBe(0);
  });

  it('can be subscribed to only by people who may list changes', async () => {
    await ops('ben').type('/edge report run changes');
    await ops('ben').expectMessage(/The report changes is for people who may run changes list/);
  });

  it('is told within minutes, once, with a way back that is previewed', async () => {
    await confirmed('report subscribe changes "every 5 minutes"');
    at('07:46:00');
    for (const _ of ['the origin and a key', 'scrapers', 'the cache']) workspace.platform.byHand();
    await confirmed('ssl force img.example.com off');
    at('07:50:01');
    await workspace.app.tick();
    const told = await ops('ben').expectMessage(/Somebody else/);
    expect(told.text).toMatch(/Somebody else \(User 52317\) made \d changes:/);
    expect(told.text).toMatch(/changed shop \(308002\) by Update: OriginUrl \S+ → \S+; ZoneSecurityKey \(not shown\)/);
    expect(told.text).toMatch(/set [^\n]* bots on shop[^\n]*: \w+ → \w+/);
    expect(told.text).toMatch(/cleared the caches of shop \(308002\)/);
    expect(told.text).not.toMatch(/img\.example\.com/);
    expect(told.buttons).toContain('Look closer');
    const before = asked();
    at('07:55:01');
    await workspace.app.tick();
    expect(asked()).toBe(before + 1);
    expect(ops('ben').messages.filter(({ text }) => /Somebody else/.test(text))).toHaveLength(1);
  });

  it('is put back by an ordinary command, which the time line has as Edgewise’s', async () => {
    at('07:56:00');
    const [told] = ops().messages.filter(({ text }) => /Somebody else/.test(text));
    const isForced = () =>
      workspace.platform.account.zones
        .flatMap(({ Hostnames }) => Hostnames)
        .find(({ Value }) => Value === 'shop.example.com')?.ForceSSL;
    expect(isForced()).toBe(true);
    await told!.click('Put back');
    const card = await ops().expectMessage(ASKED);
    expect(card.text).toMatch(/Switch force HTTPS off for shop\.example\.com/);
    await card.click(CONFIRM);
    await card.expectGone();
    expect(isForced()).toBe(false);
    at('08:00:01');
    await workspace.app.tick();
    expect(ops().messages.filter(({ text }) => /Somebody else/.test(text))).toHaveLength(1);
  });
});
