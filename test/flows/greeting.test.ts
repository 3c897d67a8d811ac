import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

describe('a greeting', () => {
  let workspace: TestWorkspace;
  beforeAll(async () => {
    workspace = await startTestWorkspace();
  });
  afterAll(() => workspace.close());
  afterEach(() => expect(workspace.slack.problems).toEqual([]));

  const greetings = (name: string) =>
    workspace.slack
      .person(name)
      .in('@edgewise')
      .messages.filter(({ text }) => text.startsWith('Hello!'));

  it('comes with the first look at the Home tab, and shows three things to try', async () => {
    const ada = workspace.slack.person('ada');
    await ada.openHome();
    const greeting = await ada.in('@edgewise').expectMessage(/^Hello! I operate your edge platform/);
    expect(greeting.ephemeral).toBe(false);
    expect(greeting.buttons).toEqual(['Force HTTPS for a hostname', 'Show the zones', 'Show a zone’s errors']);
    await greeting.click('Show the zones');
    await ada.in('@edgewise').expectMessage(/main-site/);
    await greeting.click('Force HTTPS for a hostname');
    const form = await ada.expectModal('Force HTTPS', { ready: true });
    expect(form.fields).toContain('Hostname');
    await form.close();
  });

  it('comes before the answer to the first direct message, with what this person may do', async () => {
    const ben = workspace.slack.person('ben').in('@edgewise');
    await ben.type('help zone list');
    const greeting = await ben.expectMessage(/^Hello!/);
    expect(greeting.buttons).toEqual(['Show the zones', 'Show a zone’s errors', 'What’s broken?']);
    await ben.expectMessage(/List the pull zones/);
  });

  it('comes once, whatever the person does, and however often the bot is started', async () => {
    for (const name of ['ada', 'ben']) {
      const person = workspace.slack.person(name);
      await person.openHome();
      await person.in('@edgewise').type('help zone list');
    }
    await workspace.restart();
    for (const name of ['ada', 'ben']) {
      const person = workspace.slack.person(name);
      await person.openHome();
      await person.in('@edgewise').type('help zone list');
    }
    await workspace.slack.idle();
    expect([greetings('ada'), greetings('ben')].map(({ length }) => length)).toEqual([1, 1]);
  });

  it.each(['gus', 'eve'])('does not come to %s, who may do nothing', async (name) => {
    const person = workspace.slack.person(name);
    await person.openHome();
    await person.expectHome(/may not use/);
    await person.in('@edgewise').type('zone list');
    await person.in('@edgewise').expectMessage(/^You may not/);
    await workspace.slack.idle();
    expect(greetings(name)).toEqual([]);
  });
});
