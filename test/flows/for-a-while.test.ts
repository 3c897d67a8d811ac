import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { byHand } from '../support/by-hand.ts';
import { CONFIRM } from '../support/changes.ts';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

/** Over Socket Mode: the clock that is moved here would make every signature stale. */
describe('a change for a while', () => {
  let workspace: TestWorkspace;
  let ahead = 0;
  const ops = () => workspace.slack.person('ada').in('#ops');
  const direct = () => workspace.slack.person('ada').in('@edgewise');
  const hostname = () =>
    workspace.platform.account.zones
      .flatMap(({ Hostnames }) => Hostnames)
      .find(({ Value }) => Value === 'dl.example.com')!;
  const writes = () => workspace.platform.writes().length;

  beforeAll(async () => {
    workspace = await startTestWorkspace({
      now: () => new Date(Date.now() + ahead),
      socket: true,
      environment: { EDGEWISE_ADMINS: 'U0ADA000001,U0BEN000002' },
    });
    await workspace.slack.connected();
  });
  afterAll(() => workspace.close());
  beforeEach(() => {
    hostname().ForceSSL = false;
  });

  async function forAWhile(): Promise<void> {
    await ops().type('/edge ssl force dl.example.com on --for 30m');
    const preview = await ops().expectMessage(
      /Force HTTPS: off → on[\s\S]*Switches back after 30 min\nForce HTTPS: on → off/,
    );
    await preview.click(CONFIRM);
    await preview.expectGone();
    expect(hostname().ForceSSL).toBe(true);
  }

  it('is put back by itself, once, also after a restart in between', async () => {
    const before = writes();
    await forAWhile();
    ahead += 29 * 60_000;
    await workspace.restart();
    expect(hostname().ForceSSL).toBe(true);
    ahead += 2 * 60_000;
    await workspace.restart();
    await direct().expectMessage(/Time’s up: I switched force HTTPS/);
    expect(hostname().ForceSSL).toBe(false);
    ahead += 60 * 60_000;
    await workspace.restart();
    expect(writes()).toBe(before + 2);
  });

  it('is left alone when somebody has changed it since, and the requester is told', async () => {
    await forAWhile();
    const before = writes();
    hostname().ForceSSL = false;
    ahead += 31 * 60_000;
    await workspace.restart();
    await direct().expectMessage(/Time’s up, but I did not undo it[\s\S]*It’s already back to the old state/);
    expect(writes()).toBe(before);
  });

  it('is put back as soon as the platform can be read again, and by hand after a quarter of an hour', async () => {
    const passing = async (minutes: number) => {
      for (let minute = 0; minute < minutes; minute += 1) {
        ahead += 60_000;
        await workspace.app.tick();
        await workspace.app.idle();
        await workspace.slack.idle();
      }
    };
    await forAWhile();
    ahead += 29 * 60_000;
    let end = workspace.platform.fault('status=502@GET pullzone');
    await passing(5);
    expect(hostname().ForceSSL).toBe(true);
    end();
    await passing(1);
    expect(hostname().ForceSSL).toBe(false);
    await direct().expectMessage(/Time’s up: I switched force HTTPS/);
    await forAWhile();
    ahead += 29 * 60_000;
    end = workspace.platform.fault('status=502@GET pullzone');
    await passing(16);
    end();
    await passing(5);
    expect(hostname().ForceSSL).toBe(true);
    await direct().expectMessage(/Time’s up, but I did not undo it[\s\S]*502/);
  });

  it('is left as somebody else has set it since', async () => {
    const ben = workspace.slack.person('ben');
    const set = async (person: typeof ben, action: string, rest = '') => {
      await person.in('#ops').type(`/edge bot set main-site social ${action}${rest}`);
      const preview = await person.in('#ops').expectMessage(new RegExp(`Action: .*→ ${action}`, 'i'));
      await preview.click(CONFIRM);
      await preview.expectGone();
    };
    await set(workspace.slack.person('ada'), 'block', ' --for 30m');
    await set(ben, 'allow');
    const before = writes();
    ahead += 31 * 60_000;
    await workspace.restart();
    await direct().expectMessage(
      /Time’s up, but I did not undo it: Set Social bots[\s\S]*Then\nAction: Block\nNow\nAction: Allow/,
    );
    expect(writes()).toBe(before);
  });

  it('can be put back before its time, and then not again', async () => {
    await forAWhile();
    const outcome = ops().messages.findLast(({ buttons }) => buttons.includes('Switch back now'))!;
    await outcome.click('Switch back now', { confirm: true });
    await expect.poll(() => hostname().ForceSSL, { timeout: 10_000 }).toBe(false);
    await workspace.slack.idle();
    const before = writes();
    ahead += 31 * 60_000;
    await workspace.restart();
    await workspace.slack.idle();
    expect(writes()).toBe(before);
    expect(hostname().ForceSSL).toBe(false);
  });

  it('is on Home in its own words until its end, also when what was typed for others is gone', async () => {
    await ops().type('/edge ssl force dl.example.com on');
    await (await ops().expectMessage(/Force HTTPS: off → on/)).click('Cancel');
    await ops().type('/edge limit add shop /login* 20 1m --for 3d');
    await (await ops().expectMessage(/Switches back after 3 d/)).click(CONFIRM);
    await ops().expectMessage(/@ada limited [^\n]+ on shop/);
    ahead += 25 * 60 * 60_000;
    await workspace.restart();
    await workspace.slack.connected();
    const client = byHand(workspace.storeFile);
    const emptied = async () => (await client.execute("SELECT 1 FROM confirmations WHERE given = '{}'")).rows.length;
    await expect.poll(emptied, { timeout: 10_000 }).toBeGreaterThan(0);
    client.close();
    const ada = workspace.slack.person('ada');
    await ada.openHome();
    await ada.expectHome(/Temporary now\n@ada limited [^\n]+ on shop[^\n]* to 20 requests in 1m for each address\n/);
  });

  it('wants a time that makes sense', async () => {
    const wrong = {
      '0m': /switch back after 1m to 30d/,
      '31d': /switch back after 1m to 30d/,
      soon: /“soon” is not a duration/,
    };
    for (const [time, complaint] of Object.entries(wrong)) {
      await ops().type(`/edge ssl force dl.example.com on --for ${time}`);
      await ops().expectMessage(complaint);
    }
    await ops().type('/edge ssl force dl.example.com on --for "2 hours"');
    const preview = await ops().expectMessage(/Switches back after 2 h/);
    await preview.click('Cancel');
  });
});
