import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

describe('deleting an application', () => {
  let workspace: TestWorkspace;
  const ada = () => workspace.slack.person('ada');
  const ops = () => ada().in('#ops');
  const deletions = () => workspace.platform.requests.filter(({ method }) => method === 'DELETE');

  beforeAll(async () => {
    workspace = await startTestWorkspace();
  });
  afterAll(() => workspace.close());

  async function confirmed(name: string): Promise<void> {
    await ops().type(`/edge app delete ${name}`);
    const form = await ada().expectModal('App delete');
    await form.expectChange(/Type the name/);
    await form.fill({ 'Type the name to confirm': name });
    await form.submit();
    await form.expectClosed();
    await form.close();
  }

  it('shows what goes and what stays, and wants the name exactly', async () => {
    await ops().type('/edge app delete stock-api');
    const form = await ada().expectModal('App delete');
    await form.expectChange(/Type the name/);
    expect(form.text).toMatch(/marked for deletion/);
    expect(form.text).toMatch(/This can’t be undone/);
    expect(form.text).toMatch(/What stays\n• Pull zone [^\n]*308013/);
    expect(form.text).toMatch(
      /What is deleted with it\n[\s\S]*• Volume stock-data \(2 instances of 10\.5 GB, 1 attached/,
    );
    for (const typed of ['stock-apis', 'Stock-api', 'stock', '*']) {
      await form.fill({ 'Type the name to confirm': typed });
      await form.submit();
      expect(form.errors).toEqual({ 'Type the name to confirm': 'That is not the name. Type exactly: stock-api' });
    }
    await form.close();
    expect(deletions()).toEqual([]);
  });

  it('says that it is marked, and offers to look whether it is gone', async () => {
    workspace.platform.fault('deletion=60000');
    await confirmed('webhooks');
    const told = await ops().expectMessage(/webhooks \(\w+\): marked for deletion; cleanup runs in the background/);
    expect(told.text).toMatch(/Once it leaves the list, it is gone\./);
    await told.click('Is it gone?');
    await ops().expectMessage(/webhooks/);
    expect(deletions()).toHaveLength(1);
    workspace.platform.clearFaults();
  });

  it('wants the name from a bare id too, and deletes with nothing but the one request', async () => {
    const spec = await startTestWorkspace({ platform: { specOnly: true, faults: ['deletion=1'] } });
    const id = spec.platform.account.apps.find(({ name }) => name === 'demo')!.id;
    const person = spec.slack.person('ada');
    await person.in('#ops').type(`/edge app delete ${id}`);
    const form = await person.expectModal('App delete');
    await form.expectChange(/Type the name/);
    const isNamed = form.text.includes('demo');
    await form.fill({ 'Type the name to confirm': isNamed ? 'demo' : id });
    await form.submit();
    await person.in('#ops').expectMessage(/marked the application .* for deletion/);
    expect(spec.platform.writes().map(({ method, path }) => `${method} ${path}`)).toEqual([`DELETE /mc/apps/${id}`]);
    await spec.close();
  });

  it('answers where the command was typed, and so does the button of that answer', async () => {
    workspace.platform.fault('drop-after@DELETE /mc/apps*1');
    await ops().type('/edge app delete cart-api --force');
    const form = await ada().expectModal('App delete');
    await form.expectChange(/This can’t be undone/);
    await form.submit();
    await form.expectClosed();
    const told = await ops().expectMessage(/does not show whether it took effect/);
    await told.click('Is it gone?');
    await ops().expectMessage(/applications/);
    workspace.platform.clearFaults();
  });
});
