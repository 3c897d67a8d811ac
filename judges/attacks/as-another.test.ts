import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestWorkspace } from '../../test/support/workspace.ts';
import { startUnder } from './under.ts';

const POLICY = `
roles:
  admins:
    allow: ['*']
  everybody:
    allow:
      - operations: [zone show, errors show, bot set]
        where: { zone: shop* }
`;

/** What somebody else may read must not come back to whoever hands a command to them. */
describe('Somebody who wants to read with the eyes of whom they ask', () => {
  let workspace: TestWorkspace;
  beforeAll(async () => {
    workspace = await startUnder(POLICY);
  });
  afterAll(() => workspace.close());

  async function handOn(line: string) {
    const ben = workspace.slack.person('ben').in('#ops');
    await ben.type(`/edge ${line}`);
    const refusal = await ben.expectMessage(/You may not run/);
    expect(refusal.buttons).toEqual(['Ask ada to do it']);
    const before = ben.messages.length;
    await refusal.click('Ask ada to do it');
    await expect.poll(() => ben.messages.length).toBeGreaterThan(before);
    return ben.messages.at(-1)!.text;
  }

  it.each(['zone show legacy-blgo', 'zone show nothing-like-it', 'zone show legacy-blog'])('by “%s”', async (line) => {
    expect(await handOn(line)).toMatch(/^@ada has the filled-in command now, and decides\.$/);
  });
});
