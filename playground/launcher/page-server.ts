/** The page of the playground: bundled in memory when it starts, and answered beside the emulator's own paths. */
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
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
  const [bundle, markup, icon] = await Promise.all([
    build({
      entryPoints: { page: `${folder}main.tsx`, style: `${folder}styles/page.css` },
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
    }),
    readFile(`${folder}index.html`, 'utf8'),
    readFile(`${folder}favicon.svg`, 'utf8'),
  ]);
  const bundled = (ending: string): string => bundle.outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? '';
  const files = new Map<string, { type: string; content: () => string }>([
    ['/', { type: 'text/html; charset=utf-8', content: () => markup }],
    ['/page.js', { type: 'text/javascript; charset=utf-8', content: () => bundled('.js') }],
    ['/page.css', { type: 'text/css; charset=utf-8', content: () => bundled('.css') }],
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
