import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Form } from '../../playground/slack/people/form.ts';
import type { Person } from '../../playground/slack/people/person.ts';
import { ASKED, CONFIRM } from '../support/changes.ts';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

const POLICY = `
approval:
  - operations: [cache clear]
    approvers: { people: [U0BEN000002] }
    expires: 30m
roles:
  admins:
    allow: ['*']
  members:
    people: [U0BEN000002]
    allow: [cache clear]
`;

/** Over Socket Mode: the clock that is moved here would make every signature stale. */
describe('what Slack refuses with a time', () => {
  let workspace: TestWorkspace;
  let folder: string;
  let ada: Person;
  let ahead = 0;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'edgewise-policy-'));
    writeFileSync(join(folder, 'policy.yml'), POLICY);
    workspace = await startTestWorkspace({
      environment: { POLICY_FILE: join(folder, 'policy.yml') },
      now: () => new Date(Date.now() + ahead),
      socket: true,
    });
    await workspace.slack.connected();
    ada = workspace.slack.person('ada');
    await ada.in('@edgewise').type('status');
    await ada.in('@edgewise').expectMessage(/The bot is healthy/);
    await workspace.slack.idle();
  });
  afterAll(async () => {
    await workspace.close();
    rmSync(folder, { recursive: true });
  });
  beforeEach(async () => {
    await later(60);
    for (const id of workspace.slack.workspace.channels.keys())
      for (const name of ['ada', 'ben']) workspace.slack.person(name).in(id).readAll();
  });
  afterEach(() => expect(workspace.slack.problems.splice(0)).toEqual([]));

  const called = (method: string, pattern: RegExp) =>
    workspace.slack.outgoing.filter((one) => one.method === method && pattern.test(JSON.stringify(one.body)));
  /** So many seconds pass, and the bot does what is due. */
  async function later(seconds: number): Promise<void> {
    ahead += seconds * 1_000;
    await workspace.app.tick();
  }
  const kept = () => workspace.logged.filter((line) => line.includes('it is kept until then')).length;
  async function until(what: () => boolean): Promise<void> {
    for (const end = Date.now() + 60_000; !what(); await new Promise((settle) => setTimeout(settle, 5)))
      if (Date.now() > end) throw new Error(`it did not come about: ${what}`);
  }

  it.each([16, 30, 300])('is an answer that comes %d seconds later, and no apology before', async (seconds) => {
    const direct = ada.in('@edgewise');
    const before = kept();
    const end = workspace.slack.fault(`chat.postMessage=429:${seconds}*1`);
    await direct.type('zone list');
    await until(() => kept() === before + 1);
    end();
    await later(seconds - 5);
    await direct.expectNothing();
    expect(called('chat.postMessage', /takes no more calls/)).toEqual([]);
    await later(6);
    await direct.expectMessage(/shop/);
  });

  it('is answered by the next process where the first one has ended, once', async () => {
    const direct = ada.in('@edgewise');
    const before = kept();
    const end = workspace.slack.fault('chat.postMessage=429:40*1');
    await direct.type('zone list');
    await until(() => kept() === before + 1);
    end();
    await workspace.slack.idle();
    ahead += 41_000;
    await workspace.restart();
    await workspace.slack.connected();
    await direct.expectMessage(/shop/);
    await later(60);
    await direct.expectNothing();
  });

  it('is kept again where it is still too soon', async () => {
    const direct = ada.in('@edgewise');
    const before = kept();
    const end = workspace.slack.fault('chat.postMessage=429:40*2');
    await direct.type('zone list');
    await until(() => kept() === before + 1);
    await later(41);
    await workspace.slack.idle();
    end();
    await later(41);
    await direct.expectMessage(/shop/);
  });

  describe('is the Home tab', () => {
    /** It cannot be shown for so long, so many times. */
    async function refused(name: string, seconds: number, times = 1): Promise<() => void> {
      const before = kept();
      const end = workspace.slack.fault(`views.publish=429:${seconds}*${times}`);
      await workspace.slack.person(name).openHome();
      await until(() => kept() === before + 1);
      return end;
    }
    const shown = () => called('views.publish', /Commands/).length;

    it.each([16, 30, 300])('that is shown %d seconds later', async (seconds) => {
      const end = await refused('ada', seconds);
      end();
      const before = shown();
      await later(seconds - 5);
      await workspace.slack.idle();
      expect(shown()).toBe(before);
      await later(6);
      await until(() => shown() === before + 1);
    });

    it('as it is by then, for each who has opened it', async () => {
      const ends = [await refused('ada', 40), await refused('ben', 40)];
      await ada.in('#ops').type('/edge bot set api social block --for 20m');
      await (await ada.in('#ops').expectMessage(ASKED)).click(CONFIRM);
      await ada.in('#ops').expectMessage(/ada set Social bots/);
      // Before time passes, the bot has noted that it was told.
      await workspace.slack.idle();
      for (const end of ends) end();
      await later(41);
      await ada.expectHome(/Temporary now\n@ada /);
      await workspace.slack.person('ben').expectHome(/no change is planned or temporary[^.]*\.\nCommands/);
    });

    it('that the next process shows', async () => {
      const end = await refused('ada', 40);
      end();
      await workspace.slack.idle();
      const before = shown();
      ahead += 41_000;
      await workspace.restart();
      await workspace.slack.connected();
      await until(() => shown() === before + 1);
    });

    it('that is kept again where it is still too soon', async () => {
      const end = await refused('ada', 40, 2);
      const before = shown();
      await later(41);
      await until(() => kept() > 1);
      await workspace.slack.idle();
      end();
      await later(41);
      await until(() => shown() > before);
    });
  });

  it('is an answer for one’s eyes only that takes the other way', async () => {
    const ends = ['response_url=429:40*1', 'chat.postEphemeral=429:40*1'].map((fault) => workspace.slack.fault(fault));
    const before = kept();
    await ada.in('#ops').type('/edge zone list');
    await until(() => kept() === before + 1);
    for (const end of ends) end();
    await later(41);
    await ada.in('#ops').expectMessage(/shop/);
  });

  it('is an outcome that everybody in the channel reads, with its button', async () => {
    const ops = ada.in('#ops');
    await ops.type('/edge ssl force docs.example.com on');
    const preview = await ops.expectMessage(ASKED);
    const end = workspace.slack.fault('chat.postMessage=429:30*1');
    await preview.click(CONFIRM);
    await preview.expectChange(
      /Done\. Slack is limiting messages; the result is posted in the channel as soon as possible\./,
    );
    end();
    await later(31);
    const outcome = await workspace.slack
      .person('ben')
      .in('#ops')
      .expectMessage(/switched force HTTPS .*on for/);
    expect(outcome.text).toMatch(/\[Undo/);
    await later(60);
    expect(
      called('chat.postMessage', /switched force HTTPS .*on for/).filter(({ error }) => error === undefined),
    ).toHaveLength(1);
    expect(called('chat.postMessage', /Edgewise stopped/)).toEqual([]);
  });

  it('is what is asked of others: the requester reads that it is asked for, and the approvers read it then', async () => {
    const ops = ada.in('#ops');
    await ops.type('/edge cache clear shop');
    const form = await ada.expectModal(/./);
    await form.expectChange(/🔒 Needs/u);
    const end = workspace.slack.fault('chat.postMessage=429:30*1');
    await form.fill({ 'Why? The approvers read it.': 'The pictures are old' });
    await form.submit();
    const told = await ops.expectMessage(/Asked\. I’ll tell the approvers as soon as Slack lets me\./);
    expect(told.text).not.toMatch(/[Tt]ry again/);
    end();
    await later(31);
    const ben = workspace.slack.person('ben');
    await ben.in('#ops').expectMessage(/ada wants to/);
    const card = await ben.in('@edgewise').expectMessage(/ada wants to/);
    await ops.type('/edge approval list');
    await ops.expectMessage(/Waiting for approval: 1/);
    await card.click('Approve');
    await ada.in('@edgewise').expectMessage(/ben approved/);
  });

  describe('while new tokens are shown', () => {
    async function regenerated(): Promise<Form> {
      await ada.in('#ops').type('/edge token regenerate events --force');
      const form = await ada.expectModal(/./);
      await form.expectChange(/Invalidate all tokens of events \(\w+\) and make new ones/);
      return form;
    }
    it.each(['500*1', '429:1*1', 'not_found*1', 'drop*1', 'drop-after*1', '503-after*2'])(
      'shows them although Slack’s answer is %s',
      async (fault) => {
        const form = await regenerated();
        workspace.platform.fault('slow=200@PUT auth/generate');
        await form.submit();
        await form.expectChange(/Working/);
        workspace.slack.fault(`views.update=${fault}`);
        await form.expectChange(/Full-access[\s\S]*eyJ/i);
        await ada.in('#ops').expectMessage(/invalidated all tokens of events/);
        expect(called('chat.postEphemeral', /couldn’t show it/)).toEqual([]);
        await form.close();
      },
    );

    it('says by what command new ones are made, once the view is gone', async () => {
      const form = await regenerated();
      workspace.platform.fault('slow=200@PUT auth/generate');
      await form.submit();
      await form.close();
      await ada.in('#ops').expectMessage(/couldn’t show it[\s\S]*\/edge token regenerate [\s\S]*--force/);
    });
  });
});
