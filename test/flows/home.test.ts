import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONFIRM } from '../support/changes.ts';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

const POLICY = `
approval:
  - operations: [ssl force]
    approvers: { people: [U0BEN000002] }
    expires: 30m
  - operations: [cache purge]
    approvers: { people: [U0CLEO00005] }
roles:
  admins:
    allow: ['*']
  cleo:
    people: [U0CLEO00005, U0DORA00006]
    allow: [cache purge]
  members:
    people: [U0BEN000002]
    allow: [zone list, 'bot *']
`;

describe('the Home tab', () => {
  let workspace: TestWorkspace;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'edgewise-policy-'));
    writeFileSync(join(folder, 'policy.yml'), POLICY);
    workspace = await startTestWorkspace({
      environment: { POLICY_FILE: join(folder, 'policy.yml') },
      slack: {
        workspace: {
          users: [
            { name: 'cleo', id: 'U0CLEO00005' },
            { name: 'dora', id: 'U0DORA00006' },
          ],
          channels: [{ name: 'ops', members: ['ada', 'ben', 'cleo', 'dora'] }],
        },
      },
    });
  });
  afterAll(async () => {
    await workspace.close();
    rmSync(folder, { recursive: true });
  });

  const person = (name: string) => workspace.slack.person(name);
  async function homeOf(name: string, shows: RegExp) {
    await person(name).openHome();
    // What it showed before is not meant.
    await workspace.slack.idle();
    return person(name).expectHome(shows);
  }

  it('says first that nothing is open, and has the commonest commands and a button for all', async () => {
    const home = await homeOf(
      'ada',
      /^All quiet: nothing waits for you, no change is planned or temporary, no incident is open\./,
    );
    expect(home.buttons).toEqual(expect.arrayContaining(['ssl force', 'zone show', 'errors show', 'All commands']));
    expect(home.buttons).not.toContain('Switch back now');
  });

  it('says in a form where its answer is, for that is elsewhere', async () => {
    const home = await homeOf('ada', /Commands/);
    await home.click('zone show');
    const form = await person('ada').expectModal('Zone show');
    await form.fill({ Zone: 'docs' });
    await form.submit();
    await form.expectChange(/The answer is in your direct messages with me\.$/);
    await person('ada').in('@edgewise').expectMessage(/docs/);
    await form.close();
  });

  it('shows what waits for an approval to those who can give it, and what is approved to the one who asked', async () => {
    const ops = person('ada').in('#ops');
    await ops.type('/edge ssl force shop.example.com on');
    await (await ops.expectMessage(/🔒 Needs/u)).click('Ask for approval …');
    const why = await person('ada').expectModal('Ask for approval');
    await why.fill({ 'Why? The approvers read it.': 'The certificate is there' });
    await why.submit();
    await person('ben')
      .in('#ops')
      .expectMessage(/wants to/);
    expect((await homeOf('ada', /nothing waits for you/)).text).not.toMatch(/Waiting for you/);
    const bens = await homeOf('ben', /Waiting for you\nSwitch force HTTPS on for shop\.example\.com[^\n]*\n@ada asks/);
    await bens.click('Look closer');
    const form = await person('ben').expectModal(/./, { ready: true });
    expect(form.text).toMatch(/shop\.example\.com/);
    await form.submit();
    await person('ben').expectNoModal();
    await ops.expectMessage(/@ben approved/);
    expect((await homeOf('ben', /nothing waits for you/)).text).not.toMatch(/Waiting for you/);
    const adas = await homeOf('ada', /Waiting for you\nSwitch force HTTPS on for shop\.example\.com[^\n]*\nApproved\./);
    await adas.click('Run');
    await ops.expectMessage(/@ada switched force HTTPS .*on for shop\.example\.com/);
  });

  it('shows what the clock will put back, and puts it back now', async () => {
    const ops = person('ben').in('#ops');
    await ops.type('/edge bot set main-site social block --for 30m');
    const preview = await ops.expectMessage(/Action: .*→ Block/);
    await preview.click(CONFIRM);
    await preview.expectGone();
    // Ada may read the audit, and so sees what others have changed for a while.
    await homeOf('ada', /Temporary now\n@ben set Social bots[\s\S]*?\nSwitches back /);
    const home = await homeOf('ben', /Temporary now\n@ben set Social bots/);
    expect(JSON.stringify(home.blocks)).toMatch(
      /"confirm":\{"title":\{[^{}]*"Set Social bots on main-site \(\d+\)[^"]* to None\?"/,
    );
    await home.click('Switch back now', { confirm: true });
    await ops.expectMessage(/@ben set Social bots .* · undone/);
    // Without being opened again: nothing is left to press there.
    const after = await person('ben').expectHome(/nothing waits for you, no change is planned or temporary/);
    expect(after.buttons).not.toContain('Switch back now');
  });

  it('shows no command, and no thing, that one has no right to', async () => {
    const home = await homeOf('ben', /Commands/);
    expect(home.buttons).not.toContain('ssl force');
    expect(home.text).not.toMatch(/Subscriptions|Open incidents/);
  });

  it('has what one does to a subscription beside it', async () => {
    const ops = person('ada').in('#ops');
    await ops.type('/edge report subscribe daily-statistics "0 9 * * 1-5"');
    await (await ops.expectMessage(/Subscribe/)).click(CONFIRM);
    await ops.expectMessage(/subscribed/);
    const home = await homeOf('ada', /Subscriptions\ndaily-statistics in #ops \(1\)\n0 9 \* \* 1-5/);
    await home.click('Mute …');
    const form = await person('ada').expectModal('Report mute', { ready: true });
    expect(form.text).toMatch(/How long/);
    await form.close();
    await home.click('End …');
    await person('ada')
      .in('@edgewise')
      .expectMessage(/daily-statistics[\s\S]*\[Cancel\]/);
  });

  it('shows what waits for somebody, however much waits for others since longer', async () => {
    async function ask(name: string, line: string) {
      const ops = person(name).in('#ops');
      await ops.type(line);
      await (await ops.expectMessage(/🔒 Needs/u)).click('Ask for approval …');
      await (await person(name).expectModal('Ask for approval')).submit();
      await workspace.slack.idle();
    }
    for (const name of ['ada', 'dora'])
      for (let at = 0; at < 10; at += 1) await ask(name, '/edge cache purge https://shop.example.com/a.css');
    await ask('ada', '/edge ssl force dl.example.com on');
    const bens = await homeOf('ben', /Waiting for you\nSwitch force HTTPS on for dl\.example\.com[^\n]*\n@ada asks/);
    expect(bens.text).not.toMatch(/All quiet/);
    await bens.click('Look closer');
    await (await person('ben').expectModal('Look closer', { ready: true })).submit();
    await homeOf('ben', /nothing waits for you/);
  });
});
