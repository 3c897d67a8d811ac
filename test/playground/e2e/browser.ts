/** A person at the playground's page: opens a Chromium, and says what is done there in the words of the page. */
import { fileURLToPath } from 'node:url';
import type { Browser, Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { chromiumPath } from '../../../playground/picture/chromium.ts';

export { openBrowser } from '../../../playground/picture/chromium.ts';

/** How long a person waits for something on the page, in milliseconds. */
const patience = 20_000;

/** A `describe` that needs a browser. Without one it is skipped by name; in CI that is a failure. */
export function describeInBrowser(title: string, tests: () => void): void {
  if (chromiumPath) describe(title, tests);
  else if (process.env.CI === 'true')
    describe(title, () => {
      it('finds a Chromium', () => {
        throw new Error('There is no Chromium: install one, or say where it is with CHROMIUM_PATH.');
      });
    });
  else describe.skip(`${title} (skipped: no Chromium found, CHROMIUM_PATH says where one is)`, tests);
}

export interface Visit {
  /** The page's address: the emulator's URL. */
  url: string;
  /** `ada`, `ben`, `gus` or `eve`. */
  as?: string;
  /** A channel's name, `dm` or `home`. */
  at?: string;
  width?: number;
  height?: number;
  theme?: 'light' | 'dark';
}

/** Opens the page as somebody, in a window of their own. */
export async function openPage(browser: Browser, visit: Visit): Promise<PersonAtPage> {
  const { url, as = 'ada', at = 'ops', width = 1280, height = 900, theme = 'light' } = visit;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    acceptDownloads: true,
    locale: 'en-US',
  });
  const page = await context.newPage();
  page.setDefaultTimeout(patience);
  const person = new PersonAtPage(page);
  await page.goto(`${url.replace(/\/$/, '')}/#${as}/${at}`);
  await page.locator('.topbar').waitFor();
  return person;
}

/** One window of the page. */
export class PersonAtPage {
  readonly page: Page;
  /** The browser's complaints: errors on the console, exceptions, refused requests. */
  readonly problems: string[] = [];

  constructor(page: Page) {
    this.page = page;
    page.on('console', (message) => {
      if (message.type() === 'error') this.problems.push(message.text());
    });
    page.on('pageerror', (error) => this.problems.push(String(error)));
  }

  get composer(): Locator {
    return this.page.getByRole('textbox', { name: /^Message / });
  }

  /** Types a line into the composer and sends it. */
  async type(line: string): Promise<void> {
    await this.composer.fill(line);
    await this.composer.press('Enter');
  }

  /** Puts a file to what is being written. */
  async attach(file: { name: string; content: string; mimeType?: string }): Promise<void> {
    await this.page.locator('.composer input[type=file]').setInputFiles({
      name: file.name,
      mimeType: file.mimeType ?? 'application/json',
      buffer: Buffer.from(file.content),
    });
    await this.page
      .locator('.composer')
      .getByRole('button', { name: `Remove ${file.name}` })
      .waitFor();
  }

  /** Waits for the newest message with this text, in the channel. */
  async expectMessage(text: string | RegExp): Promise<MessageOnPage> {
    const message = this.page.locator('section.channel article.message').filter({ hasText: text }).last();
    await message.waitFor();
    return new MessageOnPage(this.page, message);
  }

  /** Says that no message with this text is shown. */
  async expectNoMessage(text: string | RegExp): Promise<void> {
    expect(await this.page.locator('article.message').filter({ hasText: text }).count()).toBe(0);
  }

  /** Waits for the modal on top; with a title, for that one. */
  async expectModal(title?: string | RegExp): Promise<ModalOnPage> {
    const all = this.page.locator('dialog.modal');
    const modal = title === undefined ? all : all.filter({ has: this.page.getByRole('heading', { name: title }) });
    await modal.waitFor();
    return new ModalOnPage(this.page, modal);
  }

  /** Waits until no modal is open. */
  async expectNoModal(): Promise<void> {
    await this.page.locator('dialog.modal').waitFor({ state: 'detached' });
  }

  /** The side panel with a thread. */
  async expectThread(): Promise<ThreadOnPage> {
    const panel = this.page.locator('aside.thread');
    await panel.waitFor();
    return new ThreadOnPage(this.page, panel);
  }

  /** Answers the confirm dialog with the button of this name. */
  async answer(button: string): Promise<void> {
    await this.page.locator('dialog.confirm').getByRole('button', { name: button, exact: true }).click();
  }

  /** Goes to a channel (`#ops`), the direct message (the bot's name) or the home (`Edgewise home`) by the sidebar. */
  async go(destination: string): Promise<void> {
    await this.page
      .locator('.sidebar')
      .getByRole('button', { name: destination.replace(/^#/, '') })
      .first()
      .click();
  }

  /** Closes whatever is open and goes to a channel. */
  async goBackTo(destination: string): Promise<void> {
    for (const modal of await this.page.locator('dialog.modal').all()) {
      await modal.getByRole('button', { name: 'Close', exact: true }).first().click();
      await this.expectNoModal();
    }
    await this.go(destination);
  }

  /** Becomes somebody else with the switch. */
  async become(name: string): Promise<void> {
    await this.page.getByRole('button', { name: /Switch person/ }).click();
    await this.page.getByRole('menuitemradio', { name: new RegExp(`@${name}\\b`) }).click();
    await this.page.waitForURL((url) => url.hash.startsWith(`#${name}/`));
  }

  /** A picture under test/playground/e2e/screenshots, to be looked at. */
  async screenshot(name: string): Promise<void> {
    const path = fileURLToPath(new URL(`screenshots/${name}.png`, import.meta.url));
    await this.page.screenshot({ path, animations: 'disabled' });
  }

  async close(): Promise<void> {
    await this.page.context().close();
  }
}

/** Anything with blocks: a message, a modal, the home. */
class Surface {
  readonly page: Page;
  readonly locator: Locator;

  constructor(page: Page, locator: Locator) {
    this.page = page;
    this.locator = locator;
  }

  text(): Promise<string> {
    return this.locator.innerText();
  }

  /** Waits until it says this. */
  async expectText(text: string | RegExp): Promise<void> {
    await this.locator.getByText(text).first().waitFor();
  }

  /** Presses a button by its label. */
  async click(button: string | RegExp): Promise<void> {
    await this.locator.getByRole('button', { name: button, exact: true }).click();
  }

  /** Chooses in a select, found by its label or placeholder; `query` is typed first where options come from outside. */
  async choose(label: string, option: string | RegExp, query = ''): Promise<void> {
    await this.locator.getByRole('combobox', { name: label }).click();
    if (query !== '') await this.page.getByRole('combobox', { name: `Search ${label}` }).fill(query);
    await this.page.getByRole('option', { name: option }).first().click();
  }

  /** Chooses in an overflow menu. */
  async choosePoint(option: string): Promise<void> {
    await this.locator.getByRole('button', { name: 'More actions' }).click();
    await this.page.getByRole('menuitem', { name: option }).click();
  }

  /** Ticks a checkbox or a radio button. */
  async check(option: string): Promise<void> {
    const named = { name: option, exact: true };
    await this.locator.getByRole('checkbox', named).or(this.locator.getByRole('radio', named)).check();
  }
}

export class MessageOnPage extends Surface {
  isEphemeral(): Promise<boolean> {
    return this.locator.evaluate((element) => element.classList.contains('ephemeral'));
  }

  /** Opens its thread. */
  async openThread(): Promise<void> {
    await this.locator.hover();
    await this.locator.getByRole('button', { name: 'Reply in thread' }).click();
  }

  /** Downloads an attached file and gives its content. */
  async download(name: string): Promise<{ name: string; content: string }> {
    const waiting = this.page.waitForEvent('download');
    await this.locator.getByRole('link', { name: `Download ${name}` }).click();
    const download = await waiting;
    const pieces: Buffer[] = [];
    for await (const piece of await download.createReadStream()) pieces.push(piece as Buffer);
    return { name: download.suggestedFilename(), content: Buffer.concat(pieces).toString() };
  }
}

export class ModalOnPage extends Surface {
  /** Fills a text, number or date field by its label. */
  async fill(label: string, value: string): Promise<void> {
    await this.locator
      .getByRole('textbox', { name: label })
      .or(this.locator.getByLabel(label, { exact: true }))
      .first()
      .fill(value);
  }

  /** Gives a file to a file input. */
  async attach(label: string, file: { name: string; content: string; mimeType?: string }): Promise<void> {
    await this.locator.locator(`input[type=file][aria-label="${label}"]`).setInputFiles({
      name: file.name,
      mimeType: file.mimeType ?? 'application/json',
      buffer: Buffer.from(file.content),
    });
    await this.locator.getByRole('button', { name: `Remove ${file.name}` }).waitFor();
  }

  /** Presses the submit button. */
  async submit(): Promise<void> {
    await this.locator.locator('button[type=submit]').click();
  }

  /** The complaints, at the fields and on top. */
  async errors(): Promise<string[]> {
    const all = this.locator.locator('.field-error, .alert-error');
    await all.first().waitFor();
    return all.allInnerTexts();
  }

  async cancel(): Promise<void> {
    await this.locator.locator('.dialog-foot .button').first().click();
  }
}

export class ThreadOnPage {
  readonly page: Page;
  readonly locator: Locator;

  constructor(page: Page, locator: Locator) {
    this.page = page;
    this.locator = locator;
  }

  async type(line: string): Promise<void> {
    const composer = this.locator.getByRole('textbox', { name: 'Reply…' });
    await composer.fill(line);
    await composer.press('Enter');
  }

  async expectMessage(text: string | RegExp): Promise<MessageOnPage> {
    const message = this.locator.locator('article.message').filter({ hasText: text }).last();
    await message.waitFor();
    return new MessageOnPage(this.page, message);
  }
}
