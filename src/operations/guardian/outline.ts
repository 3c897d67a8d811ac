import { documentOf, type Item, OutlineError, quoted } from './document.ts';
import { decoded } from './paths.ts';

/** What request validation needs of an OpenAPI document. Pure, and slow for large ones: it runs on a worker thread. */

export interface OutlinedEndpoint {
  method: string;
  path: string;
}

export interface DefinitionOutline {
  /** Or the version of a Swagger document. */
  openapi: string;
  title?: string | undefined;
  version?: string | undefined;
  endpoints: OutlinedEndpoint[];
  /** Paths of the endpoints, alone and behind the base paths of their servers. */
  templates: string[];
  fieldsPerType: number;
  /** Of all patterns together. */
  regexLength: number;
  warnings: string[];
}

const METHODS = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']);
const MOST_NAMED = 3;

const at = (item: Item | undefined, key: string): Item | undefined => item?.fields?.get(key)?.item;

/** Throws OutlineError. */
export function outlineOf(content: string): DefinitionOutline {
  try {
    return outlined(documentOf(content));
  } catch (error) {
    // Recursion goes as deep as the document.
    if (error instanceof RangeError) throw new OutlineError('it is nested too deeply');
    throw error;
  }
}

function outlined(root: Item): DefinitionOutline {
  if (root.list !== undefined) throw new OutlineError('it is a list, not an object');
  const openapi = at(root, 'openapi')?.text ?? at(root, 'swagger')?.text;
  if (openapi === undefined) throw new OutlineError('it has no openapi version');
  const { endpoints, templates, lost } = endpointsOf(root);
  const { elsewhere, nowhere, ...measures } = measuresOf(root);
  return {
    openapi,
    title: at(at(root, 'info'), 'title')?.text,
    version: at(at(root, 'info'), 'version')?.text,
    endpoints,
    templates,
    ...measures,
    warnings: [
      ...told(elsewhere, 'The platform reads this file alone, and these references lead out of it'),
      ...told(nowhere, 'These references lead nowhere'),
      ...told(lost, 'The endpoints of these paths are not in the file, and not counted'),
    ],
  };
}

const told = (found: readonly string[], what: string) => {
  const more = found.length > MOST_NAMED ? ` and ${found.length - MOST_NAMED} more` : '';
  return found.length === 0 ? [] : [`${what}: ${found.slice(0, MOST_NAMED).join(', ')}${more}.`];
};

function endpointsOf(root: Item) {
  const endpoints: OutlinedEndpoint[] = [];
  const templates = new Set<string>();
  const lost: string[] = [];
  const paths = [...(at(root, 'paths')?.fields ?? [])].filter(([path]) => !path.startsWith('x-'));
  for (const [path, { line, item: given }] of paths) {
    const refuse = (on: number, why: string): never => {
      throw new OutlineError(`line ${on} ${why} in the path ${quoted(path)}`);
    };
    if (!path.startsWith('/')) refuse(line, 'has no slash at the front');
    const item = followed(root, given);
    const [beside] = item === given ? [] : [...(given.fields ?? [])].filter(([key]) => METHODS.has(key));
    if (beside !== undefined) refuse(beside[1].line, `has ${beside[0]} beside a $ref, which some readers drop,`);
    if (item === undefined) lost.push(`${quoted(path)} (line ${line})`);
    const methods = [...(item?.fields ?? [])].filter(([key]) => METHODS.has(key.toLowerCase()));
    for (const [key, operation] of methods) {
      if (!METHODS.has(key)) refuse(operation.line, `has the method ${key}, which is written ${key.toLowerCase()},`);
      if (operation.item.fields === undefined) refuse(operation.line, `has nothing behind ${key}`);
      endpoints.push({ method: key.toUpperCase(), path });
      for (const base of ['', ...basesOf(root, at(operation.item, 'servers') ?? at(item, 'servers'))])
        templates.add(`${base.replace(/(?<!\/)\/+$/, '')}${path}`);
    }
  }
  return { endpoints, templates: [...templates], lost };
}

function basesOf(root: Item, own: Item | undefined): string[] {
  const servers = own ?? at(root, 'servers');
  return servers === undefined ? [at(root, 'basePath')?.text ?? ''] : (servers.list ?? []).flatMap(basePathsOf);
}

/** One for each value of the server's variables. */
function basePathsOf(server: Item): string[] {
  let urls = [at(server, 'url')?.text ?? ''];
  for (const [name, { item }] of at(server, 'variables')?.fields ?? []) {
    const values = new Set([at(item, 'default'), ...(at(item, 'enum')?.list ?? [])].flatMap((one) => one?.text ?? []));
    if (values.size === 0) continue;
    urls = urls.flatMap((url) => [...values].map((value) => url.replaceAll(`{${name}}`, () => value)));
    urls = [...new Set(urls)].slice(0, 100);
  }
  // A relative address most likely begins at the root.
  return urls.map((url) => {
    const path = url.replace(/^(?:[^/?#]*:)?\/\/[^/?#]*/, '').replace(/^\//, '');
    return new URL(`https://host/${path}`).pathname;
  });
}

const targetOf = (root: Item, reference: string): Item | undefined =>
  /^#(\/|$)/.test(reference)
    ? decoded(reference)
        .split('/')
        .slice(1)
        .reduce(step, root as Item | undefined)
    : undefined;

function followed(root: Item, item: Item | undefined, left = 20): Item | undefined {
  const reference = at(item, '$ref')?.text;
  if (reference === undefined) return item;
  return left === 0 ? undefined : followed(root, targetOf(root, reference), left - 1);
}

function step(item: Item | undefined, escaped: string): Item | undefined {
  const key = escaped.replaceAll('~1', '/').replaceAll('~0', '~');
  return at(item, key) ?? item?.list?.[Number(key)];
}

/** Their fields are named by the document's author. */
const NAMED = new Set(['properties', 'schemas', 'responses', 'parameters', 'requestBodies', 'headers', 'examples']);

/** `isNamed`: the document's author called it so. */
function eachField(
  item: Item,
  see: (key: string, item: Item, line: number, isNamed: boolean) => void,
  isNamed = false,
) {
  for (const child of item.list ?? []) eachField(child, see);
  for (const [key, { line, item: child }] of item.fields ?? []) {
    // Values, or what no reader has to know.
    if (!isNamed && /^(default|enum|example|value|x-.*)$/.test(key)) continue;
    see(key, child, line, isNamed);
    eachField(child, see, !isNamed && NAMED.has(key));
  }
}

/** Figures with a limit, and references that cannot be followed. */
function measuresOf(root: Item) {
  let [fieldsPerType, regexLength] = [0, 0];
  const [elsewhere, nowhere] = [new Set<string>(), new Set<string>()];
  eachField(root, (key, { fields, text }, line, isNamed) => {
    if (key === 'properties' && !isNamed) fieldsPerType = Math.max(fieldsPerType, fields?.size ?? 0);
    if (key === 'pattern') regexLength += text?.length ?? 0;
    if (key === '$ref' && text !== undefined && targetOf(root, text) === undefined)
      (text.startsWith('#') ? nowhere : elsewhere).add(`${quoted(text) || '(empty)'} (line ${line})`);
  });
  return { fieldsPerType, regexLength, elsewhere: [...elsewhere], nowhere: [...nowhere] };
}
