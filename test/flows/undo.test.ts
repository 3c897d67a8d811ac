import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CONFIRM } from '../support/changes.ts';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

const policyOf = (command: string) => `
approval:
  - operations: ssl force
    where: { hostname: www.example.com, state: 'on' }
    approvers: { people: [U0BEN000002] }
roles:
  night:
    people: [U0BEN000002]
    allow: [${command}]
`;

/** Over Socket Mode: the clock that is moved here would make every signature stale. */
describe('taking something back without the right to it', () => {
  let workspace: TestWorkspace;
  let folder: string;
  let ahead = 0;
  const ada = () => workspace.slack.person('ada').in('#ops');
  const ben = () => workspace.slack.person('ben').in('#ops');
  const hostname = () =>
    workspace.platform.account.zones
      .flatMap(({ Hostnames }) => Hostnames)
      .find(({ Value }) => Value === 'dl.example.com')!;
  const mayNow = async (command: string) => {
    writeFileSync(join(folder, 'policy.yml'), policyOf(command));
    await workspace.restart();
    await workspace.slack.connected();
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'edgewise-policy-'));
    writeFileSync(join(folder, 'policy.yml'), policyOf('ssl force'));
    workspace = await startTestWorkspace({
      environment: { POLICY_FILE: join(folder, 'policy.yml') },
      now: () => new Date(Date.now() + ahead),
      socket: true,
    });
    await workspace.slack.connected();
  });
  afterAll(async () => {
    await workspace.close();
    rmSync(folder, { recursive: true });
  });
  beforeEach(async () => {
    ahead += 60 * 60_000;
    hostname().ForceSSL = false;
    await mayNow('ssl force');
  });

  /** Ben switches it on, and loses the right to it. Answers with what his button is called. */
  async function switchedOn(rest = ''): Promise<string> {
    await ben().type(`/edge ssl force dl.example.com on${rest}`);
    const preview = await ben().expectMessage(/Force HTTPS: off → on/);
    await preview.click(CONFIRM);
    await preview.expectGone();
    await mayNow('bot set');
    return rest === '' ? 'Undo' : 'Switch back now';
  }

  /** Presses the newest button of that name. Answers with what is said to that. */
  const press = async (place: ReturnType<typeof ben>, button: string) => {
    const before = place.messages.length;
    await place.messages.findLast(({ buttons }) => buttons.includes(button))!.click(button, { confirm: true });
    // A process that was stopped may have left its last press to the next one, which says that it was done.
    const said = () => place.messages.slice(before).findLast(({ text }) => !text.startsWith('Already done'))?.text;
    await expect.poll(said, { timeout: 10_000 }).toBeDefined();
    return said()!;
  };

  it('asks before it counts what it does to which target', async () => {
    const button = await switchedOn();
    const { blocks } = ben().messages.findLast(({ buttons }) => buttons.includes(button))!;
    const dialog = /"confirm":(\{.*?\}\})/.exec(JSON.stringify(blocks))?.[1] ?? '';
    expect(dialog).toMatch(/"Switch force HTTPS off for dl\.example\.com on \S+ \(\d+\)\?"/);
    expect(dialog).toContain('Only if nobody has changed it since.');
  });

  it('says beforehand that others have to approve it', async () => {
    await ada().type('/edge ssl force www.example.com off');
    await (await ada().expectMessage(/Force HTTPS: on → off/)).click(CONFIRM);
    await (await ada().expectMessage(/@ada switched force HTTPS on → off for www/)).click('Undo (needs approval) …');
    await ada().expectMessage(/Force HTTPS: off → on[\s\S]*Needs one approval: @ben/);
  });

  it('is refused, and somebody who has the right takes it back by the same button', async () => {
    const button = await switchedOn();
    expect(await press(ben(), button)).toMatch(/You may not run ssl force[\s\S]*Ask @ada/);
    expect(await press(ben(), button)).toMatch(/You may not run ssl force/);
    expect(await press(ada(), button)).toMatch(/Force HTTPS: on → off/);
    const preview = await ada().expectMessage(/Force HTTPS: on → off/);
    await preview.click(CONFIRM);
    await preview.expectGone();
    expect(hostname().ForceSSL).toBe(false);
  });

  it('works once the right is back', async () => {
    const button = await switchedOn();
    expect(await press(ben(), button)).toMatch(/You may not run ssl force/);
    await mayNow('ssl force');
    await press(ben(), button);
    await ben().expectMessage(/@ben switched force HTTPS on → off/);
    expect(hostname().ForceSSL).toBe(false);
    const told = await ada().expectMessage(/@ben undid this/);
    expect([told.text, told.buttons]).toEqual([expect.stringMatching(/@ben switched force HTTPS .*on/), []]);
  });

  it('ends with its time: the button goes by itself, whichever process lives then', async () => {
    const button = await switchedOn();
    const told = () => ada().messages.findLast(({ text }) => /@ben switched force HTTPS .*on/.test(text))!;
    expect(told().buttons).toEqual([button]);
    ahead += 32 * 60_000;
    await workspace.restart();
    await workspace.slack.connected();
    await expect.poll(() => told().buttons, { timeout: 10_000 }).toEqual([]);
    expect(hostname().ForceSSL).toBe(true);
  });

  it('ends with the next change of the same thing, whoever makes it', async () => {
    await switchedOn();
    const told = () => ada().messages.findLast(({ text }) => /@ben switched force HTTPS .*on/.test(text))!;
    await ada().type('/edge ssl force dl.example.com off');
    await (await ada().expectMessage(/Force HTTPS: on → off/)).click(CONFIRM);
    await expect.poll(() => told().buttons, { timeout: 10_000 }).toEqual([]);
    expect(told().text).toMatch(/It has been changed since/);
    expect(ada().messages.findLast(({ text }) => /@ada switched force HTTPS/.test(text))!.buttons).toEqual(['Undo']);
  });

  it('leaves no button to complete a certificate that is complete', async () => {
    await ada().type('/edge certificate request dl.example.com');
    await (await ada().expectMessage(/Verification: a TXT record/)).click(CONFIRM);
    const told = await ada().expectMessage(/@ada requested a certificate for dl/);
    await told.click('Complete');
    await (await ada().expectMessage(/Complete the certificate for dl/)).click(CONFIRM);
    await told.expectChange(/✅ Completed/);
    expect(told.buttons).toEqual([]);
  });

  it('does not keep the clock from putting it back', async () => {
    const button = await switchedOn(' --for 30m');
    expect(await press(ben(), button)).toMatch(/You may not run ssl force/);
    await mayNow('ssl force');
    ahead += 31 * 60_000;
    await workspace.restart();
    await workspace.slack
      .person('ben')
      .in('@edgewise')
      .expectMessage(/Time’s up: I /);
    expect(hostname().ForceSSL).toBe(false);
    const told = await ada().expectMessage(/@ben switched force HTTPS [\s\S]*Time’s up: switched back/);
    expect(told.buttons).toEqual([]);
  });

  it('is said in the channel when the clock could not, and to the requester why', async () => {
    await switchedOn(' --for 30m');
    ahead += 31 * 60_000;
    await workspace.restart();
    await workspace.slack
      .person('ben')
      .in('@edgewise')
      .expectMessage(/Time’s up, but I did not undo it[\s\S]*You may not run ssl force/);
    await ada().expectMessage(
      /Time’s up, but this change did not switch back: Switch force HTTPS .* dl\.example\.com .*\.\n@ben was told why/,
    );
    expect(hostname().ForceSSL).toBe(true);
  });

  it('says that it was tried when somebody has changed it since', async () => {
    const button = await switchedOn();
    await mayNow('ssl force');
    hostname().ForceSSL = false;
    const stale = ada().messages.findLast(({ text }) => /@ben switched force HTTPS .*on/.test(text))!;
    expect(await press(ben(), button)).toMatch(/It’s already back to the old state/);
    const told = await ada().expectMessage(/@ben switched force HTTPS [\s\S]*It was not undone/);
    expect(told.buttons).toEqual([]);
    await stale.click(button, { confirm: true, stale: true });
    await ada().expectMessage(/I already tried to undo it, and won’t try again/);
  });

  it('says that it may have been undone where the answer is lost', async () => {
    const button = await switchedOn();
    await mayNow('ssl force');
    workspace.platform.fault('drop-after@POST setForceSSL');
    try {
      expect(await press(ben(), button)).toMatch(/Outcome unknown/);
      const told = await ada().expectMessage(/@ben switched force HTTPS [\s\S]*It may have been undone/);
      expect(told.buttons).toEqual([]);
    } finally {
      workspace.platform.clearFaults();
    }
  });
});
