import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { textIn, withText } from '../../playground/picture/png-text.ts';
import { takePicture } from '../../playground/picture/take-picture.ts';
import { describeInBrowser } from '../../test/playground/e2e/browser.ts';

const path = new URL('../../docs/preview.png', import.meta.url);

it('a text that was put into a picture is read from it again', () => {
  const png = readFileSync(path);
  expect(textIn(withText(png, ''))).toBe(textIn(png));
  // The smallest whole PNG: its signature and its end.
  const empty = Buffer.from('89504e470d0a1a0a0000000049454e44ae426082', 'hex');
  expect(textIn(empty)).toBeUndefined();
  expect(textIn(withText(empty, 'off → on'))).toBe('off → on');
});

describeInBrowser('the picture of the README', () => {
  it('shows the messages of today: `npm run check -- picture` makes it anew', async () => {
    const { text, png } = await takePicture();
    expect(textIn(readFileSync(path))).toBe(text);
    expect(png.length).toBeLessThan(300_000);
  });
});
