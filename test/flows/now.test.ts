import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTroubles } from '../../playground/launcher/troubles.ts';
import { CONFIRM } from '../support/changes.ts';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

const MINUTE = 60_000;
const POLICY = `
approval:
  - operations: [ssl force]
    approvers: { people: [U0BEN000002] }
roles:
  admins:
    allow: ['*']
`;

/** Over Socket Mode: a clock that is moved would make every signature stale. */
describe('what is broken now', () => {
  let workspace: TestWorkspace;
  const base = Date.parse('2026-11-19T10:00:00Z');
  let [minute, begun] = [0, performance.now()];
  const folder = mkdtempSync(join(tmpdir(), 'edgewise-policy-'));
  /** It goes on within a minute alone, so that a slow machine gets no later. */
  const now = () => {
    const elapsed = performance.now() - begun;
    return new Date(base + minute * MINUTE + (minute === 0 ? elapsed : Math.min(elapsed, 50_000)));
  };
  const pass = (minutes: number) => {
    [minute, begun] = [minute + minutes, performance.now()];
  };
  const ada = () => workspace.slack.person('ada').in('#ops');

  async function answer(pattern: RegExp): Promise<string> {
    await ada().type('/edge now');
    return (await ada().expectMessage(pattern)).text;
  }
  /** Ten other zones: each is fine, has a few failures, or keeps no log. */
  function isWhole(text: string): void {
    const few = /too few to tell: (.*)\.$/mu.exec(text)?.[1]?.split(', ').length ?? 0;
    const fine = Number(/^The other (\d+) zones look fine, by logs up to \d\d:\d\d UTC/mu.exec(text)?.[1]);
    expect(few + fine, text).toBe(9);
    expect(text).toMatch(/^1 zone without an access log: only statistics show failures\.$/mu);
  }
  async function confirmed(line: string, asked: RegExp) {
    await ada().type(`/edge ${line}`);
    const preview = await ada().expectMessage(asked);
    await preview.click(CONFIRM);
    await preview.expectGone();
  }

  beforeAll(async () => {
    const troubles = { 'origin-down': 'shop' };
    const { incidents } = createTroubles({ seed: 1, troubles, demo: false, now });
    writeFileSync(join(folder, 'policy.yml'), POLICY);
    const environment = { POLICY_FILE: join(folder, 'policy.yml') };
    workspace = await startTestWorkspace({ now, environment, socket: true, platform: { incidents } });
    await workspace.slack.connected();
  });
  afterAll(async () => {
    await workspace.close();
    rmSync(folder, { recursive: true });
  });

  it('is not known while nobody watches all zones, and while the report that does is muted', async () => {
    await answer(/no subscription watches all zones/);
    await confirmed('report subscribe error-summary "every 5 minutes" --zones docs', /Next runs: /);
    await answer(/no subscription watches all zones/);
    await confirmed('report subscribe error-summary "every 5 minutes"', /Next runs: /);
    await answer(
      /^No trouble reported\.\n10 zones not checked in the last 5 minutes\.\n1 zone without an access log: .*\.$/m,
    );
    await confirmed('report mute 2 2h', /^Mute/);
    await answer(/no subscription watches all zones/);
    await confirmed('report unmute 2', /^Unmute/);
    await answer(/^No trouble reported/);
  });

  const asksToForce = async (hostname: string) => {
    await ada().type(`/edge ssl force ${hostname} on`);
    await (await ada().expectMessage(/🔒 Needs/u)).click('Ask for approval …');
    await (await workspace.slack.person('ada').expectModal('Ask for approval')).submit();
    const ben = workspace.slack.person('ben').in('#ops');
    return ben.expectMessage(new RegExp(`wants to switch force HTTPS on for ${hostname}`));
  };
  it('is asked for before: a change of its zone waits for approval', async () => {
    expect((await asksToForce('checkout.example.com')).text).not.toContain('🔴');
  });

  it('is shown with its share, since when, who is on it and where it is told', async () => {
    pass(5);
    await workspace.app.tick();
    // It has begun, and is told a minute later.
    isWhole(await answer(/^🟡 shop: origin’s [^\n]*, \d+ of about \d+ requests failed since /u));
    pass(1);
    await workspace.app.tick();
    for (let at = 0; at < 6 && !ada().messages.some(({ text }) => /^🔴/u.test(text)); at += 1) {
      pass(5);
      await workspace.app.tick();
    }
    const incident = ada().messages.findLast(({ text }) => /^🔴/u.test(text))!;
    expect(await answer(/^🔴 shop/u)).toMatch(/Nobody is on it yet · reported in #ops/);
    await incident.click('I’m on it');
    await incident.expectChange(/@ada is on it/);
    const text = await answer(/^🔴 shop/u);
    expect(text).toMatch(
      /^🔴 shop: origin’s [^\n]*% of requests fail, since [^\n]*10:0\d UTC\n@ada is on it · reported in #ops\n\[Errors of shop\]\n(?:⚪|The other)/mu,
    );
    isWhole(text);
  });

  it('is answered of one zone by the last look at it', async () => {
    await ada().type('@edgewise is docs ok?');
    await ada().expectMessage(/^docs\n(?:✅ Nothing|⚪ \d+ of about \d+ requests) failed in the 5 minutes up to /mu);
    await ada().type('@edgewise is downloads ok?');
    await ada().expectMessage(/^downloads\nNo access log: only statistics show failures\.$/m);
  });

  it('is what the morning report begins with', async () => {
    await ada().type('/edge report run daily-statistics');
    const report = await ada().expectMessage(/, 2026: /);
    expect(report.text).toMatch(/^🔴 Broken now: shop since 11:0\d AM GMT\+1\.\n/u);
  });

  it('is told as of the last look until the next one is overdue', async () => {
    pass(4);
    expect(await answer(/^🔴 shop/u)).toMatch(
      /^🔴 shop: origin’s [^\n]*, [\d.]+% of requests fail, since [^\n]*, as of [^\n]*10:\d\d UTC$/mu,
    );
  });

  it('is told in the past once nobody has looked for six minutes, to those who clear the cache, too', async () => {
    pass(1);
    expect(await answer(/^🔴 shop/u)).toMatch(/\n9 zones not checked in the last 5 minutes\.\n/u);
    const past = /^🔴 shop: origin’s [^\n]*\(502\)[^%\n]*, since [^\n]*, last failure seen [^\n]*10:\d\d UTC$/mu;
    expect(await answer(/^🔴 shop/u)).toMatch(past);
    await ada().type('/edge cache clear shop');
    const preview = await workspace.slack.person('ada').expectModal('Cache clear', { ready: true });
    expect(preview.text).toMatch(past);
    expect(preview.text).toMatch(/⛔ While the zone is failing, clearing makes it worse/u);
    await preview.close();
  });

  it('is told to whoever has to approve a change of its zone', async () => {
    const card = await asksToForce('shop.example.com');
    expect(card.text).toMatch(/^🔴 shop: origin’s [^\n]*\n@ada is on it · reported in #ops\nAs of [^\n]*UTC\.$/mu);
    await card.click('Approve');
    await card.expectChange(/✅ @ben approved/u);
  });

  it('is shown to whoever approves what was asked for before it began', async () => {
    const ben = workspace.slack.person('ben');
    const card = ben.in('#ops').messages.find(({ text }) => text.includes('checkout.example.com'))!;
    await card.click('Approve');
    const closer = await ben.expectModal('Look closer', { ready: true });
    expect(closer.text).toMatch(/^🔴 shop: origin’s /mu);
    await closer.submit();
    await card.expectChange(/✅ @ben approved/u);
  });
});

it('who wants to force HTTPS where mostly plain HTTP arrives, or without a certificate, is told whom that turns away', async () => {
  const base = Date.parse('2026-11-19T10:00:00Z');
  let ahead = 0;
  const now = () => new Date(base + ahead);
  const { incidents } = createTroubles({ seed: 1, troubles: { 'certificate-expired': 'assets' }, demo: false, now });
  const workspace = await startTestWorkspace({ now, socket: true, platform: { incidents } });
  try {
    await workspace.slack.connected();
    const ada = workspace.slack.person('ada').in('#ops');
    const hostOf = (name: string) => workspace.platform.account.zones.find(({ Name }) => Name === name)!.Hostnames[0]!;
    Object.assign(hostOf('assets'), { ForceSSL: false });
    Object.assign(hostOf('docs'), { ForceSSL: false, HasCertificate: false });
    await ada.type('/edge report subscribe error-summary "every 5 minutes"');
    const asked = await ada.expectMessage(/Next runs: /);
    await asked.click(CONFIRM);
    await asked.expectGone();
    const isTold = () => ada.messages.some(({ text }) => /assets: .*mostly plain HTTP/.test(text));
    for (let at = 0; at < 16 && !isTold(); at += 1) {
      ahead += 5 * MINUTE;
      await workspace.app.tick();
    }
    const { text } = ada.messages.findLast((one) => /assets: .*mostly plain HTTP/.test(one.text))!;
    expect(text).toMatch(/^Check first: is its certificate valid\?$/mu);
    await ada.type('/edge now');
    const broken = await ada.expectMessage(/^🔴 assets: requests fell to /u);
    expect(broken.text).toMatch(/ look fine, by logs up to \d\d:\d\d UTC and statistics up to \d\d:\d\d UTC\.$/mu);
    await broken.click('Last requests of assets');
    await ada.expectMessage(/requests: assets/);
    await ada.type(`/edge ssl force ${hostOf('assets').Value} on`);
    const preview = await ada.expectMessage(/Force HTTPS/);
    expect(preview.text).toMatch(
      /^🔴 assets: requests fell to [\d.]+% of usual: [^\n]*, what still arrives is mostly plain HTTP, since /mu,
    );
    expect(preview.text).toMatch(
      /^⛔ Most of what still arrives is plain HTTP: forcing HTTPS would turn that away too\.$/mu,
    );
    expect(preview.buttons).toContain('Switch on anyway');
    // Its visitors stay away, and nothing fails.
    await ada.type('/edge cache clear assets');
    const cleared = await workspace.slack.person('ada').expectModal('Cache clear', { ready: true });
    expect(cleared.text).toMatch(/^🔴 assets: requests fell to /mu);
    expect(cleared.text).not.toContain('⛔');
    await cleared.close();
    await ada.type(`/edge ssl force ${hostOf('docs').Value} on`);
    const bare = await ada.expectMessage(/Force HTTPS/);
    expect(bare.text).toMatch(/^⛔ This hostname has no certificate: visitors would see an error\.$/mu);
    expect(bare.buttons).toContain('Switch on anyway');
  } finally {
    await workspace.close();
  }
});

it('a report that somebody asks for has failures begin when their incident began, also before the minutes that it weighs', async () => {
  let at = Date.parse('2026-11-19T10:00:00Z');
  const now = () => new Date(at);
  const { incidents } = createTroubles({ seed: 1, troubles: {}, demo: true, now });
  const workspace = await startTestWorkspace({ now, socket: true, platform: { incidents } });
  try {
    await workspace.slack.connected();
    const ada = workspace.slack.person('ada').in('#ops');
    await ada.type('/edge report subscribe error-summary "every 5 minutes"');
    const asked = await ada.expectMessage(/Next runs: /);
    await asked.click(CONFIRM);
    await asked.expectGone();
    for (const end = at + 40 * MINUTE; at < end; ) {
      at += 5 * MINUTE;
      await workspace.app.tick();
    }
    const failing = /^🔴 \w+ · shop: .* · (1 h|\d+ min), since (\d+:\d+) AM/mu;
    const told = ada.messages.findLast(({ text }) => failing.test(text))!;
    await ada.type('/edge report run error-summary');
    const made = await ada.expectMessage(/^🔴 \w+ · shop: (?!.*I’m on it)/su);
    expect(failing.exec(made.text)?.slice(1)).toEqual(failing.exec(told.text)?.slice(1));
  } finally {
    await workspace.close();
  }
});
