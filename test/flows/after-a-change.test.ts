import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { byHand } from '../support/by-hand.ts';
import { ASKED, CONFIRM, confirmed } from '../support/changes.ts';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

const MINUTE = 60_000;
const POLICY = `
roles:
  everybody:
    allow: [status]
  all:
    people: [U0ADA000001]
    allow: ['*']
  careful:
    people: [U0BEN000002]
    allow: [can-i, { operations: ssl force, where: { watch: 'yes' } }]
`;
const SHOP = 308002;

/** Over Socket Mode: the clock that is moved here would make every signature stale. */
describe('the ten minutes after a change', () => {
  let workspace: TestWorkspace;
  let folder: string;
  let client: ReturnType<typeof byHand>;
  let start = Date.parse('2026-11-24T18:00:00Z');
  let since = performance.now();
  const now = () => new Date(start + (performance.now() - since));
  let outage: { kind: 'origin-down'; from: number; to: number; share: number } | undefined;
  const ops = (name = 'ada') => workspace.slack.person(name).in('#ops');
  const direct = () => workspace.slack.person('ada').in('@edgewise');
  const hostname = () =>
    workspace.platform.account.zones
      .flatMap(({ Hostnames }) => Hostnames)
      .find(({ Value }) => Value === 'shop.example.com')!;
  const logReads = () => workspace.platform.requests.filter(({ path }) => path.endsWith('/logs')).length;
  const writes = () => workspace.platform.writes().length;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'edgewise-policy-'));
    writeFileSync(join(folder, 'policy.yml'), POLICY);
    workspace = await startTestWorkspace({
      now,
      socket: true,
      environment: { POLICY_FILE: join(folder, 'policy.yml') },
      platform: { incidents: (zone) => (zone === SHOP ? outage : undefined), elapsed: () => now().getTime() },
    });
    await workspace.slack.connected();
    client = byHand(workspace.storeFile);
  });
  afterAll(async () => {
    client.close();
    await workspace.close();
    rmSync(folder, { recursive: true });
  });
  beforeEach(() => {
    outage = undefined;
    hostname().ForceSSL = false;
    later(180);
    ops().readAll();
    direct().readAll();
  });

  function later(minutes: number): void {
    start = now().getTime() + minutes * MINUTE;
    since = performance.now();
  }
  /** Minute by minute, so that everything happens when it is due. */
  async function pass(minutes: number): Promise<void> {
    for (let minute = 0; minute < minutes; minute += 1) {
      later(1);
      await workspace.app.tick();
      await workspace.app.idle();
    }
    await workspace.slack.idle();
  }
  /** Jobs that the process has. */
  async function underWay(): Promise<unknown> {
    const { rows } = await client.execute('SELECT key FROM jobs WHERE holder IS NOT NULL');
    return rows.map(({ key }) => key).join();
  }
  const breaks = () => {
    outage = { kind: 'origin-down', from: now().getTime(), to: now().getTime() + 60 * MINUTE, share: 0.9 };
  };
  const changed = async (rest = '', to = 'on') => {
    await confirmed(workspace, `ssl force shop.example.com ${to}${rest}`);
    await workspace.slack.idle();
    return ops().messages.findLast(({ text }) => text.includes('switched force HTTPS'))!;
  };
  const answers = (ts: string) => ops().messages.filter(({ thread }) => thread === ts);

  it('are told in its message, in one quiet line, if nothing is worse', async () => {
    const done = await changed();
    const read = logReads();
    await pass(13);
    expect(ops().messages.find(({ ts }) => ts === done.ts)!.text).toMatch(
      /shop, ten minutes after: no clear change · 5xx <?[\d.]+% → <?[\d.]+% \(usually <?[\d.]+%\) · hit rate [\d.]+% → [\d.]+% \(usually [\d.]+%\) · origin \d+ ms → \d+ ms \(usually \d+ ms\) · requests \d+ → \d+ \(usually \d+\)/,
    );
    expect(answers(done.ts)).toEqual([]);
    expect(logReads() - read).toBeLessThanOrEqual(3);
    await pass(30);
    const last = ops().messages.find(({ ts }) => ts === done.ts)!;
    expect(last.text).toMatch(/no clear change/);
    expect(last.buttons).not.toContain('Undo');
  });

  it('can be ended by Undo while the watch looks at the log', async () => {
    const done = await changed(' --watch');
    await pass(1);
    const ends = ['slow=2500@GET logs', 'slow=2500@logging'].map((fault) => workspace.platform.fault(fault));
    later(1.2);
    void workspace.app.tick();
    await expect.poll(underWay, { timeout: 20_000, interval: 20 }).toMatch(/reversal:/);
    await ops()
      .messages.find(({ ts }) => ts === done.ts)!
      .click('Undo', { confirm: true });
    await expect.poll(() => hostname().ForceSSL, { timeout: 20_000 }).toBe(false);
    for (const end of ends) end();
    await workspace.app.idle();
  });

  it('tell of the others after what keeps some visitors out', async () => {
    await confirmed(workspace, 'block add shop 203.0.113.7');
    await workspace.slack.idle();
    await pass(13);
    const done = ops().messages.findLast(({ text }) => text.includes('blocked'))!;
    expect(done.text).toMatch(/shop, ten minutes after: no clear change for other visitors · 5xx/);
    expect(done.buttons).toContain('What it stops');
  });

  it('are told aloud if the zone is worse, with the way back', async () => {
    const done = await changed();
    breaks();
    await pass(13);
    const [said, ...more] = answers(done.ts);
    expect(more).toEqual([]);
    expect(said!.text).toMatch(
      /^⚠️ @ada, shop was worse in the ten minutes after this change: 5xx [\d.]+% → [\d.]+% \(usually [\d.]+%\)/u,
    );
    expect(said!.buttons).toEqual(['Undo', 'Errors of shop']);
    await said!.click('Undo', { confirm: true });
    await expect.poll(() => hostname().ForceSSL, { timeout: 10_000 }).toBe(false);
    await expect.poll(() => answers(done.ts)[0]!.buttons, { timeout: 10_000 }).toEqual(['Errors of shop']);
  });

  it('end with the change taken back, once, if it is watched and the zone fails', async () => {
    const before = writes();
    await ops().type('/edge ssl force shop.example.com on --watch');
    const preview = await ops().expectMessage(ASKED);
    expect(preview.text).toMatch(/I’ll watch it for ten minutes and undo it if far more requests fail/);
    await preview.click('Cancel');
    const done = await changed(' --watch');
    expect(done.text).toMatch(
      /Watched until [^\n]+, to be undone if far more requests fail by then, unless something else on the zone changes\./,
    );
    breaks();
    await pass(8);
    await direct().expectMessage(
      /While I watched it, it got worse \(5xx [\d.]+% → [\d.]+% \(usually [\d.]+%\).*\): I switched force HTTPS/,
    );
    expect(hostname().ForceSSL).toBe(false);
    await ops().type('/edge audit list --limit 3');
    await ops().expectMessage(/HTTPS on → off [^\n]*: by Edgewise, as asked, because it got worse: 5xx [\d.]+% → /);
    expect(ops().messages.find(({ ts }) => ts === done.ts)!.text).toMatch(/↩️ Undone: 5xx [\d.]+% → /);
    await workspace.restart();
    await pass(20);
    expect(writes()).toBe(before + 2);
  });

  it('leave a watched change if something else was changed on its zone since, and say so', async () => {
    const done = await changed(' --watch');
    await confirmed(workspace, 'cache purge https://shop.example.com/img/*');
    const before = writes();
    breaks();
    await pass(15);
    expect(hostname().ForceSSL).toBe(true);
    expect(writes()).toBe(before);
    expect(answers(done.ts).at(-1)!.text).toMatch(/I did not undo it: something else on this zone has changed/);
  });

  it.each([
    ['somebody changed something on it elsewhere', () => void workspace.platform.byHand()],
    ['nobody can say what was changed elsewhere', () => void workspace.platform.fault('status=500@GET user/audit')],
  ])('leave a watched change if %s', async (_, happens) => {
    await workspace.restart();
    const done = await changed(' --watch');
    later(1);
    happens();
    const before = writes();
    breaks();
    await pass(14);
    workspace.platform.clearFaults();
    expect(writes()).toBe(before);
    expect(answers(done.ts).at(-1)!.text).toMatch(/I did not undo it: something else on this zone has changed/);
  });

  it('leave a watched change alone if the zone is well', async () => {
    const done = await changed(' --watch');
    await pass(15);
    expect(hostname().ForceSSL).toBe(true);
    expect(ops().messages.find(({ ts }) => ts === done.ts)!.text).toMatch(/ten minutes after: no clear change/);
  });

  it('could not be watched, if the zones could not be listed, and that is said', async () => {
    const done = await changed(' --watch');
    const end = workspace.platform.fault('status=502@GET pullzone');
    await pass(25);
    end();
    expect(answers(done.ts).map(({ text }) => text)).toEqual([
      expect.stringMatching(
        /@ada, I could not watch shop\.example\.com on shop \(308002\): its zone cannot be looked up, because the platform refused it/,
      ),
    ]);
    expect(ops().messages.find(({ ts }) => ts === done.ts)!.text).toMatch(
      /I can’t tell what the zone did in the ten minutes after/,
    );
  });

  it('are watched for a release of a script, too, in the busiest of its zones', async () => {
    await ops().type('/edge script publish ab-testing previous --watch');
    const preview = await ops().expectMessage(ASKED);
    const before = writes();
    await preview.click('Publish');
    await preview.expectGone();
    await workspace.slack.idle();
    breaks();
    await pass(8);
    await direct().expectMessage(/While I watched it, it got worse \(5xx [\d.]+% → [\d.]+%.*\): I published/);
    expect(writes()).toBe(before + 2);
  });

  it('are not told to those who may not read statistics', async () => {
    await ops('ben').type('/edge ssl force shop.example.com on --watch');
    const preview = await ops('ben').expectMessage(ASKED);
    await preview.click(CONFIRM);
    await preview.expectGone();
    await workspace.slack.idle();
    const done = ops().messages.findLast(({ text }) => text.includes('switched force HTTPS'))!;
    await pass(15);
    expect(ops().messages.find(({ ts }) => ts === done.ts)!.text).not.toMatch(/ten minutes after|5xx/);
    expect(answers(done.ts)).toEqual([]);
  });

  it('can be what the policy demands', async () => {
    const ben = ops('ben');
    await ben.type('/edge ssl force shop.example.com on');
    await ben.expectMessage(/You may not run ssl force on shop\.example\.com/);
    await ben.type('/edge can-i ssl force shop.example.com on --watch');
    await ben.expectMessage(/Yes/);
    await ben.type('/edge ssl force shop.example.com on --watch');
    await (await ben.expectMessage(ASKED)).click('Cancel');
  });

  it('cannot be watched without a log', async () => {
    await ops().type('/edge ssl force dl.example.com on --watch');
    await ops().expectMessage(/It can’t be watched: downloads keeps no access log/);
  });

  it('do not bring back the Undo of a change that somebody else has overwritten', async () => {
    const done = await changed();
    await pass(1);
    const first = () => ops().messages.find(({ ts }) => ts === done.ts)!;
    await changed('', 'off');
    await pass(1);
    for (const [minutes, told] of [
      [0, /It has been changed since\.$/],
      [13, /shop, ten minutes after: [\s\S]*\nIt has been changed since\.$/],
    ] as const) {
      await pass(minutes);
      expect(first().text).toMatch(told);
      expect(first().buttons).not.toContain('Undo');
    }
  });

  it('are told with the incident that the zone has, which may have another cause', async () => {
    await confirmed(workspace, 'report subscribe error-summary "every 5 minutes" --zones shop');
    const done = await changed();
    breaks();
    await pass(16);
    const [said] = answers(done.ts);
    expect(said!.text).toMatch(/^⚠️ @ada, shop was worse in the ten minutes after this change: 5xx .*\n🔴 shop: /u);
    expect(said!.buttons).toEqual(['Undo', 'Errors of shop']);
  });
});
