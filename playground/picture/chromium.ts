/** The Chromium of this machine, for pictures of the page and for the browser tests. */
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const candidates = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** Where a Chromium is on this machine; CHROMIUM_PATH says so first. */
export const chromiumPath = candidates.find((path) => path !== undefined && existsSync(path));

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The same letters and colours whatever the machine would do about its screen. */
const STEADY = ['--font-render-hinting=none', '--force-color-profile=srgb', '--disable-lcd-text'];

/** A headless Chromium; `isSteady` for pictures that are compared. */
export function openBrowser({ isSteady = false } = {}): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumPath ?? '', args: isSteady ? [...flags, ...STEADY] : flags });
}
