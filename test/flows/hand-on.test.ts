import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CONFIRM } from '../support/changes.ts';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

describe('a command that one may not run', () => {
  let workspace: TestWorkspace;
  beforeAll(async () => {
    workspace = await startTestWorkspace();
  });
  afterAll(() => workspace.close());
  const ben = () => workspace.slack.person('ben').in('#ops');
  const adas = () => workspace.slack.person('ada').in('@edgewise');

  it('is handed to somebody who may, for one press, and is theirs to confirm', async () => {
    const before = workspace.platform.writes().length;
    await ben().type('/edge ssl force dl.example.com on');
    const refusal = await ben().expectMessage(/You may not run ssl force[^\n]*\nAsk @ada\./);
    expect(refusal.buttons).toEqual(['Ask ada to do it']);
    await refusal.click('Ask ada to do it');
    await ben().expectMessage(/@ada has the filled-in command now, and decides\./);
    const asked = await adas().expectMessage(
      /@ben may not run this, and asks you to: \/edge ssl force dl\.example\.com on/,
    );
    expect(workspace.platform.writes()).toHaveLength(before);
    await asked.click('Look at it');
    const preview = await adas().expectMessage(/Switch force HTTPS on for dl\.example\.com/);
    await preview.click(CONFIRM);
    await adas().expectMessage(/@ada switched force HTTPS .*on for dl\.example\.com/);
    expect(workspace.platform.writes()).toHaveLength(before + 1);
    await workspace.slack.person('ada').in('#ops').type('/edge audit list --actor @ben');
    await workspace.slack
      .person('ada')
      .in('#ops')
      .expectMessage(/ben handed on ssl force/);
  });

  it('says so in the view that it was refused in, in place of the button', async () => {
    await ben().type('/edge cache clear docs');
    const refusal = await workspace.slack.person('ben').expectModal('Cache clear', { ready: true });
    expect(refusal.text).toMatch(/You may not run cache clear/);
    await refusal.click('Ask ada to do it');
    await refusal.expectChange(/\n@ada has the filled-in command now, and decides\.$/);
    expect(refusal.text).not.toMatch(/Ask ada to do it/);
    await refusal.close();
    await adas().expectMessage(/asks you to: \/edge cache clear docs/);
  });

  it('is sent once, and three times a day at the most', async () => {
    const hand = async (line: string) => {
      await ben().type(`/edge ${line}`);
      const refusal = await ben().expectMessage(/You may not run/);
      await refusal.click('Ask ada to do it');
      return ben().expectMessage(/has the filled-in command now|You have already asked/);
    };
    expect((await hand('ssl force dl.example.com on')).text).toMatch(/You have already asked @ada\. Nothing was sent/);
    expect((await hand('bot set shop tool block')).text).toMatch(/has the filled-in command now/);
    expect((await hand('bot set shop social allow')).text).toMatch(
      /You have already asked 3 times today\. Nothing was sent/,
    );
    const sent = adas().messages.filter(({ text }) => /asks you to/.test(text));
    expect(sent).toHaveLength(3);
  });

  it('is not handed on by a guest, or where nobody may', async () => {
    const gus = workspace.slack.person('gus').in('#ops');
    await gus.type('/edge ssl force dl.example.com on');
    expect((await gus.expectMessage(/./)).buttons).toEqual([]);
  });
});

describe('what is handed on', () => {
  let workspace: TestWorkspace;
  beforeEach(async () => {
    workspace = await startTestWorkspace();
  });
  afterEach(() => workspace.close());
  const ben = () => workspace.slack.person('ben').in('#ops');
  const adas = () => workspace.slack.person('ada').in('@edgewise').messages;
  async function refusal() {
    await ben().type('/edge ssl force dl.example.com on');
    return ben().expectMessage(/You may not run/);
  }

  it('is nothing by somebody who is a guest by now', async () => {
    const card = await refusal();
    workspace.slack.workspace.user('ben').isRestricted = true;
    await card.click('Ask ada to do it');
    await ben().expectMessage(/There’s nobody to ask any more/);
    expect(adas()).toEqual([]);
  });

  it('leaves the name that has to be typed to whoever does it', async () => {
    await ben().type('/edge cache clear docs --force');
    const refused = await workspace.slack.person('ben').expectModal('Cache clear', { ready: true });
    await refused.click('Ask ada to do it');
    const ada = workspace.slack.person('ada');
    const asked = await ada.in('@edgewise').expectMessage(/asks you to: \/edge cache clear docs$/m);
    await asked.click('Look at it');
    const view = await ada.expectModal('Cache clear', { ready: true });
    expect(view.text).toMatch(/Type the name to confirm/);
    await view.close();
  });

  it('is said to be on its way while Slack takes nothing', async () => {
    const card = await refusal();
    workspace.slack.fault('chat.postMessage=429:60*1');
    await card.click('Ask ada to do it');
    await ben().expectMessage(/^@ada gets the filled-in command as soon as Slack takes it, and decides\.$/);
    expect(adas()).toEqual([]);
  });

  it('is not said to be there where it may not have come', async () => {
    const card = await refusal();
    const mended = workspace.slack.fault('conversations.open=fatal_error');
    await card.click('Ask ada to do it');
    await ben().expectMessage(/Slack had a fault of its own/);
    mended();
    await card.click('Ask ada to do it');
    await ben().expectMessage(/^You have already asked @ada\. Nothing was sent twice\.\nWrite to them yourself\.$/);
  });
});

describe('many commands that one may not run', () => {
  let workspace: TestWorkspace;
  beforeAll(async () => {
    workspace = await startTestWorkspace();
  });
  afterAll(() => workspace.close());

  it('are handed on three times, however many buttons are pressed at once', async () => {
    const ben = workspace.slack.person('ben').in('#ops');
    const refusals = [];
    const categories = ['seo', 'tool', 'aitool', 'ads', 'preview', 'social'].map((one) => `${one} block`);
    for (const setting of [...categories, 'seo allow', 'tool allow', 'ads allow']) {
      await ben.type(`/edge bot set shop ${setting}`);
      refusals.push(await ben.expectMessage(/You may not run/));
    }
    await Promise.all(refusals.map((refusal) => refusal.click('Ask ada to do it')));
    const said = (words: RegExp) => ben.messages.filter(({ text }) => words.test(text)).length;
    await expect
      .poll(() => [said(/has the filled-in command now/), said(/You have already asked 3 times today/)], {
        timeout: 10_000,
      })
      .toEqual([3, 6]);
    const adas = workspace.slack.person('ada').in('@edgewise').messages;
    expect(adas.filter(({ text }) => /asks you to/.test(text))).toHaveLength(3);
  });
});

describe('what only a channel allows', () => {
  let workspace: TestWorkspace;
  let folder: string;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'edgewise-policy-'));
    const policy = "roles: { admins: { allow: ['*'] } }\nchannels: { direct: { allow: [effect: read] } }\n";
    writeFileSync(join(folder, 'policy.yml'), policy);
    workspace = await startTestWorkspace({
      environment: { POLICY_FILE: join(folder, 'policy.yml') },
      slack: { workspace: { channels: [{ name: 'ops' }, { name: 'hidden', bot: false }] } },
    });
  });
  afterEach(async () => {
    await workspace.close();
    rmSync(folder, { recursive: true });
  });
  async function ask(channel: string) {
    const ben = workspace.slack.person('ben').in(channel);
    await ben.type('/edge ssl force dl.example.com on');
    await (await ben.expectMessage(/You may not run/)).click('Ask ada to do it');
    return ben;
  }

  const directly = () => workspace.slack.person('ada').in('@edgewise');
  const where = (channel: string) =>
    new RegExp(
      `asks you to: /edge ssl force dl\\.example\\.com on\\nYou may run this only in ${channel}\\. Type it there\\.$`,
    );

  it.each(['#ops', '#hidden'])('is asked for directly, with the place to type it: %s', async (channel) => {
    const ben = await ask(channel);
    await ben.expectMessage(/^@ada has the filled-in command now, and decides\.$/);
    expect((await directly().expectMessage(where(channel))).buttons).toEqual([]);
    const ada = workspace.slack.person('ada').in(channel);
    expect(ada.messages).toEqual([]);
    await ada.type('/edge ssl force dl.example.com on');
    await (await ada.expectMessage(/Switch force HTTPS on/)).click(CONFIRM);
    const told = channel === '#ops' ? ada : directly();
    await told.expectMessage(/@ada switched force HTTPS .*on for dl\.example\.com/);
  });

  it('is said to be on its way while Slack takes nothing', async () => {
    workspace.slack.fault('chat.postMessage=429:60*1');
    const ben = await ask('#ops');
    await ben.expectMessage(/^@ada gets the filled-in command as soon as Slack takes it, and decides\.$/);
    expect(directly().messages).toEqual([]);
  });
});
