/** The page of the playground, answered beside the emulator's own paths. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import type { PageHints } from '../page/hints.ts';

const folder = fileURLToPath(new URL('../page/', import.meta.url));

/** Nothing from elsewhere runs or is asked; pictures may come from where a block says, as Block Kit's do. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data: https:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const headers = {
  'content-security-policy': policy,
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** Answers a request for one of the page's paths; false when the path is not the page's. */
export type Page = (request: IncomingMessage, response: ServerResponse) => boolean;

/** Builds the page. `hints` is read on every load of it. */
export async function createPage(hints: () => PageHints): Promise<Page> {
  const read = (name: string) => readFile(`${folder}${name}`, 'utf8');
  // A package from npm has the page bundled; a checkout bundles it in memory at each start.
  const { '/page.js': script = '', '/page.css': style = '' } = existsSync(`${folder}page.js`)
    ? { '/page.js': await read('page.js'), '/page.css': await read('page.css') }
    : await bundlePage();
  const [markup, icon] = await Promise.all([read('index.html'), read('favicon.svg')]);
  const files = new Map<string, { type: string; content: () => string }>([
    ['/', { type: 'text/html; charset=utf-8', content: () => markup }],
    ['/page.js', { type: 'text/javascript; charset=utf-8', content: () => script }],
    ['/page.css', { type: 'text/css; charset=utf-8', content: () => style }],
    ['/favicon.svg', { type: 'image/svg+xml', content: () => icon }],
    ['/hints.json', { type: 'application/json; charset=utf-8', content: () => JSON.stringify(hints()) }],
  ]);

  return (request, response) => {
    const file = files.get((request.url ?? '/').split('?')[0] ?? '/');
    if (!file || (request.method !== 'GET' && request.method !== 'HEAD')) return false;
    response.writeHead(200, { ...headers, 'content-type': file.type });
    response.end(request.method === 'HEAD' ? undefined : file.content());
    return true;
  };
}

/** The page's script and style, by their paths. */
export async function bundlePage(): Promise<Record<string, string>> {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: [`${folder}main.tsx`, `${folder}styles/page.css`],
    entryNames: 'page',
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    target: 'es2022',
    outdir: '/',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    tsconfigRaw: {},
    legalComments: 'none',
    logLevel: 'silent',
  });
  return Object.fromEntries(outputFiles.map(({ path, text }) => [path, text]));
}
