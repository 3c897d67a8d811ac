import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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

  it.each([80, 150])('of %d characters can be chosen where it is suggested', suggestedAndChosen);
});
