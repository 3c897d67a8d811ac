/** `npm run check -- picture`: writes docs/preview.png, the picture of the README, from today's messages. */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { chromiumPath } from './chromium.ts';
import { withText } from './png-text.ts';
import { takePicture } from './take-picture.ts';

/** Where the picture is, from the root of the repository. */
const path = fileURLToPath(new URL('../../docs/preview.png', import.meta.url));
/** GitHub shows it to everybody who opens the page. */
const MOST_BYTES = 300_000;

if (chromiumPath === undefined) throw new Error('There is no Chromium: CHROMIUM_PATH says where one is.');
const { png, text } = await takePicture();
const written = withText(png, text);
if (written.length > MOST_BYTES) throw new Error(`The picture has ${written.length} bytes, more than ${MOST_BYTES}.`);
await writeFile(path, written);
console.log(`${path}: ${written.length} bytes`);
