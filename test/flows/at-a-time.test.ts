import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MINUTE } from '../../src/time.ts';
import { byHand } from '../support/by-hand.ts';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

const POLICY = `
approval:
  - operations: ['bot set']
    approvers: { people: [U0BEN000002] }
    expires: 2h
roles:
  shop:
    groups: ['@shop-team']
    allow: [ssl force]
  admins:
    allow: ['*']
  members:
    people: [U0BEN000002]
    allow:
      - effect: read
      - { operations: ssl force, where: { at: now, watch: 'no' } }
      - { operations: cache *, where: { at: later } }
      - { operations: script publish, where: { script: geo-* } }
`;

/** Over Socket Mode: the clock that is moved here would make every signature stale. */
describe('a planned change', () => {
  let workspace: TestWorkspace;
  let folder: string;
  let ahead = 0;
  const admins = 'U0ADA000001';
  const start = async () => {
    workspace = await startTestWorkspace({
      now: () => new Date(Date.now() + ahead),
      slack: {
        workspace: {
          users: [{ name: 'cleo', id: 'U0CLEO00005' }],
          channels: [{ name: 'ops', members: ['ada', 'ben', 'gus', 'cleo'] }],
          userGroups: [{ handle: 'shop-team', members: ['cleo'] }],
        },
      },
      socket: true,
      environment: { EDGEWISE_ADMINS: admins, POLICY_FILE: join(folder, 'policy.yml') },
    });
    await workspace.slack.connected();
  };
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'edgewise-policy-'));
    writeFileSync(join(folder, 'policy.yml'), POLICY);
    await start();
  });
  afterAll(async () => {
    await workspace.close();
    rmSync(folder, { recursive: true });
  });
  let before = 0;
  beforeEach(() => {
    hostname().ForceSSL = false;
    before = writes();
  });

  const ops = (name = 'ada') => workspace.slack.person(name).in('#ops');
  const direct = () => workspace.slack.person('ada').in('@edgewise');
  const hostname = () =>
    workspace.platform.account.zones
      .flatMap(({ Hostnames }) => Hostnames)
      .find(({ Value }) => Value === 'dl.example.com')!;
  const writes = () => workspace.platform.writes().length;
  /** What is due and not done. */
  const underWay = async () => {
    const client = byHand(workspace.storeFile);
    const sql =
      "SELECT count(*) AS n FROM jobs WHERE kind <> 'retention' AND body IS NOT NULL AND (run_at <= :now OR holder IS NOT NULL)";
    const { rows } = await client.execute({ sql, args: { now: Date.now() + ahead } });
    client.close();
    return rows[0]?.n;
  };
  /** What is due after so many minutes is done by the process that lives then. */
  const passing = async (minutes: number) => {
    ahead += minutes * MINUTE;
    await workspace.restart();
    await workspace.slack.connected();
    await expect.poll(underWay, { timeout: 10_000 }).toBe(0);
    await workspace.slack.idle();
  };
  const inThread = (ts: string) =>
    ops()
      .messages.filter(({ thread }) => thread === ts)
      .map(({ text }) => text.replace(/\n\[Cancel\]$/, ''));
  /** Plans it, and returns its card. */
  const plan = async (rest = '', person = 'ada') => {
    await ops(person).type(`/edge ssl force dl.example.com on --at "in 60m"${rest}`);
    const preview = await ops(person).expectMessage(/Runs later: [\s\S]*I’ll check everything again then/);
    expect(writes()).toBe(before);
    await preview.click('Plan it');
    await preview.expectGone();
    await workspace.slack.idle();
    return ops().messages.findLast(({ text, thread }) => /Planned for/.test(text) && thread === undefined)!;
  };
  it('is told when it is planned, ten minutes before and after, and is done once', async () => {
    const card = await plan();
    expect(card.text).toMatch(/^@ada wants to switch force HTTPS on for dl\.example\.com[\s\S]*Planned for/);
    expect(card.buttons).toEqual(['Cancel']);
    await passing(49);
    expect(inThread(card.ts)).toEqual([]);
    await passing(2);
    expect(inThread(card.ts)).toEqual([
      expect.stringMatching(/Switch force HTTPS on for dl\.example\.com [^.]*\. @ada planned it\.$/),
    ]);
    expect(writes()).toBe(before);
    await passing(10);
    expect(hostname().ForceSSL).toBe(true);
    expect(inThread(card.ts)).toEqual([
      expect.anything(),
      expect.stringMatching(/^@ada switched force HTTPS off → on/),
    ]);
    expect(ops().messages.find(({ ts }) => ts === card.ts)?.text).toMatch(/✅ Done by @ada, /);
    await passing(60);
    expect(writes()).toBe(before + 1);
  });

  it('is not done if the state has changed, and the thread and its requester are told', async () => {
    const card = await plan();
    hostname().ForceSSL = true;
    await passing(61);
    expect(writes()).toBe(before);
    expect(inThread(card.ts).at(-1)).toMatch(/already on for dl\.example\.com[\s\S]*It was planned for/);
    const told = await direct().expectMessage(/already on for dl\.example\.com/);
    hostname().ForceSSL = false;
    await told.click('Ask again');
    const now = await direct().expectMessage(/^Switch force HTTPS on for dl\.example\.com/);
    expect(now.text).not.toMatch(/Runs later/);
  });

  it('can be cancelled by its requester alone, from the list, and is not done then', async () => {
    const card = await plan();
    await ops('ben')
      .messages.find(({ ts }) => ts === card.ts)!
      .click('Cancel');
    await ops('ben').expectMessage(/Only @ada can cancel this/);
    await ops().type('/edge approval list');
    const list = await ops().expectMessage(/Planned: 1[\s\S]*Switch force HTTPS on for dl\.example\.com/);
    await workspace.slack.person('ada').openHome();
    await workspace.slack.person('ada').expectHome(/Planned[\s\S]*Switch force HTTPS on for dl\.example\.com/);
    await list.click('Cancel');
    await ops().expectMessage(/Cancelled: Switch force HTTPS on/);
    await workspace.slack.idle();
    expect(ops().messages.find(({ ts }) => ts === card.ts)?.text).toMatch(/Cancelled by the requester/);
    await passing(61);
    expect(writes()).toBe(before);
  });

  it('is listed for those alone who may do it', async () => {
    await plan();
    await ops('ben').type('/edge approval list');
    expect((await ops('ben').expectMessage(/^Nothing is waiting for approval/)).text).not.toContain('dl.example.com');
    await ops().type('/edge approval list');
    await (await ops().expectMessage(/Planned: 1/)).click('Cancel');
    await workspace.slack.idle();
  });

  it('tells its outcome in a direct message, too, when Slack fails at that moment', async () => {
    await direct().type('ssl force dl.example.com on --at "in 60m"');
    await (await direct().expectMessage(/Runs later: /)).click('Plan it');
    await workspace.slack.idle();
    await passing(55);
    ahead += 6 * MINUTE;
    const end = workspace.slack.fault('chat.postMessage=503*1');
    await workspace.app.tick();
    await workspace.app.idle();
    await workspace.slack.idle();
    end();
    expect(hostname().ForceSSL).toBe(true);
    expect(direct().messages.map(({ text }) => text)).toContainEqual(
      expect.stringMatching(/Slack did not let me say so[\s\S]*switched force HTTPS off → on/),
    );
  });

  it('is tried each minute for a quarter of an hour, if the platform cannot be read at its time', async () => {
    const tried = async (minutes: number) => {
      for (let minute = 0; minute < minutes; minute += 1) {
        ahead += MINUTE;
        await workspace.app.tick();
        await workspace.app.idle();
        await workspace.slack.idle();
      }
    };
    const [card, other] = [await plan(), await plan(' --for 3h')];
    await passing(58);
    let end = workspace.platform.fault('status=502@GET pullzone');
    await tried(4);
    expect(inThread(card.ts)).toEqual([expect.stringMatching(/planned it\.$/)]);
    await ops()
      .messages.find(({ ts }) => ts === other.ts)!
      .click('Cancel');
    end();
    await tried(2);
    expect(hostname().ForceSSL).toBe(true);
    expect(inThread(card.ts).at(-1)).toMatch(/^@ada switched force HTTPS off → on/);
    hostname().ForceSSL = false;
    before = writes();
    const last = await plan();
    await passing(58);
    end = workspace.platform.fault('status=502@GET pullzone');
    await tried(15);
    expect(inThread(last.ts)).toHaveLength(1);
    await tried(2);
    end();
    expect(inThread(last.ts).at(-1)).toMatch(/^Not done: Switch force HTTPS on[\s\S]*502[\s\S]*Nothing was changed/);
    await tried(3);
    expect(hostname().ForceSSL).toBe(false);
  });

  it('is not done if no process was there within a quarter of an hour, and everybody is told', async () => {
    const card = await plan();
    await passing(76);
    expect(writes()).toBe(before);
    const words = /Not done: Switch force HTTPS on for dl\.example\.com [\s\S]*I could not do it in time/;
    await direct().expectMessage(words);
    expect(inThread(card.ts).at(-1)).toMatch(words);
    await ops().type('/edge audit list --limit 5');
    await ops().expectMessage(
      /ada tried ssl force[^\n]*I could not do it in time[\s\S]*ada planned ssl force on [^\n]* for /,
    );
  });

  it('is not done if its requester has lost the right, and they are told', async () => {
    const group = [...workspace.slack.workspace.userGroups.values()].find(({ handle }) => handle === 'shop-team')!;
    const { members } = group;
    const card = await plan('', 'cleo');
    group.members = [];
    await passing(61);
    group.members = members;
    expect(writes()).toBe(before);
    expect(inThread(card.ts).at(-1)).toMatch(/Not done: Switch force HTTPS on[\s\S]*You may not run ssl force/);
    await workspace.slack
      .person('cleo')
      .in('@edgewise')
      .expectMessage(/You may not run ssl force[\s\S]*It was planned for/);
  });

  it('is done for a while that begins when it is done', async () => {
    await plan(' --for 30m');
    await passing(61);
    expect(hostname().ForceSSL).toBe(true);
    await passing(28);
    expect(hostname().ForceSSL).toBe(true);
    await passing(3);
    expect(hostname().ForceSSL).toBe(false);
    await direct().expectMessage(/Time’s up: I switched force HTTPS/);
  });

  it('is approved for its time, which the approvers read', async () => {
    await ops().type('/edge bot set main-site social block --at "in 90m"');
    const preview = await ops().expectMessage(/Runs later: [\s\S]*Needs one approval/);
    await preview.click('Ask for approval …');
    const why = await workspace.slack.person('ada').expectModal('Ask for approval');
    await why.submit();
    const card = await ops('ben').expectMessage(/wants to set Social bots[\s\S]*Runs /);
    await card.click('Approve');
    const told = await direct().expectMessage(/approved: Set Social bots[\s\S]*Plan it by/);
    await ops().type('/edge approval list');
    const list = await ops().expectMessage(/Approved, waiting for you[\s\S]*Plan it by/);
    expect(list.buttons).toContain('Plan it');
    await told.click('Plan it');
    await workspace.slack.idle();
    expect(writes()).toBe(before);
    await passing(91);
    expect(writes()).toBe(before + 1);
    expect(inThread(card.ts).at(-1)).toMatch(/^@ada set Social bots/);
  });

  it('that destroys something wants its name typed when it is planned, and nothing later', async () => {
    await ops().type('/edge cache clear docs --at "in 60m"');
    const view = await workspace.slack.person('ada').expectModal('Cache clear', { ready: true });
    expect([view.text, view.submitLabel]).toEqual([expect.stringMatching(/Runs later: /), 'Plan it']);
    await view.fill({ 'Type the name to confirm': 'docs' });
    await view.submit();
    await ops().expectMessage(/wants to clear the caches of docs[\s\S]*Planned for/);
    expect(writes()).toBe(before);
    await passing(61);
    expect(writes()).toBe(before + 1);
  });

  it('is asked for in time: nobody can confirm it after that', async () => {
    await ops().type('/edge ssl force dl.example.com on --at "in 2m"');
    const preview = await ops().expectMessage(/Runs later: /);
    ahead += 3 * MINUTE;
    await preview.click('Plan it');
    await preview.expectChange(/Expired: Switch force HTTPS on for dl\.example\.com/);
    expect(writes()).toBe(before);
  });

  it('needs the right of the policy, about which can-i answers', async () => {
    await ops('ben').type('/edge can-i ssl force dl.example.com on');
    await ops('ben').expectMessage(/^Yes, you may run ssl force here: .*at is now/);
    await ops('ben').type('/edge can-i ssl force dl.example.com on --at 02:00');
    await ops('ben').expectMessage(/^No, you may not run ssl force here/);
    await ops('ben').type('/edge can-i ssl force dl.example.com on --watch');
    await ops('ben').expectMessage(/^No, you may not run ssl force here/);
    await ops('ben').type('/edge can-i script publish geo-redirect');
    await ops('ben').expectMessage(/^Yes, you may run script publish here: .*script is geo-\*/);
    await ops('ben').type('/edge ssl force dl.example.com on --at 02:00');
    await ops('ben').expectMessage(/You may not run ssl force on dl\.example\.com/);
    await ops('ben').type('/edge can-i cache clear docs --at 02:00');
    await ops('ben').expectMessage(/^Yes, you may run cache clear here/);
  });

  it('is none that makes a secret', async () => {
    await ops().type('/edge token create events --at 02:00');
    await ops().expectMessage(/token create has no --at\./);
  });
});
