import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { validateView } from '../playground/slack/block-kit/validate.ts';
import { buildManifest, EVENTS, SCOPES } from '../src/manifest.ts';
import { operations } from '../src/operations/index.ts';
import { ALWAYS, UNAUDITED } from '../src/policy/policy.ts';
import { buildForm } from '../src/slack/form.ts';
import { manifestSchema } from './support/manifest-schema.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Every TypeScript file of a folder, by its path from the root. */
function filesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();
}

const read = (path: string) => readFileSync(join(root, path), 'utf8');

describe('the registry', () => {
  const named = filesIn('src/operations').filter((file) => /defineOperation\(\{/.test(read(file)));

  it('has every operation that a file defines, under the name that the file has', () => {
    const names = named.map((file) => /defineOperation\(\{\s*name: '([^']+)'/.exec(read(file))?.[1]);
    expect([...names].sort()).toEqual(operations.map((operation) => operation.name).sort());
    for (const [index, file] of named.entries()) {
      const path = relative('src/operations', file).replace(/\.ts$/, '').split('/').join(' ');
      expect(path, file).toBe(names[index]);
    }
  });

  it('has names and summaries as the design wants them', () => {
    for (const { name, summary } of operations) {
      expect(name).toMatch(/^[a-z]+(-[a-z]+)*( [a-z]+)?$/);
      expect(summary, name).toMatch(/^[A-Z].*[^.]$/);
    }
    expect(new Set(operations.map(({ name }) => name)).size).toBe(operations.length);
  });

  it('previews every change', () => {
    for (const operation of operations)
      if (operation.effect !== 'read') expect(operation.preview, operation.name).toBeDefined();
  });

  it('is what the policy speaks of', () => {
    const names = operations.map(({ name }) => name);
    for (const name of [...ALWAYS, ...UNAUDITED]) expect(names).toContain(name);
  });

  it('no code asks for an operation by its name', () => {
    const asking = filesIn('src').filter((file) => /operation\.name\s*[!=]==?\s*['"`]/.test(read(file)));
    expect(asking).toEqual([]);
  });
});

describe('the layers', () => {
  const LEVELS = [
    ['errors.ts', 'blocks', 'logs', 'platform', 'schedule', 'store'],
    ['operations', 'reports', 'policy'],
    ['problem.ts'],
    ['workers'],
    ['changes'],
    ['delivery'],
    ['slack'],
    ['config.ts', 'health.ts', 'log.ts', 'manifest.ts', 'metrics.ts', 'timers.ts'],
    ['app.ts'],
    ['index.ts', 'commands'],
  ];
  const levelOf = (room: string) => LEVELS.findIndex((level) => level.includes(room));
  const roomOf = (file: string) => relative('src', file).split('/')[0] ?? '';
  const importsOf = (file: string) =>
    [...read(file).matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g)].map((found) => ({
      from: file,
      to: relative(root, resolve(root, dirname(file), found[1]!)),
      typeOnly: new RegExp(`import type [^;]*'${found[1]!.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}'`).test(read(file)),
    }));
  const imports = filesIn('src').flatMap(importsOf);

  it('import only downwards, and never sideways', () => {
    const wrong = imports.filter(({ from, to, typeOnly }) => {
      const [source, target] = [roomOf(from), roomOf(to)];
      if (source === target) return false;
      if (levelOf(source) === -1 || levelOf(target) === -1) return true;
      // Leaves may name errors and, as types, each other's secrets and summaries.
      if (target === 'errors.ts' || (typeOnly && levelOf(target) === 0)) return false;
      return levelOf(target) >= levelOf(source);
    });
    expect(wrong.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  it('nothing in the bot imports the playground, and the playground imports nothing of the bot', () => {
    const crossing = [...imports, ...filesIn('playground').flatMap(importsOf)].filter(
      ({ from, to }) => from.split('/')[0] !== to.split('/')[0],
    );
    expect(crossing.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  it('only slack/ imports Bolt, only index.ts and commands/ read the environment or end the process', () => {
    expect(
      filesIn('src').filter(
        (file) => /'@slack\/(bolt|web-api|socket-mode)'/.test(read(file)) && roomOf(file) !== 'slack',
      ),
    ).toEqual([]);
    expect(
      filesIn('src').filter(
        (file) => /process\.(env|exit)\b/.test(read(file)) && !['index.ts', 'commands'].includes(roomOf(file)),
      ),
    ).toEqual([]);
  });
});

describe('forms', () => {
  it('of every operation are within Slack’s limits, empty and full', () => {
    for (const operation of operations) {
      const long = 'x'.repeat(5000);
      const full = Object.fromEntries(Object.keys(operation.args).map((key) => [key, long]));
      for (const given of [{}, full]) {
        const view = buildForm(operation, given, { channel: 'C1', responseUrl: `https://hooks.slack.com/${long}` });
        expect(validateView(view, 'modal'), operation.name).toEqual([]);
      }
    }
  });
});

describe('manifest.yml', () => {
  it('is what the code says', async () => {
    const wanted = `# Written by \`npm run test:run -- -u\` from src/manifest.ts. Paste it at api.slack.com/apps → From a manifest.\n${stringify(buildManifest(), { lineWidth: 0 })}`;
    await expect(wanted).toMatchFileSnapshot('../manifest.yml');
  });

  it('is a manifest that Slack would take', () => {
    expect(manifestSchema.safeParse(parse(read('manifest.yml'))).error).toBeUndefined();
    expect(manifestSchema.safeParse({ ...buildManifest(), unknown: 1 }).success).toBe(false);
  });

  it('asks for the scopes that the code uses, and for no other', () => {
    const slack = filesIn('src/slack').map(read).join('\n');
    const used = new Set(
      [...slack.matchAll(/\b(?:interactive|background|client|options\.client)\.([a-z]+(?:\.[a-zA-Z]+)+)\(/g)].map(
        (found) => found[1]!,
      ),
    );
    if (/filesUploadV2\(/.test(slack))
      for (const method of ['files.getUploadURLExternal', 'files.completeUploadExternal']) used.add(method);
    // These need no scope of their own.
    for (const free of ['auth.test', 'views.open', 'views.update', 'views.publish']) used.delete(free);
    const granted = new Set(
      Object.values(SCOPES)
        .flat()
        .filter((use) => use.includes('.') && !EVENTS.includes(use as never)),
    );
    expect([...used].sort()).toEqual([...granted].sort());
    for (const event of EVENTS) {
      const [name] = event.split('.');
      expect(slack, `${event} is listened to`).toContain(name === 'message' ? "came.type === 'message'" : `'${event}'`);
    }
  });
});
