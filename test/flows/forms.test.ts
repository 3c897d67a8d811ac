import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

describe('a form', () => {
  let workspace: TestWorkspace;
  const ada = () => workspace.slack.person('ada');
  beforeAll(async () => {
    workspace = await startTestWorkspace();
  });
  afterAll(() => workspace.close());

  async function filled(where: string, command: string, fields: Record<string, string>) {
    await ada()
      .in(where)
      .type(`${where === '@edgewise' ? '' : '/edge '}${command}`);
    const fillIn =
      where === '@edgewise'
        ? await ada()
            .in(where)
            .expectMessage(/needs more/)
        : undefined;
    await fillIn?.click('Fill in');
    const form = await ada().expectModal(`${command[0]?.toUpperCase()}${command.slice(1)}`, { ready: true });
    await form.fill(fields);
    return form;
  }

  it('of a change that is made already says so, and stays with what was filled in', async () => {
    const form = await filled('#ops', 'bot set', { Zone: 'shop', Category: 'Tool', Action: 'none' });
    await form.submit();
    const again = await ada().expectModal(/Bot set/, { ready: true });
    expect(again.text).toMatch(/Action is already/);
    expect(again.text).toContain('Nothing to do. Choose something else, or close this.');
    expect(again.value('Action')).toBe('none');
    await again.close();
  });

  it.each([
    ['#ops', 'errors show', /docs/],
    ['#ops', 'log search', /docs/],
    ['@edgewise', 'zone show', /docs/],
  ])(
    'of a read closes by itself where its answer comes before their eyes: in %s, %s',
    async (where, command, answer) => {
      const form = await filled(where, command, { Zone: 'docs' });
      const before = ada().in(where).messages.length;
      await form.submit();
      await ada().in(where).expectMessage(answer);
      await ada().expectNoModal();
      expect(ada().in(where).messages).toHaveLength(before + 1);
    },
  );

  it('opens again from the answer with all that was filled in, where that could not be done', async () => {
    const form = await filled('#ops', 'errors show', { Zone: 'no-such-zone' });
    await form.submit();
    await ada().expectNoModal();
    const problem = await ada()
      .in('#ops')
      .expectMessage(/no-such-zone/);
    await problem.click('Open the form');
    const again = await ada().expectModal('Errors show');
    expect(again.value('Zone')).toBe('no-such-zone');
    await again.close();

    const mended = workspace.platform.fault('status=500@logging');
    const search = await filled('#ops', 'log search', { Zone: '308001', 'URL contains': '/nowhere' });
    await search.submit();
    const refused = await ada()
      .in('#ops')
      .expectMessage(/\[Open the form\]/);
    mended();
    await refused.click('Open the form');
    const whole = await ada().expectModal('Log search');
    expect(whole.value('URL contains')).toBe('/nowhere');
    await whole.close();
  });

  it('has the name of a zone, and not its number, where a search is narrowed', async () => {
    await ada().in('#ops').type('/edge log search docs');
    await (await ada().in('#ops').expectMessage(/docs/)).click('Narrow …');
    const form = await ada().expectModal('Log search');
    expect(form.value('Zone')).toBe('docs');
    await form.close();
  });

  it('stays where no button could hold what was filled in', async () => {
    const sql = `SELECT '${'x'.repeat(2_000)}'`;
    const form = await filled('#ops', 'database query', { Database: 'no-such-database', SQL: sql });
    await form.submit();
    await form.expectChange(/no-such-database/);
    expect(form.value('SQL')).toBe(sql);
    await form.close();
  });
});
