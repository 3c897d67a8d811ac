import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { installedApp } from '../../playground/launcher/app-manifest.ts';
import { createPage } from '../../playground/launcher/page-server.ts';
import { databaseInSettings } from '../../playground/launcher/start.ts';
import { describeInBrowser, openBrowser, openPage, type PersonAtPage } from '../../test/playground/e2e/browser.ts';
import { CONFIRM } from '../../test/support/changes.ts';
import { startTestWorkspace, type TestWorkspace, type TestWorkspaceOptions } from '../../test/support/workspace.ts';
import { endpointsById } from './by-id.ts';
import { endpointsByName } from './by-name.ts';
import { definition } from './definition.ts';
import { go, type Step, type Way } from './way.ts';

/** A workspace for a describe, and Ada at its page. */
function usePlayground(options: TestWorkspaceOptions) {
  const opened: { browser?: Browser; workspace?: TestWorkspace; ada?: PersonAtPage } = {};
  beforeAll(async () => {
    const hints = () => ({ tries: ['/edge help'] });
    const [browser, page] = await Promise.all([openBrowser(), createPage(hints)]);
    opened.browser = browser;
    opened.workspace = await startTestWorkspace({ ...options, slack: { ...installedApp(), page } });
    opened.ada = await openPage(browser, { url: opened.workspace.slack.url, width: 1280, height: 1500 });
  });
  afterAll(async () => {
    await opened.ada?.close();
    await opened.workspace?.close();
    await opened.browser?.close();
    expect(opened.ada?.problems).toEqual([]);
    expect(opened.workspace?.slack.problems).toEqual([]);
  });
  // A modal that a failure leaves open must not fail the next test.
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

/** The name of the pictures of what the bot does: `lists-the-api-keys`. */
const pictureOf = (does: string): string => does.toLowerCase().replaceAll(/[^a-z]+/g, '-');

describeInBrowser('by the names of the account, the bot', () => {
  const at = usePlayground({ platform: { faults: ['deletion=0'] } });

  for (const { endpoint, does, line, form } of endpointsByName) {
    const picture = pictureOf(does);
    it(`${does} by ${endpoint}, from one line`, () => at.go(line, `${picture}-line`));
    it(`${does} by ${endpoint}, ${form.fill ? 'through the form' : 'by its button'}`, () =>
      at.go(form, `${picture}-form`));
  }

  it('replaces a definition that is there, and says so first', async () => {
    const { ada, platform } = at;
    const path = '/shield/shield-zone/5103/api-guardian/spec';
    const sent = () =>
      platform.requests.filter((one) => one.path === path).map(({ method, status }) => [method, status]);
    await ada.attach(definition);
    await ada.type('@edgewise guardian upload api');
    const preview = await ada.expectMessage(/Replace .*this one replaces it.*can be confirmed until/s);
    await ada.screenshot('replaces-a-definition');
    await preview.click(CONFIRM);
    await ada.expectMessage(/replaced the OpenAPI definition of api.*checkout\.json.*Schema nodes in all/s);
    expect(sent()).toEqual([['PATCH', 200]]);
  });
});

describeInBrowser('by plain ids, on a platform that has nothing but the specification, the bot', () => {
  const at = usePlayground({
    platform: { specOnly: true, faults: ['deletion=60000'] },
    environment: databaseInSettings,
  });

  for (const { endpoint, does, line, form } of endpointsById) {
    const picture = `${pictureOf(does)}-ids`;
    it(`${does} by ${endpoint}, from one line`, () => at.go(line, `${picture}-line`, ['2-preview', '4-answer']));
    if (form !== undefined)
      it(`${does} by ${endpoint}, through the form`, () => at.go(form, `${picture}-form`, ['2-preview', '4-answer']));
  }
});
