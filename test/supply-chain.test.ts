import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');

interface Locked {
  version: string;
  integrity?: string;
  resolved?: string;
  license?: string;
  dev?: true;
  hasInstallScript?: true;
}

/** Licences that leave whoever runs or passes on the bot free to do so, unchanged packages in it. */
const ALLOWED = new Set(['MIT', 'ISC', 'BSD-3-Clause', 'Apache-2.0', 'MPL-2.0']);

const { '': _, ...packages } = (JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> }).packages;
const nameOf = (path: string) => path.split('node_modules/').at(-1)!;
const atRunTime = Object.entries(packages).filter(([, { dev }]) => dev === undefined);

describe('the packages of the bot', () => {
  it('are pinned by their hash, and come from the registry alone', () => {
    const loose = Object.entries(packages).filter(
      ([, { integrity, resolved }]) =>
        integrity?.startsWith('sha512-') !== true ||
        (resolved !== undefined && !resolved.startsWith('https://registry.npmjs.org/')),
    );
    expect(loose.map(([path]) => path)).toEqual([]);
  });

  it('run nothing when they are installed, but what only development needs', () => {
    // Its script looks for the binary that it brings, and builds one elsewhere: it is not run.
    const found = atRunTime.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path);
    expect(found).toEqual(['node_modules/@photostructure/sqlite']);
    expect(read('.npmrc')).toContain('ignore-scripts=true');
  });

  it('have licences that are allowed, and the page lists them', async () => {
    const byLicence = new Map<string, string[]>();
    for (const [path, { license }] of atRunTime) {
      const name = nameOf(path);
      const licence = license ?? 'none';
      byLicence.set(licence, [...(byLicence.get(licence) ?? []), name]);
    }
    const others = [...byLicence.keys()].filter((licence) => !ALLOWED.has(licence));
    expect(others).toEqual([]);
    const rows = [...byLicence]
      .sort(([, a], [, b]) => b.length - a.length)
      .map(([licence, names]) => `| ${licence} | ${names.length} | ${listOf(names)} |\n`);
    const table = `| licence | packages | which |\n|---|---|---|\n${rows.join('')}`;
    const page = read('docs/security.md').replace(
      /(?<=<!-- licences -->\n)[\s\S]*(?=<!-- \/licences -->)/,
      table.replaceAll('$', '$$$$'),
    );
    expect(page).toContain(table);
    await expect(page).toMatchFileSnapshot('../docs/security.md', 'npm run test:run -- test/supply-chain.test.ts -u');
  });
});

/** The names where they are few. */
const listOf = (names: readonly string[]) =>
  names.length > 20 ? '' : [...new Set(names.map((name) => name.replace(/^(@[^/]+)\/.*-.*$/, '$1/*')))].join(', ');

describe('npm run pin-base', () => {
  const manifest = '{"schemaVersion":2,"manifests":[]}';
  const digest = `sha256:${createHash('sha256').update(manifest).digest('hex')}`;
  let server: Server;
  let folder: string;
  let dockerfile: string;

  beforeAll(async () => {
    server = createServer(({ url, headers }, response) => {
      const isAsked =
        url === '/v2/library/node/manifests/22-slim' &&
        headers.authorization === 'Bearer pull' &&
        headers.accept?.includes('application/vnd.oci.image.index.v1+json') === true;
      if (url === '/token?service=here&scope=repository:library/node:pull') response.end('{"token":"pull"}');
      else if (isAsked) response.end(manifest);
      else response.writeHead(404).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    folder = mkdtempSync(join(tmpdir(), 'edgewise-base-'));
    dockerfile = join(folder, 'Dockerfile');
    writeFileSync(dockerfile, read('Dockerfile'));
  });
  afterAll(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });

  const pin = () => {
    const here = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const script = join(root, '.ci/pin-base.mjs');
    const flags = ['--dockerfile', dockerfile, '--registry', here, '--auth', `${here}/token?service=here`];
    return promisify(execFile)(process.execPath, [script, ...flags], { cwd: root });
  };

  it('writes what the registry has under the tag into the Dockerfile, twice the same', async () => {
    expect(read('Dockerfile')).toMatch(/^ARG BASE=node:22-slim$/m);
    expect((await pin()).stdout).toBe(`node:22-slim is ${digest}.\n`);
    const pinned = readFileSync(dockerfile, 'utf8');
    expect(pinned).toBe(read('Dockerfile').replace(/^ARG BASE=.*$/m, `ARG BASE=node:22-slim@${digest}`));
    expect((await pin()).stdout).toBe(`node:22-slim is ${digest}, as before.\n`);
    expect(readFileSync(dockerfile, 'utf8')).toBe(pinned);
  });

  it('leaves the Dockerfile as it is when the registry has no such image', async () => {
    const other = read('Dockerfile').replace('node:22-slim', 'node:0-slim');
    writeFileSync(dockerfile, other);
    await expect(pin()).rejects.toMatchObject({ stderr: expect.stringMatching(/404[\s\S]*as it was/) });
    expect(readFileSync(dockerfile, 'utf8')).toBe(other);
  });
});
