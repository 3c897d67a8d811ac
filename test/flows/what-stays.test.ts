import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONFIRM } from '../support/changes.ts';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

const POLICY = `
approval:
  - operations: [bot set]
    approvers: { people: [U0BEN000002] }
    expires: 30m
    breakGlass: { channel: C0RELEASES2 }
roles:
  admins:
    allow: ['*']
  members:
    people: [U0BEN000002]
    allow: [bot set]
`;

const MINUTE = 60_000;
/** Zones of which little fails otherwise. */
const [DOCS, ASSETS] = [308005, 308012];
/** What nobody needs to press for. */
const TOO_LATE =
  /already|any more|no longer|is over|no open incident|not known|too late|too long ago|under way|twice|didn’t do it again/i;

/** Over Socket Mode: the clock that is moved here would make every signature stale. */
describe('what stands in Slack', () => {
  let workspace: TestWorkspace;
  let folder: string;
  let start = Date.parse('2026-11-24T09:00:00Z');
  let since = performance.now();
  const now = () => new Date(start + (performance.now() - since));
  const later = (minutes: number) => {
    start = now().getTime() + minutes * MINUTE;
    since = performance.now();
  };
  const ops = (name = 'ada') => workspace.slack.person(name).in('#ops');
  const outage = (from: number, to: number) => ({ kind: 'origin-down' as const, from, to, share: 0.6 });
  const outages = new Map([
    [DOCS, outage(start + 20 * MINUTE, start + 100 * MINUTE)],
    [ASSETS, outage(start + 140 * MINUTE, start + 180 * MINUTE)],
  ]);

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'edgewise-policy-'));
    writeFileSync(join(folder, 'policy.yml'), POLICY);
    workspace = await startTestWorkspace({
      now,
      socket: true,
      environment: { POLICY_FILE: join(folder, 'policy.yml') },
      platform: {
        incidents: (zone) => outages.get(zone),
      },
    });
    await workspace.slack.connected();
    for (const zone of workspace.platform.account.zones) zone.Enabled = outages.has(zone.Id);
  });
  afterAll(async () => {
    await workspace.close();
    rmSync(folder, { recursive: true });
  });

  async function confirmed(line: string, label: string | RegExp = CONFIRM): Promise<void> {
    await ops().type(`/edge ${line}`);
    const preview = await ops().expectMessage(/^[^\n]*\?\n/);
    await preview.click(label);
    await preview.expectGone();
  }

  const slots = async (count: number) => {
    for (let slot = 0; slot < count; slot += 1) {
      later(30);
      await workspace.app.tick();
    }
  };
  /** What stands in the channel, newest last. */
  const standing = () =>
    ops('ben').messages.filter(({ author, thread }) => author === 'edgewise' && thread === undefined);
  const titles = () => standing().map(({ text }) => text.split('\n', 1)[0]);

  it('tells of an incident until somebody says that it is none, and of another one from its beginning to its end', async () => {
    await confirmed('report subscribe error-summary "every 30 minutes"');
    await slots(2);
    expect(titles().at(-1)).toMatch(/^🔴 \w+ · docs: /u);
    await confirmed('report dismiss 1', 'Not a problem');
    await ops().type('/edge now');
    expect((await ops().expectMessage(/dismissed as no problem/)).text).not.toMatch(/🔴|Nobody is on it/u);
    await slots(7);
    expect(titles().at(-1)).toMatch(/^✅ \S+ recovered after /u);
    expect(
      standing()
        .slice(1, -1)
        .flatMap(({ buttons }) => buttons),
    ).toEqual(['Alert again']);
    for (const { text } of standing()) expect(text.split('\n').length, text).toBeLessThanOrEqual(12);
  }, 120_000);

  it('is a report and changes in every state, and nothing to press that it is too late for', async () => {
    const ada = ops();
    await ada.type('/edge report run daily-statistics --to channel');
    await ada.expectMessage(/Asked for by/);
    for (const line of ['dl.example.com on', 'dl.example.com off', 'cdn.example.com on'])
      await confirmed(`ssl force ${line}`);
    const undone = ada.messages.findLast(({ text }) => text.includes('cdn.example.com'))!;
    await undone.click('Undo', { confirm: true });
    await undone.expectChange(/@ada undid this/);
    await confirmed('ssl force cdn.example.com on --for 30m');
    const direct = workspace.slack.person('ada').in('@edgewise');
    await direct.type('ssl force docs.example.com on');
    await direct.expectMessage(/^[^\n]*\?\n/);
    for (const end of ['Approve', 'Reject …', 'Cancel', 'none']) {
      const category = { Approve: 'seo', 'Reject …': 'tool', Cancel: 'aitool' }[end] ?? 'ads';
      await ada.type(`/edge bot set shop ${category} block`);
      const wait = await ada.expectMessage(/🔒 Needs/u);
      await wait.click('Ask for approval …');
      await (await workspace.slack.person('ada').expectModal('Ask for approval')).submit();
      await wait.expectChange(/⏳/u);
      const card = await ops('ben').expectMessage(/wants to/);
      if (end === 'Cancel') await wait.click(end);
      else if (end !== 'none') await card.click(end);
      if (end === 'Reject …') {
        const form = await workspace.slack.person('ben').expectModal('Reject');
        await form.fill({ 'Why? The requester reads it.': 'Not today' });
        await form.submit();
      }
      await workspace.slack.idle();
    }
    later(60);
    await workspace.restart();
    await workspace.slack.connected();
    await workspace.slack.idle();
    // At the pace of the channel: one a second.
    const undo = () => standing().filter(({ buttons }) => buttons.some((one) => /Undo|Switch back/.test(one)));
    await expect.poll(undo, { timeout: 20_000 }).toEqual([]);
    const pressed: string[] = [];
    for (const [person, channel] of [
      ['ada', '#ops'],
      ['ada', '@edgewise'],
      ['ben', '@edgewise'],
    ] as const) {
      const place = workspace.slack.person(person).in(channel);
      const shown = () => [...ops(person).messages, ...place.messages].map(({ text }) => text);
      for (const card of place.messages.filter(({ ephemeral }) => !ephemeral)) {
        for (const label of card.buttons) {
          const before = new Set(shown());
          await card.click(label, { stale: true, confirm: true });
          await workspace.slack.idle();
          pressed.push(label);
          for (const text of shown().filter((one) => !before.has(one)))
            expect(text, `${label} of ${card.text}`).not.toMatch(TOO_LATE);
        }
      }
    }
    expect(pressed).toContain('Ask again');
  }, 120_000);

  it.each([
    ['audit list --reads', /^Audit: everything, newest first/],
    ['approval list', /^Nothing is waiting for approval\./],
    ['report list', /^Subscriptions/],
    ['status', /^The bot is healthy/],
    ['errors show docs', /^docs .* origin errors of /],
    ['log summary docs', /^docs .* requests/],
    ['help', /^Edgewise operates/],
    ['help ssl force', /^Switch force HTTPS on or off/],
  ])('is read by the rules where it is asked for: %s', async (line, title) => {
    const known = ops().messages.length;
    await ops().type(`/edge ${line}`);
    await expect.poll(() => ops().messages.length, { timeout: 20_000 }).toBeGreaterThan(known);
    expect(ops().messages.at(-1)?.fallback).toMatch(title);
  });

  it('is read by the rules on the Home tab', async () => {
    const ada = workspace.slack.person('ada');
    await ada.openHome();
    await ada.expectHome(/Edgewise operates/);
  });
});
