/** The picture of a change: a preview with its buttons, and under it the outcome in the channel. */
import type { Browser, Locator, Page } from 'playwright-core';
import { type Playground, startPlayground } from '../launcher/start.ts';
import { openBrowser } from './chromium.ts';

/** A picture with its text. */
export interface Picture {
  png: Buffer;
  /** The text of the messages, as a person reads it. */
  text: string;
}

/** Every message of the picture was written at this moment. */
const NOW = new Date('2026-11-18T10:07:30Z');
/** The window, in pixels of CSS; the picture has two for each. */
const WIDTH = 900;
const HEIGHT = 900;
/** Room around the messages. */
const MARGIN = 24;
const HOSTNAME = 'shop.example.com';

/** Starts a playground, does the change in it, and takes the picture. */
export async function takePicture(): Promise<Picture> {
  const [browser, playground] = await Promise.all([
    openBrowser({ isSteady: true }),
    startPlayground({ port: 0, now: () => NOW }),
  ]);
  try {
    await playground.bot.start();
    const page = await openPage(browser, playground);
    await askByLine(page);
    await changeByForm(page);
    await fixTimes(page);
    await fitToMessages(page);
    const messages = await page.locator('.channel article.message').allInnerTexts();
    return { png: await page.screenshot({ animations: 'disabled' }), text: messages.join('\n\n') };
  } finally {
    await browser.close();
    await playground.close();
  }
}

/** The bot's own clock goes on: what it says until when is a quarter of an hour after the picture's moment. */
async function fixTimes(page: Page): Promise<void> {
  await page.locator('.channel article.message time:not(.message-time)').evaluateAll((all) => {
    for (const one of all) one.textContent = 'today at 11:22 AM';
  });
}

async function openPage(browser: Browser, { url }: Playground): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: WIDTH, height: HEIGHT },
    deviceScaleFactor: 2,
    colorScheme: 'light',
    locale: 'en-US',
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  await page.clock.setFixedTime(NOW);
  await page.goto(`${url}/#ada/ops`);
  return page;
}

/** Types the command, and leaves its preview unpressed: pressed, it would go away. */
async function askByLine(page: Page): Promise<void> {
  const composer = page.getByRole('textbox', { name: 'Message #ops' });
  await composer.fill(`/edge ssl force ${HOSTNAME} on`);
  await composer.press('Enter');
  await messageWith(page, 'Switch on').waitFor();
}

/** Does the same change through the form, so that the channel hears of it. */
async function changeByForm(page: Page): Promise<void> {
  const composer = page.getByRole('textbox', { name: 'Message #ops' });
  await composer.fill('/edge ssl force');
  await composer.press('Enter');
  const form = page.locator('dialog.modal');
  await choose(page, 'Hostname', HOSTNAME);
  await choose(page, 'State', 'on');
  await form.locator('button[type=submit]').click();
  await form.getByRole('button', { name: 'Switch on', exact: true }).click();
  await form.waitFor({ state: 'detached' });
  await messageWith(page, 'Undo').waitFor();
}

async function choose(page: Page, field: string, option: string): Promise<void> {
  await page.locator('dialog.modal').getByRole('combobox', { name: field }).click();
  await page.getByRole('combobox', { name: `Search ${field}` }).fill(option);
  await page.getByRole('option', { name: option }).first().click();
}

/** The message that has this button. */
function messageWith(page: Page, button: string): Locator {
  return page
    .locator('.channel article.message')
    .filter({ has: page.getByRole('button', { name: button, exact: true }) });
}

/** Makes the window as high as its messages, and takes the focus and the pointer away. */
async function fitToMessages(page: Page): Promise<void> {
  const messages = page.locator('.channel article.message');
  const boxes = [messages.first(), messages.last(), page.locator('.channel .list')].map((each) => each.boundingBox());
  const [first, last, list] = await Promise.all(boxes);
  if (!first || !last || !list) throw new Error('The messages are not shown.');
  const wanted = last.y + last.height - first.y + MARGIN;
  await page.setViewportSize({ width: WIDTH, height: Math.round(HEIGHT - list.height + wanted) });
  await page.mouse.move(0, 0);
  await page.evaluate('document.activeElement.blur()');
  await page.evaluate('document.querySelector(".channel .list").scrollTop = 1e6');
}
