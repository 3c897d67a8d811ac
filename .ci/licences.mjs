import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Prints those of all packages that are bundled, as they ask for. The playground needs two that are for development. */
const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const bundled = Object.entries(packages).filter(
  ([path, { dev }]) => path !== '' && (dev !== true || /^node_modules\/(preact|ws)$/.test(path)),
);
const texts = bundled.map(([path, { version, license }]) => {
  const file = readdirSync(path).find((name) => /^(licen[cs]e|copying)/i.test(name));
  const text = file === undefined ? '' : `\n${readFileSync(join(path, file), 'utf8').trim()}\n`;
  return `${path.split('node_modules/').at(-1)} ${version}: ${license}\n${text}`;
});
process.stdout.write(`Edgewise has these packages in it.\n\n${texts.join(`\n${'-'.repeat(80)}\n`)}`);
