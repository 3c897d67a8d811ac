import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CannedPlatform, startCannedPlatform } from '../support/canned-platform.ts';
import { ASKED, CONFIRM } from '../support/changes.ts';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

const ZONE = 308002;
const KINDS = 15;
const MINUTE = 60_000;
const MARKS_TOKEN = 'ci-jobs-leave-marks-with-this';

/** Over Socket Mode: a clock that is moved would make every signature stale. */
describe('a storm of fifteen kinds of errors, in one message that is brought up to date', () => {
  let workspace: TestWorkspace;
  let platform: CannedPlatform;
  let begun: number | undefined;
  const base = Date.parse('2026-11-20T08:00:00Z');
  const started = performance.now();
  let ahead = 0;
  const now = () => new Date(base + ahead + (performance.now() - started));
  const ops = () => workspace.slack.person('ada').in('#ops');
  const calls = (method: string) => workspace.slack.outgoing.filter((call) => call.method === method);
  const reports = () =>
    calls('chat.postMessage').filter(
      ({ body }) => 'metadata' in (body as object) && !('thread_ts' in (body as object)),
    );

  /** Every minute since the storm began, an error of each kind: in many words, of characters of several bytes. */
  function logs(): object[] {
    if (begun === undefined) return [];
    const minutes = Math.floor((now().getTime() - begun) / MINUTE);
    return Array.from({ length: minutes * KINDS }, (_, at) => {
      const kind = at % KINDS;
      const word = String.fromCodePoint(0x430 + kind).repeat(9);
      const ErrorCode = `störung_${word}`;
      const Message = `Der Ursprung ${word} meldete: „${word} ist überlastet“, und zwar in der Übertragung nach ${word}.`;
      const log = { RequestUrl: `/kanäle/${word}/größe`, PullZoneId: ZONE, Message, ErrorCode, StatusCode: 502 };
      const timestamp = begun! + Math.floor(at / KINDS) * MINUTE;
      return { logId: `l${at}`, timestamp, log: JSON.stringify(log), labels: { ErrorCode, StatusCode: '502' } };
    });
  }

  beforeAll(async () => {
    platform = await startCannedPlatform();
    platform.answer(`GET /origin/${ZONE}/11-20-2026`, (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ logs: logs(), hasMoreData: false }));
    });
    workspace = await startTestWorkspace({
      now,
      socket: true,
      environment: { PLATFORM_ORIGIN_LOGS_URL: platform.environment.PLATFORM_ORIGIN_LOGS_URL ?? '', MARKS_TOKEN },
    });
    await workspace.slack.connected();
    for (const zone of workspace.platform.account.zones) {
      zone.EnableLogging = false;
      zone.Enabled = zone.Id === ZONE;
    }
    await ops().type('/edge report subscribe error-summary "every 15 minutes"');
    const preview = await ops().expectMessage(/Next runs: /);
    await preview.click(CONFIRM);
    await preview.expectGone();
  });
  afterAll(async () => {
    await workspace.close();
    await platform.close();
  });

  const quarters = async (count: number) => {
    for (let quarter = 0; quarter < count; quarter += 1) {
      ahead += 15 * MINUTE;
      await workspace.app.tick();
    }
  };

  it('has every update taken', async () => {
    await quarters(2);
    await ops().type('/edge ssl force shop.example.com on');
    const change = await ops().expectMessage(ASKED);
    await change.click(CONFIRM);
    await change.expectGone();
    workspace.platform.byHand();
    const mark = { text: 'deploy 4f2a of checkout', zone: 'shop', url: 'https://ci.example.com/runs/7' };
    const posted = await fetch(`http://127.0.0.1:${workspace.app.port}/marks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${MARKS_TOKEN}` },
      body: JSON.stringify(mark),
    });
    expect(posted.status).toBe(204);
    const script = workspace.platform.account.scripts.find(({ Name }) => Name === 'ab-testing')!;
    script.releases.at(-1)!.DatePublished = now().toISOString();
    ahead += 3 * MINUTE;
    begun = now().getTime();
    await quarters(8);
    expect(reports()).toHaveLength(1);
    const updates = calls('chat.update').filter(({ body }) =>
      /(?:Down|Degraded|Look) · shop/.test((body as { text: string }).text),
    );
    expect(updates.length).toBeGreaterThanOrEqual(3);
    expect(updates.map(({ error }) => error)).toEqual(updates.map(() => undefined));
    for (const { body } of updates)
      expect(Buffer.byteLength((body as { text: string }).text)).toBeLessThanOrEqual(4_000);
  });

  it('says what was changed on its zone before it began, with the bot and elsewhere', () => {
    const { text } = ops().messages.findLast(({ text: one }) => /(?:Down|Degraded|Look) · shop/.test(one))!;
    const [before = ''] = /Changed in the two hours before: .*/.exec(text) ?? [];
    expect(before).toMatch(/@ada switched force HTTPS off → on for [^\n]*shop \(308002\)/);
    expect(before).toMatch(/Somebody else \(User 52317\) switched force HTTPS on → off for [^\n]*shop \(308002\)/);
  });

  it('says after which mark it began', () => {
    const { text } = ops().messages.findLast(({ text: one }) => /(?:Down|Degraded|Look) · shop/.test(one))!;
    expect(text).toMatch(/Began [2-4] min after deploy 4f2a of checkout \(ci\.example\.com\)\./);
  });

  it('says after which release of its script it began, and offers the way back, which asks first', async () => {
    const shown = ops().messages.findLast(({ text: one }) => /(?:Down|Degraded|Look) · shop/.test(one))!;
    expect(shown.text).toMatch(/Began [2-4] min after release \w{8} \([^)]+\) of ab-testing \(41322\)\./);
    await shown.click(shown.buttons.find((label) => label.startsWith('Back to '))!);
    const preview = await ops().expectMessage(/Publish release \w{8} of ab-testing \(41322\)\?/);
    expect(preview.text).toMatch(/Running now: .*\n.*Then: /);
    expect(preview.buttons).toEqual(['Publish', 'Cancel']);
    await preview.click('Cancel');
    expect(workspace.platform.writes().filter(({ path }) => path.includes('/publish/'))).toEqual([]);
  });

  it('says who is on it, in place of the button, and keeps the rest of its message', async () => {
    const shown = () => ops().messages.findLast(({ text }) => /(?:Down|Degraded|Look) · shop/.test(text))!;
    const before = shown();
    const buttons = [...before.buttons];
    const gus = workspace.slack.person('gus').in('#ops');
    await gus.messages.findLast(({ text }) => text === before.text)!.click('I’m on it');
    await gus.expectMessage(/^You may not take an incident: a guest needs a role with guests: true\.$/);
    await before.click('I’m on it');
    await before.expectChange(/@ada is on it, since/);
    expect(shown().text).toContain('Changed in the two hours');
    expect(shown().buttons).toEqual(buttons.map((label) => (label === 'I’m on it' ? 'Take over' : label)));
    const ben = workspace.slack.person('ben').in('#ops');
    expect(ben.messages.some(({ text }) => /@ada is on it, since/.test(text))).toBe(true);
  });

  it('is taken over from who is on it, who hears of it in the thread', async () => {
    const shown = () => ops().messages.findLast(({ text }) => /(?:Down|Degraded|Look) · shop/.test(text))!;
    const [before, direct] = [shown(), workspace.slack.person('ada').in('@edgewise').messages.length];
    const ben = workspace.slack.person('ben').in('#ops');
    await ben.messages.findLast(({ text }) => text === before.text)!.click('Take over');
    await before.expectChange(/@ben took over from @ada at [^\n]* and is on it\./);
    expect(shown().text).not.toContain('@ada is on it');
    expect(shown().buttons).toEqual(before.buttons);
    await ops().expectMessage(/^@ben took over from @ada at [^\n]* and is on it\.$/);
    await ben.messages.findLast(({ text }) => text === shown().text)!.click('Take over');
    await ben.expectMessage(/^You are on it already\.$/);
    expect(ops().messages.some(({ text }) => text === 'You are on it already.')).toBe(false);
    await shown().click('Take over');
    await before.expectChange(/@ada took over from @ben at [^\n]* and is on it\./);
    expect(shown().text).not.toContain('@ben took over');
    expect(workspace.slack.person('ada').in('@edgewise').messages).toHaveLength(direct);
  });

  it('that comes back is told to the channel with the buttons and the link of its message', async () => {
    const ended = () => calls('chat.postMessage').filter(({ body }) => /✅ shop recovered/u.test(JSON.stringify(body)));
    begun = undefined;
    while (ended().length === 0) await quarters(1);
    begun = now().getTime();
    await quarters(2);
    const copy = ops().messages.findLast(
      ({ text }) => /again since/.test(text) && /message of this incident/.test(text),
    )!;
    expect(copy.buttons).toEqual(expect.arrayContaining(['I’m on it', 'Recent changes', 'Not a problem …']));
    const posts = calls('chat.postMessage').map(({ body }) => JSON.stringify(body));
    expect(posts.findLast((body) => body.includes('again since'))).toMatch(
      /archives\/\w+\/p\d{16}\|the message of this incident/,
    );
    await copy.click('I’m on it');
    await copy.expectChange(/@ada is on it, since/);
    await quarters(1);
    const shown = ops().messages.findLast(
      ({ text }) => /(?:Down|Degraded|Look) · shop/.test(text) && !/message of this incident/.test(text),
    )!;
    expect(shown.text).toContain('@ada is on it, since');
    await copy.click('Take over');
    await ops().expectMessage(/^You are on it already\.$/);
  });

  it('has another message, once, when somebody deleted the first', async () => {
    const [before, updates] = [reports().length, calls('chat.update').length];
    const end = workspace.slack.fault('chat.update=message_not_found');
    while (calls('chat.update').length === updates) await quarters(1);
    end();
    expect(reports()).toHaveLength(before + 1);
    const message = ops().messages.findLast(({ text }) => /(?:Down|Degraded|Look) · shop/.test(text));
    const missed = calls('chat.update').length;
    const update = () =>
      calls('chat.update')
        .slice(missed)
        .find(({ body }) => (body as { ts: string }).ts === message?.ts);
    while (update() === undefined) await quarters(1);
    expect(reports()).toHaveLength(before + 1);
    expect(update()?.error).toBeUndefined();
  });

  it('leaves no reply in the channel when its message is gone with its thread, and tells its end in a message of its own', async () => {
    const { id } = workspace.slack.workspace.channel('#ops');
    // Retention takes both.
    workspace.slack.workspace.messages.set(id, []);
    begun = undefined;
    await quarters(4);
    const [astray, own] = calls('chat.postMessage').slice(-2);
    expect(JSON.stringify(astray!.body)).toMatch(/shop recovered after.*thread_ts/);
    expect(JSON.stringify(own!.body)).not.toContain('thread_ts');
    expect(calls('chat.delete')).toHaveLength(1);
    const left = workspace.slack.workspace.messages.get(id) ?? [];
    expect(left.filter(({ isDeleted }) => !isDeleted)).toMatchObject([
      { revisions: [{ text: expect.stringMatching(/shop recovered after/) }] },
    ]);
  });
});
