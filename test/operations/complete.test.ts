import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { operations } from '../../src/operations/index.ts';
import { scenarios } from '../torture/kill/scenarios.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** The files of a folder whose names end so, by their path from the root. */
const filesIn = (folder: string, ending: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();

/** `/pullzone/${numericId(id)}/setForceSSL` and `/pullzone/{id}/setForceSSL` → `/pullzone/{}/setForceSSL`. */
function shapeOf(path: string): string {
  let depth = 0;
  let shape = '';
  for (const [index, letter] of [...path].entries()) {
    if (letter === '{') {
      if (depth === 0) shape = `${path[index - 1] === '$' ? shape.slice(0, -1) : shape}{}`;
      depth += 1;
    } else if (letter === '}') depth -= 1;
    else if (depth === 0) shape += letter;
  }
  return shape.replace(/\{\}([-]?\{\})+/g, '{}');
}

/** The endpoints that docstrings of the client name, as `POST /pullzone/{}/setForceSSL`, without the service's base address. */
const sent = filesIn('src/platform/resources', '.ts').flatMap((file) => {
  const cited = [...read(file).matchAll(/`(GET|POST|PUT|PATCH|DELETE) ([^`]+)`/g)];
  const endpoints = new Map(
    cited.map(([, method, path]) => [`${method} ${shapeOf(path!).replace(/^\{\}/, '')}`, `${method} ${path}`]),
  );
  return [...endpoints].map(([endpoint, written]) => ({ endpoint, written, file }));
});

/** The same of the simulator's routes; the control plane of databases stands under an address of its own. */
const served = new Set(
  filesIn('playground/platform', '.ts').flatMap((file) =>
    [...read(file).matchAll(/method: '([A-Z]+)',\s*path: (?:'([^']+)'|`([^`]+)`)/g)].map(
      ([, method, plain, template]) =>
        `${method} ${shapeOf(plain ?? template ?? '').replace(/^\/database(?=\/v2)/, '')}`,
    ),
  ),
);

/** The steps of CONTRIBUTING.md, "Add an operation": each that was forgotten is named with the file and the line to add. */
describe('an operation is whole', () => {
  const defined = filesIn('src/operations', '.ts').filter((file) => /defineOperation\(\{/.test(read(file)));

  it('in the registry', () => {
    const index = read('src/operations/index.ts');
    const forgotten = defined.flatMap((file) => {
      const name = /export const (\w+) = defineOperation/.exec(read(file))?.[1];
      const from = `./${relative('src/operations', file)}`;
      return index.includes(`from '${from}'`) && new RegExp(`^  ${name},$`, 'm').test(index)
        ? []
        : [`src/operations/index.ts: add \`import { ${name} } from '${from}';\` and the line \`${name},\` in the list`];
    });
    expect(forgotten).toEqual([]);
  });

  it('with the endpoint in the docstring of every request of the client', () => {
    const forgotten = filesIn('src/platform/resources', '.ts').flatMap((file) => {
      const named = sent.filter((one) => one.file === file).map(({ endpoint }) => endpoint);
      const parts = [...read(file).matchAll(/'(\/[a-z][^']*)'|`((?:\$\{\w+\([^`]*?\)\})?\/[^`]*)`/g)].map(
        ([, plain, template]) => shapeOf(plain ?? template ?? '').replace(/^\{\}/, ''),
      );
      return parts
        .filter((part) => !named.some((endpoint) => endpoint.includes(part)))
        .map((part) => `${file}: say in a docstring which endpoint \`…${part}\` is, as \`POST /pullzone/{id}/…\``);
    });
    expect(forgotten).toEqual([]);
  });

  it('with every endpoint of the client in the simulator', () => {
    const routes = filesIn('playground/platform/routes', '.ts');
    const forgotten = sent.flatMap(({ endpoint, written, file }) => {
      if (served.has(endpoint)) return [];
      const beside = `playground/platform/routes/${file.split('/').at(-1)}`;
      const where = routes.includes(beside) ? beside : 'playground/platform/routes/';
      return [`${where}: add a route for ${written}, which ${file} sends`];
    });
    expect(forgotten).toEqual([]);
  });

  it('with every endpoint of the client on the page about the platform', () => {
    const page = read('docs/platform.md').split('\n## Not used yet\n', 1)[0]!;
    const shapesOf = (line: RegExp) =>
      [...page.matchAll(line)].map(
        ([, method, path]) => `${method} ${shapeOf(path!).replace(/^\{[^}]*\}|^<[^>]*>/, '')}`,
      );
    const headings = shapesOf(/^### ([A-Z]+) (.+)$/gm);
    const rows = shapesOf(/^\| `([A-Z]+) (?:https:\/\/<database>)?([^`]+)` \|/gm);
    const forgotten = sent.flatMap(({ endpoint, written, file }) => [
      ...(headings.includes(endpoint)
        ? []
        : [`docs/platform.md: add the heading \`### ${written}\`, with what ${file} sends and reads`]),
      ...(rows.includes(endpoint)
        ? []
        : [`docs/platform.md: add the row \`| \`${written}\` | … |\` to the table of endpoints at the top`]),
    ]);
    expect(forgotten).toEqual([]);
  });

  it('with a test', () => {
    const tests = [...filesIn('test/operations', '.test.ts'), ...filesIn('test/flows', '.test.ts')]
      // That one has a line for every command, which says nothing about it.
      .filter((file) => !/complete\.test\.ts$|flows\/secrets\.test\.ts$/.test(file))
      .map((file) => ({ file, text: read(file) }));
    const isTested = (name: string) => {
      const [noun, verb = noun] = name.split(' ');
      return tests.some(
        ({ file, text }) =>
          new RegExp(`['"\`](/edge |.*@edgewise )?${name}\\b`).test(text) ||
          // The tests of a noun may put the verb behind it.
          (new RegExp(`/${noun}(/|\\.)`).test(file) && new RegExp(`['"\`]${verb}\\b`).test(text)),
      );
    };
    const forgotten = operations.flatMap(({ name }) =>
      isTested(name) ? [] : [`test/operations/${name.replaceAll(' ', '/')}.test.ts: add tests of \`${name}\``],
    );
    expect(forgotten).toEqual([]);
  });

  it('with a scenario of the kill test for every change', () => {
    const forgotten = operations.flatMap(({ name, effect }) =>
      effect === 'read' || scenarios.some(({ operation }) => operation === name)
        ? []
        : [`test/torture/kill/scenarios.ts: add a scenario with \`operation: '${name}'\``],
    );
    expect(forgotten).toEqual([]);
  });
});
