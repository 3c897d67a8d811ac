/** `npm run build:playground`: what `npx edgewise playground` runs, where there are no sources and no packages for development. */
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { build } from 'esbuild';
import { bundlePage } from './page-server.ts';

// As deep as this folder, so that addresses by import.meta.url mean the same.
await build({
  entryPoints: ['playground/launcher/main.ts', 'playground/platform/databases/database-process.mjs'],
  entryNames: '[name]',
  outdir: 'dist/playground',
  outExtension: { '.js': '.mjs' },
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  minifyWhitespace: true,
  minifySyntax: true,
  lineLimit: 120,
  external: ['@photostructure/sqlite', 'esbuild'],
  banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
});
await mkdir('dist/page', { recursive: true });
for (const [path, text] of Object.entries(await bundlePage())) await writeFile(`dist/page${path}`, text);
for (const name of ['index.html', 'favicon.svg']) await copyFile(`playground/page/${name}`, `dist/page/${name}`);
