import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { line } from '../logs/lines.ts';
import { type CannedPlatform, startCannedPlatform } from '../support/canned-platform.ts';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

describe('a log that takes long to read', () => {
  let workspace: TestWorkspace;
  let platform: CannedPlatform;
  /** The downloads that came in, and which of them the bot has given up. */
  let downloads: { response: ServerResponse; ended: Promise<void> }[];
  const ops = () => workspace.slack.person('ada').in('#ops');
  const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  const [year = '', month, date] = day.split('-');
  const file = `${`${line({ time: Date.parse(`${day}T10:00:00Z`) })}\n`.repeat(1000)}`;

  beforeAll(async () => {
    platform = await startCannedPlatform();
    workspace = await startTestWorkspace({
      environment: { PLATFORM_LOGGING_URL: platform.environment.PLATFORM_LOGGING_URL ?? '' },
    });
    downloads = [];
    platform.answer(`GET /logging/${month}-${date}-${year.slice(2)}/308001.log`, (response) => {
      response.writeHead(200);
      response.write(file);
      const ended = new Promise<void>((resolve) => response.on('close', resolve));
      downloads.push({ response, ended });
    });
  });
  afterAll(async () => {
    await workspace.close();
    await platform.close();
  });
  afterEach(() => expect(workspace.slack.problems).toEqual([]));

  it('says how far it is, and stops with its download when it is cancelled', async () => {
    await ops().type('/edge log summary 308001 --date yesterday');
    const working = await ops().expectMessage(/log summary takes a moment/);
    expect(working.ephemeral).toBe(true);
    expect(working.buttons).toEqual(['Check progress', 'Cancel']);
    await working.click('Check progress');
    await working.expectChange(/log summary takes a moment\. The answer comes below\. 126 kB so far\./);
    await working.click('Cancel');
    await working.expectChange(/You stopped log summary after 126 kB\. Nothing was changed\./);
    expect(working.buttons).toEqual(['Open the form']);
    await downloads[0]!.ended;
    expect(workspace.logged.join('')).not.toMatch(/unexpected error/);
  });

  it('says how far it is to whoever asked, and is stopped by them alone', async () => {
    await ops().type('/edge log summary 308001 --date yesterday');
    const working = await ops().expectMessage(/log summary takes a moment/);
    await working.click('Check progress');
    await working.expectChange(/so far\./);
    const pressed = workspace.slack.deliveries.at(-1)!.payload as Record<string, object>;
    const { id } = workspace.slack.workspace.user('ben');
    const bens = workspace.slack.person('ben').in('#ops');
    for (const action_id of ['far', 'stop']) {
      const [action] = pressed.actions as unknown as object[];
      const payload = {
        ...{ ...pressed, user: { ...pressed.user, id }, trigger_id: `forged.${action_id}` },
        ...{ response_url: 'https://hooks.slack.com/actions/T0/none', actions: [{ ...action, action_id }] },
      };
      await workspace.slack.signedRequest({ payload });
      await bens.expectMessage(/@ada asked for this/);
    }
    downloads.at(-1)!.response.end(file);
    await working.expectChange(/2,000 requests\./);
  });

  it('puts the answer where it said how far it is', async () => {
    await ops().type('/edge log summary 308001 --date yesterday');
    const working = await ops().expectMessage(/log summary takes a moment/);
    await working.click('Check progress');
    await working.expectChange(/so far\./);
    downloads.at(-1)!.response.end(file);
    await working.expectChange(/2,000 requests\./);
  });

  it('says in a form from the Home tab how far it is, and stops from there', async () => {
    const ada = workspace.slack.person('ada');
    await ada.openHome();
    await (await ada.expectHome(/Commands/)).click('log summary');
    const form = await ada.expectModal('Log summary', { ready: true });
    await form.fill({ Zone: '308001', Date: day });
    await form.submit();
    await form.expectChange(/log summary takes a moment\. 126 kB so far\./);
    await form.click('Cancel');
    await form.expectChange(/You stopped log summary/);
    await downloads.at(-1)!.ended;
    await form.close();
  });

  it('that is over, or of another process, says so to whoever asks how far it is, who may ask again', async () => {
    await ops().type('/edge log summary 308001 --date yesterday');
    const working = await ops().expectMessage(/log summary takes a moment/);
    downloads.at(-1)!.response.end();
    await ops().expectMessage(/1,000 requests\./);
    await working.click('Check progress');
    await ops().expectMessage(/It has ended, or another process runs it: its answer comes here\./);
    expect(working.buttons).toContain('Check progress');
  });

  it('goes once it is over, where Slack lets the bot take its message away', async () => {
    const direct = workspace.slack.person('ada').in('@edgewise');
    await direct.type('log summary 308001 --date yesterday');
    const working = await direct.expectMessage(/log summary takes a moment/);
    downloads.at(-1)!.response.end();
    await direct.expectMessage(/1,000 requests\./);
    await working.expectGone();
  });
});
