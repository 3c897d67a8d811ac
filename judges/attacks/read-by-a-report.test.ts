import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestWorkspace } from '../../test/support/workspace.ts';
import { startUnder } from './under.ts';

const POLICY = `
roles:
  admins:
    allow: ['*']
  everybody:
    allow: [report *, changes list]
`;

describe('somebody wants to read by a report what a command does not tell them', () => {
  let workspace: TestWorkspace;
  const start = performance.now();
  let ahead = 0;
  const now = () => new Date(Date.parse('2026-11-20T07:46:00Z') + ahead + performance.now() - start);

  beforeAll(async () => {
    workspace = await startUnder(POLICY, { now, socket: true });
    await workspace.slack.connected();
    for (const _ of ['the origin and a key', 'scrapers']) workspace.platform.byHand();
    ahead = 4 * 60_000;
  });
  afterAll(() => workspace.close());

  it.each(['changes list', 'report run changes', 'report subscribe changes "every 5 minutes"'])(
    'who changed what elsewhere, without the right to read the audit: %s',
    async (line) => {
      const ben = workspace.slack.person('ben').in('#ops');
      await ben.type(`/edge ${line}`);
      const answer = await ben.expectMessage(/./);
      expect(answer.text).toMatch(/audit list/);
      expect(answer.text).not.toMatch(/Somebody else|User \d|Next runs/);
    },
  );

  it('who changed what elsewhere, with that right', async () => {
    const ada = workspace.slack.person('ada').in('#ops');
    await ada.type('/edge report run changes');
    await ada.expectMessage(/Somebody else \(User 52317\)/);
  });
});
