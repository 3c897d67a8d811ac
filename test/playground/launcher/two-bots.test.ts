import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Playground, startPlayground } from '../../../playground/launcher/start.ts';

describe('two bots in one workspace', () => {
  let playground: Playground;
  const ops = () => playground.slack.person('ada').in('#ops');
  /** What each app was sent, in order. */
  const heard = (app: string) =>
    playground.slack.deliveries.flatMap(({ payload }) =>
      payload.api_app_id === app ? [payload.command ?? payload.type] : [],
    );

  beforeAll(async () => {
    playground = await startPlayground({ port: 0, secondBot: 'staging' });
    await Promise.all([playground.bot.start(), playground.second?.start()]);
  });
  afterAll(() => playground.close());

  it('answer their own command only, and the buttons of one never reach the other', async () => {
    await ops().type('/edge ssl force cdn.example.com on');
    const first = await ops().expectMessage(/^Switch force HTTPS on for cdn\.example\.com/);
    await ops().type('/edge-staging ssl force cdn.example.com on');
    const second = await ops().expectMessage(/^staging: Switch force HTTPS on for cdn\.example\.com/);
    await second.click('Switch on');
    await ops().expectMessage(/@ada switched force HTTPS off → on for cdn\.example\.com .*\(staging\)/);
    expect(playground.simulator.writes()).toEqual([]);
    expect(heard('A0EDGEWISE1')).toEqual(['/edge']);
    expect(heard('A0EDGEWISE2')).toEqual(['/edge-staging', 'block_actions']);

    await ops().type('/edge audit list --reads');
    expect((await ops().expectMessage(/^Audit/)).text).not.toContain('force HTTPS');
    await ops().type('/edge-staging audit list');
    expect((await ops().expectMessage(/^Audit/)).text).toMatch(/switched force HTTPS off → on .*\(staging\)/);
    await first.click('Cancel');
    expect(heard('A0EDGEWISE1')).toEqual(['/edge', '/edge', 'block_actions']);
  });

  it('hear what mentions them, and their forms are their own', async () => {
    await ops().type('@edgewise-staging help');
    await ops().expectMessage(/such as \/edge-staging errors/);
    expect(heard('A0EDGEWISE1')).not.toContain('event_callback');
    await ops().type('/edge-staging ssl force');
    const form = await playground.slack.person('ada').expectModal('Force HTTPS', { ready: true });
    expect(form.text).toContain('/edge-staging ssl force');
    await form.close();
    expect(playground.slack.problems).toEqual([]);
  });

  it('are taken out of a channel one by one', async () => {
    await ops().type('/remove @edgewise-staging');
    await ops().expectMessage('You removed edgewise-staging from this channel.');
    await ops().type('/edge-staging zone list');
    await ops().expectMessage(/main-site/);
    expect(playground.slack.workspace.channel('#ops').members).toContain('U0EDGEWISE1');
    await ops().type('/invite @edgewise-staging');
    await ops().expectMessage('You invited edgewise-staging to this channel.');
  });

  it('are named by the doctor of each', async () => {
    const environment = { PATH: process.env.PATH, ...playground.simulator.environment, ...playground.slack.second };
    const EDGEWISE_ADMINS = playground.slack.workspace.user('ada').id;
    const env = {
      ...environment,
      EDGEWISE_ADMINS,
      EDGEWISE_COMMAND: '/edge-staging',
      STORE_URL: ':memory:',
      PORT: '0',
    };
    const { stdout } = await promisify(execFile)(process.execPath, ['bin/run.mjs', 'doctor'], { env });
    expect(stdout).toMatch(/Other bots +edgewise is in this workspace too\. If it has \/edge-staging as well/);
  });
});
