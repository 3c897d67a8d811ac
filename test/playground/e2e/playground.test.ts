import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Playground, startPlayground } from '../../../playground/launcher/start.ts';
import { describeInBrowser, openBrowser, openPage, type PersonAtPage } from './browser.ts';

describeInBrowser('the whole way', () => {
  let browser: Browser;
  let playground: Playground;
  let ada: PersonAtPage;

  beforeAll(async () => {
    [browser, playground] = await Promise.all([openBrowser(), startPlayground({ port: 0 })]);
    await playground.bot.start();
    ada = await openPage(browser, { url: playground.url });
  });

  afterAll(async () => {
    await browser.close();
    await playground.close();
  });

  /** A hostname of the account, with a certificate and without forced HTTPS. */
  function hostname() {
    const zone = playground.simulator.account.zones.find(({ Hostnames }) =>
      Hostnames.some(
        ({ ForceSSL, HasCertificate, IsSystemHostname }) => !ForceSSL && HasCertificate && !IsSystemHostname,
      ),
    );
    const found = zone?.Hostnames.find((each) => !each.ForceSSL && each.HasCertificate && !each.IsSystemHostname);
    if (!found) throw new Error('The account has no hostname to switch.');
    return found;
  }

  it('is typed, looked at, pressed, done, and in the audit', async () => {
    const target = hostname();
    await ada.type(`/edge ssl force ${target.Value} on`);
    const preview = await ada.expectMessage('Switch force HTTPS');
    expect(await preview.isEphemeral()).toBe(true);
    expect(target.ForceSSL).toBe(false);
    await ada.screenshot('whole-way-preview');
    await preview.click('Switch on');
    const outcome = await ada.expectMessage('switched force HTTPS');
    expect(await outcome.isEphemeral()).toBe(false);
    expect(target.ForceSSL).toBe(true);
    await ada.type('/edge audit list');
    const audit = await ada.expectMessage(/Audit/i);
    await audit.expectText('switched force HTTPS');
    await ada.screenshot('whole-way-audit');
    expect(playground.simulator.writes()).toHaveLength(1);
  });

  it('goes on where it was after the bot was killed between preview and press', async () => {
    const target = hostname();
    const before = playground.simulator.writes().length;
    await ada.type(`/edge ssl force ${target.Value} on`);
    const preview = await ada.expectMessage('Only you see this.');
    await playground.bot.kill();
    expect(playground.bot.isReady).toBe(false);
    await playground.bot.start();
    await preview.click('Switch on');
    await ada.expectMessage(new RegExp(`switched force HTTPS .*on for ${target.Value.replaceAll('.', '\\.')}`));
    expect(target.ForceSSL).toBe(true);
    expect(playground.simulator.writes()).toHaveLength(before + 1);
  });
});
