import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestWorkspace } from '../../support/workspace.ts';
import { startUnder } from './under.ts';

const POLICY = `
roles:
  admins:
    allow: ['*']
  everybody:
    allow:
      - status
      - operations: [zone show, ssl force, bot set]
        where: { zone: shop* }
`;

/** Names that ben may not read anywhere. */
describe('Somebody who wants to read the names of what the policy hides', () => {
  let workspace: TestWorkspace;
  const ben = () => workspace.slack.person('ben');
  const ops = () => ben().in('#ops');
  let hidden: string[] = [];
  let blog: TestWorkspace['platform']['account']['zones'][number];

  beforeAll(async () => {
    workspace = await startUnder(POLICY, {
      slack: { workspace: { channels: [{ name: 'board-only', members: ['ada'], isPrivate: true }] } },
    });
    const { zones } = workspace.platform.account;
    blog = zones.find(({ Name }) => Name === 'legacy-blog')!;
    hidden = zones.filter(({ Name }) => !Name!.startsWith('shop')).map(({ Name }) => Name!);
    expect(hidden.length).toBeGreaterThan(5);
    const ada = workspace.slack.person('ada').in('#board-only');
    await ada.type('/edge report subscribe daily-statistics "weekdays at 9:00"');
    const preview = await ada.expectMessage(/The next 5 runs/);
    await preview.click('Confirm');
    await preview.expectChange(/Done\./);
  });
  afterAll(() => workspace.close());
  beforeEach(() => expect(workspace.slack.problems).toEqual([]));

  const names = (text: string) => hidden.filter((name) => new RegExp(`\\b${name}\\b`).test(text));

  it.each(['o', 'b', 'blo', 'blgo', 'main', 'e'])('types “%s” and reads the near misses', async (typed) => {
    for (const line of [`zone show ${typed}`, `can-i zone show ${typed}`]) {
      await ops().type(`/edge ${line}`);
      const answer = await ops().expectMessage(/There is no|matches several|You may not|No, you may not|shop/);
      expect(names(answer.text), answer.text).toEqual([]);
    }
  });

  it('types an id and reads what it is called', async () => {
    for (const line of ['zone show ', 'can-i zone show ', 'bot set zone:']) {
      await ops().type(`/edge ${line}${blog.Id}${line.startsWith('bot') ? ' social block' : ''}`);
      const answer = await ops().expectMessage(/ou may not|no shield zone/);
      expect(names(answer.text), answer.text).toEqual([]);
    }
  });

  it('types a hostname with another zone, and reads whose it is', async () => {
    const shop = workspace.platform.account.zones.find(({ Name }) => Name === 'shop')!;
    const [theirs] = blog.Hostnames;
    for (const line of [
      `ssl force ${theirs!.Value} on --zone ${shop.Id}`,
      `ssl force ${theirs!.Value}@${shop.Id} on`,
      `ssl force ${shop.Hostnames[0]!.Value}@${blog.Id} on --zone ${shop.Id}`,
      `ssl force x${theirs!.Value} on`,
    ]) {
      await ops().type(`/edge ${line}`);
      const answer = await ops().expectMessage(/not|No pull zone|names the zone/);
      expect(names(answer.text.replaceAll(theirs!.Value, '')), answer.text).toEqual([]);
    }
  });

  it('may not list the subscriptions, and reads on the Home tab where reports go', async () => {
    await ben().openHome();
    const home = await ben().expectHome(/Edgewise operates/);
    expect(home.text).not.toMatch(/daily-statistics|board-only|Subscriptions/);
    await workspace.slack.person('ada').openHome();
    await workspace.slack.person('ada').expectHome(/Subscriptions[\s\S]*daily-statistics/);
  });
});
