import { createRequire } from 'node:module';
import type { webApi } from '@slack/bolt';
import type { AnyBlock, ImageBlock } from '@slack/types';
import type { Logger } from 'pino';
import { type ChartBlock, chartAsText, isChart } from '../../blocks/chart.ts';
import { chartAsSvg } from '../../blocks/chart-svg.ts';
import { shorten } from '../../blocks/limits.ts';
import { meansOf } from '../refusals.ts';
import { type KnownSurfaces, noteNever, refusedOn } from './refused-blocks.ts';

/** Slack looks at a file before it may be shown: asked so often, so many milliseconds apart. */
const LOOKS = 12;
const APART = 400;
const MOST_ALT_TEXT = 2000;

/** The type of the block that shows a picture. */
const PICTURE = 'image';

interface PictureServices {
  interactive: webApi.WebClient;
  surfaces: KnownSurfaces;
  wait(milliseconds: number): Promise<void>;
  log: Logger;
}

/** The blocks with a picture in the place of each chart, for where Slack's own cannot go. */
export function withPictures(services: PictureServices, blocks: readonly AnyBlock[]): Promise<AnyBlock[]> {
  return Promise.all(blocks.map((block) => withPicture(services, block)));
}

/** A picture in the place of a chart. Any other block, and a chart that cannot be drawn or shown, stays as it is. */
export async function withPicture(services: PictureServices, block: AnyBlock): Promise<AnyBlock> {
  const { surfaces, log } = services;
  if (!isChart(block) || refusedOn(surfaces, 'upload').has(PICTURE)) return block;
  try {
    return await pictureOf(services, block);
  } catch (error) {
    // The workspace takes no pictures: the next chart need not be drawn for nothing.
    if (meansOf(error)?.kind === 'permission') noteNever(surfaces, 'upload', PICTURE);
    log.warn({ err: error }, 'a chart could not be shown as a picture');
    return block;
  }
}

/** A chart as a picture; `uploaded` is told of its file before Slack has looked at it. Throws what Slack says. */
export async function pictureOf(
  { interactive, wait, uploaded }: Pick<PictureServices, 'interactive' | 'wait'> & { uploaded?(id: string): void },
  block: ChartBlock,
): Promise<ImageBlock> {
  const file = await pngOf(chartAsSvg(block));
  const answer = await interactive.filesUploadV2({ file, filename: 'chart.png', title: block.title });
  const id = (answer.files as { files?: { id?: string }[] }[])[0]?.files?.[0]?.id;
  if (id === undefined) throw new Error('Slack named no file');
  uploaded?.(id);
  for (let look = 1; ; look += 1) {
    const { file: known } = await interactive.files.info({ file: id });
    // Empty until Slack has looked at it; a message that shows it before is refused.
    if (known?.mimetype !== undefined && known.mimetype !== '') break;
    if (look === LOOKS) throw new Error('Slack took too long with a picture');
    await wait(APART);
  }
  return { type: 'image', slack_file: { id }, alt_text: shorten(chartAsText(block), MOST_ALT_TEXT) };
}

const fontFiles = ['DejaVuSans.ttf', 'DejaVuSans-Bold.ttf'].map((name) =>
  createRequire(import.meta.url).resolve(`dejavu-fonts-ttf/ttf/${name}`),
);

/** Off the main thread, twice as large for dense screens, and with fonts of its own: containers have none. */
async function pngOf(svg: string): Promise<Buffer> {
  const { renderAsync } = await import('@resvg/resvg-js');
  const font = { fontFiles, loadSystemFonts: false, defaultFontFamily: 'DejaVu Sans' };
  const image = await renderAsync(svg, { fitTo: { mode: 'zoom', value: 2 }, font });
  return image.asPng();
}
