import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { environmentSchema } from '../src/config.ts';
import { createMetrics } from '../src/metrics.ts';
import { MEASURES, type Measure } from '../src/observe.ts';
import { usageOf } from '../src/operations/grammar.ts';
import { operations } from '../src/operations/index.ts';
import { type Call, endpoint } from '../src/platform/transport.ts';
import { reports } from '../src/reports/index.ts';
import { Secret } from '../src/secret.ts';
import { EXITS } from '../src/start-error.ts';
import { drawnStates } from './support/states.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** A page with the lines between the markers of a section replaced. */
function withSection(path: string, section: string, wanted: string): string {
  const text = read(path);
  const [start, end] = [`<!-- ${section} -->\n`, `<!-- /${section} -->`];
  const from = text.indexOf(start);
  const to = text.indexOf(end);
  expect(from, `${path} has the marker ${start.trim()}`).toBeGreaterThan(-1);
  expect(to, `${path} has the marker ${end}`).toBeGreaterThan(from);
  return text.slice(0, from + start.length) + wanted + text.slice(to);
}

/** How a page that has drifted is mended: the failing test says it. */
const WRITTEN_BY = 'mend it with `npm run test:run -- test/docs.test.ts -u`';

const cell = (text: string) => text.replaceAll('|', '\\|');

/** `npm run test:run -- -u` writes these tables. */
describe('the tables of the pages', () => {
  it('list every command', async () => {
    const rows = operations.map(
      (operation) => `| \`/edge ${cell(usageOf(operation))}\` | ${operation.summary} | ${operation.effect} |\n`,
    );
    const table = `| command | what it does | effect |\n|---|---|---|\n${rows.join('')}`;
    await expect(withSection('docs/commands.md', 'commands', table)).toMatchFileSnapshot(
      '../docs/commands.md',
      WRITTEN_BY,
    );
  });

  it('list every report', async () => {
    const rows = reports.map(({ name, summary }) => `| ${name} | ${summary} |\n`);
    const table = `| report | what it says |\n|---|---|\n${rows.join('')}`;
    await expect(withSection('docs/reports.md', 'reports', table)).toMatchFileSnapshot(
      '../docs/reports.md',
      WRITTEN_BY,
    );
  });

  it('list every setting with its default', async () => {
    const rows = Object.entries(environmentSchema.shape).map(([name, schema]) => {
      const left = schema.safeParse(undefined);
      const isList = Array.isArray(left.data);
      const preset = left.data === true ? 'on' : left.data instanceof Secret ? left.data.reveal() : left.data;
      const otherwise = !left.success ? 'required' : preset === undefined || isList ? '' : `\`${preset}\``;
      expect(schema.description, name).toMatch(/^[A-Z`].*[^.]$/);
      return `| \`${name}\` | ${cell(schema.description ?? '')} | ${otherwise} |\n`;
    });
    const table = `| setting | meaning | default |\n|---|---|---|\n${rows.join('')}`;
    await expect(withSection('docs/operating.md', 'settings', table)).toMatchFileSnapshot(
      '../docs/operating.md',
      WRITTEN_BY,
    );
  });
});

describe('the metrics', () => {
  // Elsewhere Node has fewer of the process.
  it.runIf(process.platform === 'linux')('are those that are given, each with what it means', async () => {
    const given = await createMetrics().registry.getMetricsAsJSON();
    const labels = new Map(Object.values<Measure>(MEASURES).map((measure) => [measure.name, measure.labels]));
    expect(given.map(({ name }) => name)).toEqual(expect.arrayContaining([...labels.keys()]));
    const rows = given.map(({ name, type, help }) => {
      expect(help, name).toMatch(/^[A-Z0-9]./);
      const by = (labels.get(name) ?? []).map((label) => `\`${label}\``).join(' ');
      return `| \`${name}\` | ${type} | ${by} | ${cell(help.replace(/\.$/, ''))} |\n`;
    });
    const table = `| metric | kind | by | means |\n|---|---|---|---|\n${rows.join('')}`;
    const page = withSection('docs/operating.md', 'metrics', table);
    await expect(page).toMatchFileSnapshot('../docs/operating.md', WRITTEN_BY);
  });
});

describe('the endpoints that metrics name', () => {
  const page = read('docs/platform.md');
  const listed = [...page.slice(0, page.indexOf('## Rows of')).matchAll(/^\| `([A-Z]+ [^`]+)` \|/gm)].map(
    ([, one]) => one as Call['endpoint'],
  );

  it('are those of docs/platform.md', () => {
    const folder = join(root, 'src/platform/resources');
    const sent = readdirSync(folder).flatMap((file) =>
      [...readFileSync(join(folder, file), 'utf8').matchAll(/'([A-Z]+ (?:\/|\{|https)[^']+)'/g)].map(([, one]) => one),
    );
    expect([...new Set(sent)].sort()).toEqual(listed.toSorted());
  });

  it.each(listed)('%s has no ids in it, whatever is in its places', (name) => {
    const places = [...name.replace(/\{\w+_url\}/, '').matchAll(/\{\w+\}/g)].map(() => '4711');
    const asked = endpoint(name, ...places);
    expect(asked.endpoint).toBe(name);
    expect(asked.path).toMatch(/^\/[^{}<>]+$/);
    expect(asked.path.split('4711')).toHaveLength(places.length + 1);
  });
});

describe('the exit codes', () => {
  it('are those that a start ends with', async () => {
    const rows = Object.values(EXITS).map(({ code, means }) => `| ${code} | ${means} |\n`);
    const table = `| exit code | means |\n|---|---|\n${rows.join('')}`;
    const page = withSection('docs/operating.md', 'exits', table);
    await expect(page).toMatchFileSnapshot('../docs/operating.md', WRITTEN_BY);
  });
});

describe('the life of a change', () => {
  it('is drawn as src/changes/change.ts declares it', async () => {
    const page = withSection('docs/architecture.md', 'states', drawnStates());
    await expect(page).toMatchFileSnapshot('../docs/architecture.md', WRITTEN_BY);
  });
});

describe('.env.example', () => {
  it('names every setting', () => {
    for (const name of Object.keys(environmentSchema.shape))
      expect(read('.env.example')).toMatch(new RegExp(`^#? ?${name}=`, 'm'));
  });
});

describe('the pages', () => {
  const pages = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.md') && !/(^|\/)(node_modules|dist|coverage)\//.test(path),
  );

  it('link to files and headings that are there', () => {
    const anchorsOf = (text: string) =>
      [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
        heading!
          .toLowerCase()
          .replace(/[^\p{L}\p{N} _-]/gu, '')
          .replaceAll(' ', '-'),
      );
    const broken = pages.flatMap((page) =>
      [...read(page).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g)]
        .filter(([, path = '', anchor]) => {
          const target = path === '' ? page : join(dirname(page), path);
          if (!existsSync(join(root, target))) return true;
          return anchor !== undefined && !anchorsOf(read(target)).includes(anchor);
        })
        .map(([link]) => `${page}: ${link}`),
    );
    expect(broken).toEqual([]);
  });

  it('name for every rule of security a test that there is, or say that none keeps it; and every attack', () => {
    const tables = read('docs/security.md').match(/^\|.*\| test \|\n(\|.*\n)+/gm) ?? [];
    const rows = tables.flatMap((table) => table.trimEnd().split('\n').slice(2));
    const tests = rows.map((row) => row.split(' | ').at(-1)!);
    expect(rows.filter((_, index) => !/^(`|none)/.test(tests[index]!))).toEqual([]);
    const named = tests.flatMap((test) => [...test.matchAll(/`([^`]+)`/g)].map(([, path]) => path!));
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    const attacks = readdirSync(join(root, 'judges/attacks')).filter((path) => path.endsWith('.test.ts'));
    expect(attacks.filter((path) => !named.includes(`judges/attacks/${path}`))).toEqual([]);
  });

  it('keep the README on one screen and a half', () => {
    expect(read('README.md').split('\n').length).toBeLessThanOrEqual(120);
  });
});
