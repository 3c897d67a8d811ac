import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byHand } from '../support/by-hand.ts';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

/** A hostname of so many characters. */
const hostOf = (length: number) => {
  const labels = `preview-checkout-${length}.${'new-payment-7f3a9c1d.shop-frontend.'.repeat(8)}`;
  return `${labels.slice(0, length - 12).replace(/[.-]$/, 'x')}.example.com`;
};

/** A hostname has up to 253 characters, an option of Slack's up to 150. */
describe('a hostname', () => {
  const LENGTHS = [80, 150, 151, 253];
  let workspace: TestWorkspace;
  beforeAll(async () => {
    workspace = await startTestWorkspace();
    const zone = workspace.platform.account.zones.find(({ Name }) => Name === 'shop')!;
    for (const length of LENGTHS)
      zone.Hostnames.push({ ...zone.Hostnames[0]!, Id: 99_000 + length, Value: hostOf(length), ForceSSL: false });
  });
  afterAll(() => workspace.close());
  const ada = () => workspace.slack.person('ada');

  it.each(LENGTHS)(
    'of %d characters stays in the form that was typed for it, and is sent from there',
    async (length) => {
      const host = hostOf(length);
      expect(host).toHaveLength(length);
      await ada().in('#ops').type(`/edge ssl force ${host}`);
      const form = await ada().expectModal('Force HTTPS', { ready: true });
      expect(form.value('Hostname')).toBe(host);
      await form.fill({ State: 'on' });
      await form.submit();
      await form.expectChange(/Switch force HTTPS on/);
      await form.close();
    },
  );

  const suggestedAndChosen = async (length: number) => {
    await ada().in('#ops').type('/edge certificate request');
    const form = await ada().expectModal(/certificate/i, { ready: true });
    await form.fill({ Hostname: `preview-checkout-${length}` });
    await form.submit();
    await form.expectChange(new RegExp(hostOf(length).slice(0, 70)));
    await form.close();
  };

  it('can be suggested and chosen by somebody who has a hundred answers to share', async () => {
    const client = byHand(workspace.storeFile);
    await client.execute({
      sql: `INSERT INTO results WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 100)
        SELECT 'kept' || n, :id, :team, x'00', :until FROM n`,
      args: { id: ada().id, team: workspace.slack.workspace.team.id, until: Date.now() + 600_000 },
    });
    client.close();
    await suggestedAndChosen(151);
  });

  it.each(LENGTHS)('of %d characters can be chosen where it is suggested', suggestedAndChosen);
});
