import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONFIRM } from '../../test/support/changes.ts';
import type { TestWorkspace } from '../../test/support/workspace.ts';
import { startUnder } from './under.ts';

const POLICY = `
roles:
  everybody: { allow: [] }
  reporters:
    people: [U0BEN000002]
    allow:
      - operations: [report run, report subscribe]
        where: { zones: 'shop*' }
      - operations: [report mute, report unsubscribe]
`;

describe('Somebody who may have reports of shop* alone, and wants', () => {
  let workspace: TestWorkspace;
  const ops = (name: string) => workspace.slack.person(name).in('#ops');

  beforeAll(async () => {
    workspace = await startUnder(POLICY);
    await ops('ada').type('/edge report subscribe daily-statistics "every day at 9:00"');
    const preview = await ops('ada').expectMessage(/Next runs: /);
    await preview.click(CONFIRM);
    await preview.expectGone();
    await ops('ben').expectMessage(/subscribed .* to daily-statistics/);
  });
  afterAll(() => workspace.close());

  it.each(['shop,legacy-blog', 'shop,*', 'shop*,308009', '*', 'all', 'ſhop', 'shop,ſhop'])(
    'those of other zones by --zones %s',
    async (zones) => {
      for (const line of ['report run daily-statistics', 'report subscribe daily-statistics "every day at 9:00"']) {
        await ops('ben').type(`/edge ${line} --zones ${zones}`);
        const refusal = await ops('ben').expectMessage(/^You may not run report/);
        expect(refusal.text).not.toContain('main-site');
      }
    },
  );

  it('those of all zones by leaving them out, and has those of their own', async () => {
    await ops('ben').type('/edge report run daily-statistics');
    await ops('ben').expectMessage(/^You may not run report run/);
    await ops('ben').type('/edge report run daily-statistics --zones shop');
    await ops('ben').expectMessage(/, 2026: /);
  });

  it.each(['report run', 'report mute', 'report unsubscribe'])(
    'to learn by %s what others subscribed',
    async (name) => {
      const more = name === 'report mute' ? ' 1d' : '';
      const answers = [];
      for (const number of [1, 9]) {
        await ops('ben').type(`/edge ${name} ${number}${more}`);
        const { text } = await ops('ben').expectMessage(/./);
        answers.push(text.replaceAll(String(number), '…'));
      }
      expect(answers[0]).toMatch(/There is no subscription/);
      expect(answers[0]).toBe(answers[1]);
    },
  );

  it.each([
    ['ben', false],
    ['ada', true],
  ])('to have suggested what others subscribed: as %s they are offered it: %s', async (name, isOffered) => {
    const somebody = workspace.slack.person(name);
    await ops(name).type('/edge report unsubscribe');
    const form = await somebody.expectModal(/./, { ready: true });
    const known = workspace.slack.deliveries.length;
    await form.select('Subscription', '1').catch(() => undefined);
    const { payload } = workspace.slack.deliveries.slice(known).find((one) => one.payload.type === 'block_suggestion')!;
    const { text } = await workspace.slack.signedRequest({ payload: { ...payload, value: '' } });
    expect(text.includes('daily-statistics')).toBe(isOffered);
    await form.close();
  });
});
