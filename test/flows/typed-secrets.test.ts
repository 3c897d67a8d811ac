import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

describe('a line with a secret in it', () => {
  let workspace: TestWorkspace;
  beforeAll(async () => {
    workspace = await startTestWorkspace();
  });
  afterAll(() => workspace.close());

  const jwt = 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJzaG9wIiwiaWF0IjoxfQ.c2lnbmF0dXJlLXNpZ25hdHVyZQ';
  it.each([
    ['a token', `variable add geo-redirect TOKEN ${jwt}`],
    ['a Slack token', 'variable add geo-redirect HOOK xoxb-1234567890-abcdefghijkl'],
    ['a password in an address', 'variable add geo-redirect ORIGIN https://user:hunter22@origin.example.com/'],
    ['an authorization header', 'database query shop select "Authorization: Bearer abcdefgh12345678"'],
  ])('is refused with the advice to rotate it: %s', async (_, line) => {
    const ops = workspace.slack.person('ada').in('#ops');
    const asked = workspace.platform.requests.length;
    await ops.type(`/edge ${line}`);
    const answer = await ops.expectMessage(/I did nothing with it/);
    expect(answer.text).toMatch(/make a new one and revoke this one/);
    expect(workspace.platform.requests.length).toBe(asked);
    await ops.type('/edge audit list --reads');
    const list = await ops.expectMessage(/No entries match|Audit/);
    expect(answer.text + list.text).not.toMatch(/hunter22|xoxb-1234|eyJhbGci|abcdefgh1234/);
  });

  it('is refused in a form too, at its field', async () => {
    const ada = workspace.slack.person('ada');
    await ada.in('#ops').type('/edge variable add geo-redirect');
    const form = await ada.expectModal('Variable add', { ready: true });
    await form.fill({ Name: 'TOKEN', 'Default value': jwt });
    await form.submit();
    expect(Object.values(form.errors).join()).toMatch(/make a new one and revoke this one/);
  });
});
