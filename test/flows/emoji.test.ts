import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CONFIRM } from '../support/changes.ts';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

/** Slack gives 👋 as `:wave:` in what is typed, and as it is in a form. */
describe('an emoji', () => {
  let workspace: TestWorkspace;
  const ada = () => workspace.slack.person('ada');
  const ops = () => ada().in('#ops');

  beforeAll(async () => {
    workspace = await startTestWorkspace();
  });
  afterAll(() => workspace.close());
  beforeEach(() => ops().readAll());

  it.each([
    ['/edge variable add geo-redirect GREETING "Hello :wave: :+1::skin-tone-4:"', ':wave:', 'Variable add'],
    ['@edgewise variable add geo-redirect SCORE ":100: of 100"', ':100:', 'Variable add'],
    ['/edge cache purge https://cdn.example.com/img/:tada:.png', ':tada:', 'Cache purge'],
    ['@edgewise cache purge tag::fire: --zone shop', ':fire:', 'Cache purge'],
    ['purge https://cdn.example.com/:bee:.png', ':bee:', 'Cache purge'],
  ])('that was typed is said to be its name, with the form beside it: %s', async (line, name, title) => {
    const place = /^[/@]/.test(line) ? ops() : ada().in('@edgewise');
    await place.type(line);
    const preview = await place.expectMessage(/Slack writes emoji as names/);
    expect(preview.text).toContain(`“${name}” is set in these letters`);
    await preview.click('Open the form');
    const form = await ada().expectModal(title, { ready: true });
    expect(form.text).toContain(name);
    await form.close();
  });

  it('in a statement is said before the name is typed that confirms it', async () => {
    await ops().type("/edge database execute shop UPDATE customers SET name = ':x:' WHERE id = 1");
    const view = await ada().expectModal('Database execute', { ready: true });
    expect(view.text).toContain('“:x:” is set in these letters');
    await view.close();
  });

  it('is set as it is where it was given in the form', async () => {
    workspace.platform.requests.splice(0);
    await ops().type('/edge variable add');
    const form = await ada().expectModal('Variable add', { ready: true });
    await form.fill({ Script: 'geo-redirect', Name: 'WAVE', 'Default value': 'Hello 👋 👍🏽' });
    await form.submit();
    await form.expectChange(/WAVE of geo-redirect/);
    expect(form.text).not.toMatch(/Slack writes emoji/);
    await form.submit();
    await form.expectClosed();
    await ops().expectMessage(/added the variable WAVE/);
    expect(workspace.platform.writes()).toMatchObject([{ body: { DefaultValue: 'Hello 👋 👍🏽' } }]);
  });

  it('is set as its name where that is what was meant', async () => {
    workspace.platform.requests.splice(0);
    await ops().type('/edge variable add geo-redirect CHAT ":wave:"');
    await (await ops().expectMessage(/Slack writes emoji/)).click(CONFIRM);
    await ops().expectMessage(/added the variable CHAT/);
    expect(workspace.platform.writes()).toMatchObject([{ body: { DefaultValue: ':wave:' } }]);
  });
});
