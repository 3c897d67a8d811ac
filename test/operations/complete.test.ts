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
  return shape;
}

const METHOD = `method: '(GET|POST|PUT|PATCH|DELETE)'`;
const PATH = `path: (?:'([^']+)'|\`([^\`]+)\`)`;

/** What a source names with method and path, as `POST /pullzone/{}/setForceSSL`, with the file that names it. */
function endpointsIn(folder: string): { endpoint: string; file: string }[] {
  return filesIn(folder, '.ts').flatMap((file) =>
    [...read(file).matchAll(new RegExp(`${METHOD},\\s*${PATH}`, 'g'))].map(([, method, plain, template]) => ({
      endpoint: `${method} ${shapeOf(plain ?? template ?? '')}`,
      file,
    })),
  );
}

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

  it('with every endpoint of the client in the simulator', () => {
    const served = new Set(endpointsIn('playground/platform/routes').map(({ endpoint }) => endpoint));
    const forgotten = endpointsIn('src/platform/resources').flatMap(({ endpoint, file }) =>
      served.has(endpoint)
        ? []
        : [`playground/platform/routes/${file.split('/').at(-1)}: add a route for ${endpoint}, which ${file} sends`],
    );
    expect(forgotten).toEqual([]);
  });

  it('with every endpoint of the client on the page about the platform', () => {
    const headings = [...read('docs/platform.md').matchAll(/^### (.+)$/gm)].map(([, heading]) => shapeOf(heading!));
    const forgotten = endpointsIn('src/platform/resources').flatMap(({ endpoint, file }) => {
      const [method = '', path = ''] = endpoint.split(' ');
      return headings.some((heading) => heading.startsWith(`${method} `) && heading.endsWith(path))
        ? []
        : [`docs/platform.md: add the heading \`### ${endpoint}\`, with what ${file} sends and reads`];
    });
    expect(forgotten).toEqual([]);
  });

  it('with a test', () => {
    const tests = [...filesIn('test/operations', '.test.ts'), ...filesIn('test/flows', '.test.ts')]
      .filter((file) => !file.endsWith('complete.test.ts'))
      .map(read)
      .join('\n');
    const forgotten = operations.flatMap(({ name }) =>
      new RegExp(`['"\`](/edge |.*@edgewise )?${name}\\b`).test(tests)
        ? []
        : [`test/operations/${name.replaceAll(' ', '/')}.test.ts: add tests of \`${name}\``],
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
