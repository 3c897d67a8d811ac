import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

const [DORA, LOCAL] = ['W0DORA00006', 'U0DORA00006'];
const LINE = '/edge ssl force cdn.example.com on';

/** On Enterprise Grid somebody has one id in the organisation, and perhaps another one in a workspace. */
describe('one person with two ids', () => {
  let workspace: TestWorkspace | undefined;
  let folder: string | undefined;
  afterEach(async () => {
    await workspace?.close();
    if (folder !== undefined) rmSync(folder, { recursive: true });
    [workspace, folder] = [undefined, undefined];
  });

  /** Dora acts by either id; `leads` has the one of the workspace. */
  async function start(policy?: string, environment: Record<string, string> = {}) {
    folder = mkdtempSync(join(tmpdir(), 'edgewise-policy-'));
    writeFileSync(join(folder, 'policy.yml'), policy ?? '');
    workspace = await startTestWorkspace({
      environment: { ...(policy === undefined ? {} : { POLICY_FILE: join(folder, 'policy.yml') }), ...environment },
      slack: {
        workspace: {
          grid: 'workspace',
          users: [
            { name: 'dora', id: DORA },
            { name: 'dora-here', id: LOCAL, enterpriseUserId: DORA },
          ],
          channels: [{ name: 'ops', members: ['ada', 'ben', 'dora', 'dora-here'] }],
          userGroups: [
            { handle: 'leads', members: ['dora-here'] },
            { handle: 'whole', members: ['dora'] },
          ],
        },
      },
    });
  }
  const at = (name: string) => workspace!.slack.person(name).in('#ops');
  const role = (who: string) => `
roles:
  shop:
    ${who}
    allow: [ssl force]
`;

  for (const [what, who] of [
    ['a group lists the id of the workspace', "groups: ['@leads']"],
    ['a group lists the id of the organisation', "groups: ['@whole']"],
    ['the policy names the id of the workspace', `people: [${LOCAL}]`],
    ['the policy names the id of the organisation', `people: [${DORA}]`],
  ] as const)
    it.each(['dora', 'dora-here'])(`may what the role allows where ${what}: as %s`, async (name) => {
      await start(role(who));
      await at(name).type(LINE);
      await at(name).expectMessage(/Force HTTPS/);
    });

  it.each(['dora', 'dora-here'])('is the admin whom the settings name by the other id: as %s', async (name) => {
    await start(undefined, { EDGEWISE_ADMINS: name === 'dora' ? LOCAL : DORA });
    await at(name).type(LINE);
    await at(name).expectMessage(/Force HTTPS/);
  });

  it('is nobody else: another member stays refused, and is told one name to ask', async () => {
    await start(role(`people: [${LOCAL}, ${DORA}]`));
    await at('ben').type(LINE);
    const refusal = await at('ben').expectMessage(/You may not run ssl force/);
    expect(refusal.text.match(/@dora/g)).toHaveLength(1);
  });

  /** Somebody asks for the change, which two others have to approve; answers with the card as `reader` has it. */
  async function asked(by: string, reader: string) {
    await start(`${role(`people: [${LOCAL}, W0ADA000001]`)}
approval:
  - operations: [ssl force]
    approvers: { people: [${LOCAL}, ${DORA}, W0BEN000002] }
    count: 2
`);
    await at(by).type(LINE);
    await (await at(by).expectMessage(/🔒 Needs/u)).click('Ask for approval …');
    const form = await workspace!.slack.person(by).expectModal('Ask for approval');
    await form.fill({ 'Why? The approvers read it.': 'The certificate is there' });
    await form.submit();
    return at(reader).expectMessage(/wants to/);
  }

  it('cannot approve by one id what they asked for by the other', async () => {
    const card = await asked('dora-here', 'dora');
    await card.click('Approve');
    await at('dora').expectMessage(/nobody approves their own request/);
    expect(workspace!.platform.writes()).toEqual([]);
  });

  it('is one of two who have to approve, not both', async () => {
    const card = await asked('ada', 'dora');
    await card.click('Approve');
    await card.expectChange(/one more|needs one/);
    const again = at('dora-here').messages.find(({ ts }) => ts === card.ts)!;
    await again.click('Approve');
    await at('dora-here').expectMessage(/[\s\S]/);
    expect(card.buttons).toContain('Approve');
  });

  it.each([
    ['a mention of one id', `<@${LOCAL}>`],
    ['a mention of the other', `<@${DORA}>`],
    ['an id', LOCAL],
  ])('is one in the audit, by %s', async (_, typed) => {
    await start(undefined, { EDGEWISE_ADMINS: `W0ADA000001,${DORA}` });
    await at('dora').type('/edge ssl force nothing.example.com on');
    await at('dora').expectMessage(/nothing\.example\.com/);
    await at('dora-here').type('/edge zone list');
    await at('dora-here').expectMessage(/shop/);
    await at('dora').type(`/edge audit list --actor ${typed} --limit 5 --reads`);
    const shown = await at('dora').expectMessage(/Audit: .*, newest first/);
    expect(shown.text).toMatch(/zone list/);
  });
});
