import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { commandHints, installedApp } from '../../src/playground/app-manifest.ts';
import { createPage } from '../../src/playground/page-server.ts';
import { startTestWorkspace, type TestWorkspace, type TestWorkspaceOptions } from '../support/workspace.ts';
import { describeInBrowser, openBrowser, openPage, type PersonAtPage } from './browser.ts';
import { rowsById } from './rows/by-id.ts';
import { rowsByName } from './rows/by-name.ts';
import { go } from './rows/way.ts';

describeInBrowser('the 16 rows of the platform', () => {
  let browser: Browser;
  let page: Awaited<ReturnType<typeof createPage>>;

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
    };
  }

  describe('by name', () => {
    const at = playground({});

    for (const { row, does, line, form } of rowsByName) {
      const picture = `row-${String(row).padStart(2, '0')}`;
      it(`row ${row} ${does}, from one line`, () => go(at.ada, at.platform, line, `${picture}-line`));
      it(`row ${row} ${does}, ${form.fill ? 'through the form' : 'by its button'}`, () =>
        go(at.ada, at.platform, form, `${picture}-form`));
    }
  });

  describe('by plain ids, on a platform that has nothing but the specification', () => {
    const at = playground({
      platform: { specOnly: true },
      environment({ account }) {
        const [database] = account.databases;
        return {
          PLATFORM_DATABASE_URL: database?.url ?? '',
          PLATFORM_DATABASE_AUTH_TOKEN: database?.seeded.readOnly ?? '',
        };
      },
    });

    for (const { row, does, line, form } of rowsById) {
      const picture = `row-${String(row).padStart(2, '0')}-ids`;
      it(`row ${row} ${does}, from one line`, () => go(at.ada, at.platform, line, `${picture}-line`));
      if (form !== undefined)
        it(`row ${row} ${does}, through the form`, () => go(at.ada, at.platform, form, `${picture}-form`));
    }
  });
});
