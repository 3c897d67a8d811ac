import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { commandHints, installedApp } from '../../../playground/launcher/app-manifest.ts';
import { createPage, type Page } from '../../../playground/launcher/page-server.ts';
import { databaseInSettings } from '../../../playground/launcher/start.ts';
import { startTestWorkspace, type TestWorkspace, type TestWorkspaceOptions } from '../../support/workspace.ts';
import { describeInBrowser, openBrowser, openPage, type PersonAtPage } from './browser.ts';
import { rowsById } from './rows/by-id.ts';
import { rowsByName } from './rows/by-name.ts';
import { definition } from './rows/definition.ts';
import { go, type Step, type Way } from './rows/way.ts';

describeInBrowser('the 16 rows of the platform', () => {
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    [browser, page] = await Promise.all([
      openBrowser(),
      createPage(() => ({ commands: commandHints(), tries: ['/edge help'] })),
    ]);
  });

  afterAll(() => browser.close());

  /** A workspace for a describe, and Ada at its page. */
  function playground(options: TestWorkspaceOptions) {
    const opened: { workspace?: TestWorkspace; ada?: PersonAtPage } = {};
    beforeAll(async () => {
      opened.workspace = await startTestWorkspace({ ...options, slack: { ...installedApp(), page } });
      opened.ada = await openPage(browser, { url: opened.workspace.slack.url, width: 1280, height: 1500 });
    });
    afterAll(async () => {
      await opened.ada?.close();
      await opened.workspace?.close();
      expect(opened.ada?.problems).toEqual([]);
      expect(opened.workspace?.slack.problems).toEqual([]);
    });
    // What a failure leaves open must not fail the next one.
    afterEach(() => opened.ada?.goBackTo('#ops'));
    return {
      get ada() {
        return opened.ada as PersonAtPage;
      },
      get platform() {
        return (opened.workspace as TestWorkspace).platform;
      },
      /** Goes a way, with pictures of these steps (of all of them when none are named). */
      go(way: Way, name: string, steps?: readonly Step[]): Promise<void> {
        return go(this.ada, this.platform, way, async (step) => {
          if (steps === undefined || steps.includes(step)) await this.ada.screenshot(`${name}-${step}`);
        });
      },
    };
  }

  describe('by name', () => {
    const at = playground({ platform: { faults: ['deletion=0'] } });

    for (const { row, does, line, form } of rowsByName) {
      const picture = `row-${String(row).padStart(2, '0')}`;
      it(`row ${row} ${does}, from one line`, () => at.go(line, `${picture}-line`));
      it(`row ${row} ${does}, ${form.fill ? 'through the form' : 'by its button'}`, () =>
        at.go(form, `${picture}-form`));
    }

    it('row 2 replaces a definition that is there, but only when the person says so', async () => {
      const { ada, platform } = at;
      const path = '/shield/shield-zone/5103/api-guardian/spec';
      const sent = () =>
        platform.requests.filter((one) => one.path === path).map(({ method, status }) => [method, status]);
      await ada.attach(definition);
      await ada.type('@edgewise guardian upload api');
      await (await ada.expectMessage('you can then replace it')).click('Confirm');
      const offer = await ada.expectMessage(/Replace .*It expires in 15 minutes/s);
      expect(sent()).toEqual([['POST', 409]]);
      await ada.screenshot('row-02-offer');
      await offer.click('Confirm');
      await ada.expectMessage(/definition of api .* is replaced by checkout\.json.*Schema nodes in all/s);
      expect(sent()).toEqual([
        ['POST', 409],
        ['PATCH', 200],
      ]);
    });
  });

  describe('by plain ids, on a platform that has nothing but the specification', () => {
    const at = playground({
      platform: { specOnly: true, faults: ['deletion=60000'] },
      environment: databaseInSettings,
    });

    for (const { row, does, line, form } of rowsById) {
      const picture = `row-${String(row).padStart(2, '0')}-ids`;
      it(`row ${row} ${does}, from one line`, () => at.go(line, `${picture}-line`, ['2-preview', '4-answer']));
      if (form !== undefined)
        it(`row ${row} ${does}, through the form`, () => at.go(form, `${picture}-form`, ['2-preview', '4-answer']));
    }
  });
});
