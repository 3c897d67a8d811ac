import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildManifest } from '../../src/manifest.ts';
import { useOwnName } from '../../src/own-name.ts';
import { CONFIRM } from '../support/changes.ts';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

describe('a bot with a command and a label of its own', () => {
  let workspace: TestWorkspace;
  const ops = () => workspace.slack.person('ada').in('#ops');

  beforeAll(async () => {
    workspace = await startTestWorkspace({
      environment: { EDGEWISE_COMMAND: '/edge-staging', EDGEWISE_LABEL: 'staging' },
    });
  });
  afterAll(async () => {
    await workspace.close();
    useOwnName({ command: '/edge' });
  });

  it('names its own command in help, hints and buttons', async () => {
    await ops().type('/edge-staging help ssl force');
    const help = await ops().expectMessage(/\/edge-staging ssl force/);
    expect(help.text).not.toMatch(/\/edge /);
    await ops().type('/edge-staging frobnicate');
    const hint = await ops().expectMessage(/There is no command/);
    expect(hint.text).toContain('/edge-staging help');
  });

  it('says in its preview and its outcome which account it is', async () => {
    await ops().type('/edge-staging ssl force shop.example.com on');
    const card = await ops().expectMessage(/Force HTTPS: off → on/);
    expect(card.text).toMatch(/^staging: Switch force HTTPS on/);
    await card.click(CONFIRM);
    const told = await ops().expectMessage(/switched force HTTPS/);
    expect(told.text).toMatch(/\(staging\)/);
  });

  it('understands its own lines where they are pasted', async () => {
    const dm = workspace.slack.person('ada').in('@edgewise');
    await dm.type('`/edge-staging zone show shop`');
    await dm.expectMessage(/shop/);
  });

  it('is made from a manifest with its command and its name', () => {
    const { features, display_information: about } = buildManifest('socket', {
      command: '/edge-staging',
      label: 'Staging EU',
    });
    expect(features.slash_commands[0]?.command).toBe('/edge-staging');
    expect([about.name, features.bot_user.display_name]).toEqual(['Edgewise Staging EU', 'edgewise-staging-eu']);
  });
});
