import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { BUTTONS } from '../../src/blocks/buttons.ts';
import { plain } from '../../src/blocks/mrkdwn.ts';
import { operations } from '../../src/operations/index.ts';

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

/** Without what stands for the service's address. */
const withoutAddress = (path: string) => path.replace(/^\{[^}]*_url\}|^https:\/\/<database>/, '');

/** What the client sends, by its methods: `pullZones.setForceSSL` sends `POST /pullzone/{}/setForceSSL`. */
const sent = filesIn('src/platform/resources', '.ts').flatMap((file) => {
  const text = read(file);
  const create = /export function (create\w+)/.exec(text)?.[1];
  const resource = new RegExp(`(\\w+): ${create}\\(`).exec(read('src/platform/client.ts'))?.[1];
  const endpointsIn = (code: string) => [...code.matchAll(/'(GET|POST|PUT|PATCH|DELETE) ([^']+)'/g)];
  const own = endpointsIn(text);
  expect(own, `${file} names the endpoints that it asks`).not.toEqual([]);
  const methods = text.slice(text.indexOf('\n  return {\n')).split(/^ {4}(?=(?:async )?\w+[(:])/m);
  return methods.slice(1).flatMap((method) => {
    // A method that leaves it to a function of the file asks the one endpoint of that file.
    const found = endpointsIn(method).length > 0 || !/transport/.test(method) ? endpointsIn(method) : own.slice(0, 1);
    return found.map(([, verb, path]) => ({
      endpoint: `${verb} ${shapeOf(withoutAddress(path!))}`,
      written: `${verb} ${path}`,
      file,
      resource,
      method: /\w+(?=[(:])/.exec(method)![0],
    }));
  });
});

/** The simulator's routes in the same words; the control plane of databases stands under an address of its own. */
const routes = filesIn('playground/platform', '.ts').flatMap((file) => {
  const text = read(file);
  return [...text.matchAll(/method: '([A-Z]+)',\s*path: '([^']+)',(\s*spec: true)?/g)].map((found) => ({
    endpoint: `${found[1]} ${shapeOf(found[2]!).replace(/^\/database(?=\/v2)/, '')}`,
    at: `${file}:${text.slice(0, found.index).split('\n').length}`,
    file,
    isInSpecification: found[3] !== undefined,
  }));
});

/** The part of the page about the platform that tells what is used. */
const page = read('docs/platform.md').split('\n## Not used yet\n', 1)[0]!;
const onPage = (line: RegExp) =>
  [...page.matchAll(line)].map(([, method, path, status = '']): [endpoint: string, status: string] => [
    `${method} ${shapeOf(path!).replace(/^\{[^}]*\}|^<[^>]*>/, '')}`,
    status,
  ]);
const headings = new Map(onPage(/^### ([A-Z]+) (.+)$/gm));
/** Its table of endpoints: `core`, which the specification has, or `extension`. */
const rows = new Map(onPage(/^\| `([A-Z]+) (?:https:\/\/<database>)?([^`]+)` \|[^|]*\| (core|extension) \|/gm));

/** A call of the endpoint in a test, whatever is in its places. */
const called = (endpoint: string) => {
  const parts = endpoint
    .replace(/^\w+ /, '')
    .split('{}')
    .map((part) => part.replace(/[.]/g, '\\.'));
  return new RegExp(`${parts.join('(?:\\$\\{[^}]*\\}|[^/\'"`\\s?$])+')}(?=['"\`?])`);
};

/** Such a test reads by the real client from the simulator, and looks at the request. */
const throughAll = filesIn('test/operations', '.test.ts')
  .map(read)
  .filter((text) => text.includes('useSimulated('));
const isSeenInOperations = (endpoint: string) =>
  endpoint.startsWith('GET ') && throughAll.some((text) => text.includes('queriesOf(') && called(endpoint).test(text));
const ORELSE = '; for a read, `queriesOf` in the test of its operation does as well';

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
    const files = filesIn('playground/platform/routes', '.ts');
    const forgotten = sent.flatMap(({ endpoint, written, file }) => {
      if (routes.some((route) => route.endpoint === endpoint)) return [];
      const beside = `playground/platform/routes/${file.split('/').at(-1)}`;
      const where = files.includes(beside) ? beside : 'playground/platform/routes/';
      return [`${where}: add a route for ${written}, which ${file} sends`];
    });
    expect(forgotten).toEqual([]);
  });

  it('with what the specification has marked so in the simulator, and nothing else', () => {
    const wrong = routes.flatMap(({ endpoint, at, isInSpecification }) => {
      const status = rows.get(endpoint);
      if (status === undefined || (status === 'core') === isInSpecification) return [];
      const mend = `${at}: ${isInSpecification ? 'leave out' : 'add'} \`spec: true\` of ${endpoint}`;
      return [`${mend}: the table of docs/platform.md has it as ${status}`];
    });
    expect(wrong).toEqual([]);
  });

  it('with a test of every request of the client', () => {
    const tests = filesIn('test/platform/resources', '.test.ts').map(read);
    const forgotten = sent.flatMap(({ resource, method, endpoint }) =>
      isSeenInOperations(endpoint) || tests.some((text) => new RegExp(`\\b${resource}\\s*\\.${method}\\(`).test(text))
        ? []
        : [`test/platform/resources/: add a test of \`${resource}.${method}(…)\`: the request, what it reads${ORELSE}`],
    );
    expect(forgotten).toEqual([]);
  });

  it('with a test of every route of the simulator that the client asks', () => {
    const tests = filesIn('test/playground/platform', '.test.ts').map(read);
    const asked = new Set(sent.map(({ endpoint }) => endpoint));
    const forgotten = routes.flatMap(({ endpoint, file }) => {
      if (!asked.has(endpoint) || isSeenInOperations(endpoint)) return [];
      const [method = ''] = endpoint.split(' ');
      const isTested = tests.some(
        (text) => called(endpoint).test(text) && (method === 'GET' || text.includes(`'${method}'`)),
      );
      const own = `test/${file.replace(/\.ts$/, '.test.ts')}`;
      return isTested
        ? []
        : [`${own}: add a test of ${endpoint}: the answer, the state afterwards, each refusal${ORELSE}`];
    });
    expect(forgotten).toEqual([]);
  });

  it('with every endpoint of the client on the page about the platform', () => {
    const forgotten = sent.flatMap(({ endpoint, written, file }) => [
      ...(headings.has(endpoint)
        ? []
        : [`docs/platform.md: add the heading \`### ${written}\`, with what ${file} sends and reads`]),
      ...(rows.has(endpoint)
        ? []
        : [
            `docs/platform.md: add the row \`| \`${written}\` | … | extension | … |\` (core: the specification has it) to the table of endpoints at the top`,
          ]),
    ]);
    expect(forgotten).toEqual([]);
  });

  it('with none of them left among what is not used yet', () => {
    const unused = read('docs/platform.md').split('\n## Not used yet\n')[1]!.split('\n## ')[0]!;
    const left = [...unused.matchAll(/^### ([A-Z]+) (.+)$/gm)].filter(([, method, path]) =>
      sent.some(({ endpoint }) => endpoint === `${method} ${shapeOf(path!)}`),
    );
    expect(
      left.map(([heading]) => `docs/platform.md: move \`${heading}\` out of “Not used yet”: the client sends it`),
    ).toEqual([]);
  });

  it('with its name in the row of each endpoint that it asks, and with a question before it changes anything', () => {
    const asks = new Map(sent.map(({ resource, method, endpoint }) => [`${resource}.${method}`, endpoint]));
    const lineOf = new Map(
      [...page.matchAll(/^\| `([A-Z]+) (?:https:\/\/<database>)?([^`]+)` \|[^|]*\| (?:core|extension) \|.*$/gm)].map(
        ([line, method, path]) => [`${method} ${shapeOf(path!).replace(/^\{[^}]*\}|^<[^>]*>/, '')}`, line],
      ),
    );
    const forgotten = defined.flatMap((file) => {
      const own = operations.find(({ name }) => read(file).includes(`name: '${name}'`));
      const called = [...read(file).matchAll(/\bplatform\.(\w+\.\w+)\(/g)].map(([, one]) => asks.get(one!) ?? '');
      if (own === undefined) return [];
      const noun = own.name.split(' ')[0];
      return called
        .filter(Boolean)
        .flatMap((endpoint) => [
          ...(lineOf.get(endpoint)?.includes(`\`${own.name}`) || lineOf.get(endpoint)?.includes(`\`${noun} *\``)
            ? []
            : [`docs/platform.md: name \`${own.name}\` in the row of ${endpoint}`]),
          ...(own.effect === 'read' && !/^GET |pipeline$|search$/.test(endpoint)
            ? [`${file}: ${endpoint} changes something: \`effect\` is \`write\` or \`destructive\``]
            : []),
        ]);
    });
    expect(forgotten).toEqual([]);
  });

  it('with words for every change, that name its target', () => {
    const forgotten = operations.flatMap((operation) => {
      const change = { target: 'THE TARGET', given: {}, before: {}, after: { report: 'THE TARGET' } };
      const words = operation.effect === 'read' ? undefined : operation.words?.(change);
      const named = [words?.title, words?.done].every((one) => one !== undefined && plain(one).includes('THE TARGET'));
      const isWhole = operation.effect === 'read' || (named && words?.button !== BUTTONS.confirm.label);
      return isWhole ? [] : [`src/operations/${operation.name.replaceAll(' ', '/')}.ts: add \`words\``];
    });
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
});
