import { shorten } from '../../blocks/limits.ts';
import { FileError, type LinedFile, readYaml } from '../../policy/lines.ts';

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
  warnings: string[];
}

const METHODS = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']);

/** Every scalar is text, as written. */
const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const fieldsOf = (value: unknown) => (isFields(value) ? Object.entries(value) : []);
const at = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
const textAt = (value: unknown, key: string): string | undefined => {
  const text = at(value, key);
  return typeof text === 'string' && !/^(null|~|)$/i.test(text) ? text : undefined;
};

const refusal = (line: number, message: string) => new FileError([{ line, message }]);

/** Throws FileError. */
export function outlineOf(content: string): DefinitionOutline {
  try {
    return outlined(readYaml(content, { isForeign: true }));
  } catch (error) {
    // Recursion goes as deep as the document.
    if (error instanceof RangeError) throw refusal(1, 'it is nested too deeply.');
    throw error;
  }
}

function outlined(yaml: LinedFile): DefinitionOutline {
  const root = yaml.value;
  if (Array.isArray(root)) throw refusal(1, 'it is a list, not an object.');
  const openapi = textAt(root, 'openapi') ?? textAt(root, 'swagger');
  if (openapi === undefined) throw refusal(1, 'it has no openapi version.');
  const { endpoints, lost } = endpointsOf(yaml);
  const more = lost.length > 3 ? ` and ${lost.length - 3} more` : '';
  return {
    openapi,
    title: textAt(at(root, 'info'), 'title'),
    version: textAt(at(root, 'info'), 'version'),
    endpoints,
    warnings:
      lost.length === 0
        ? []
        : [`The endpoints of these paths are not in the file, and not counted: ${lost.slice(0, 3).join(', ')}${more}.`],
  };
}

function endpointsOf({ value: root, lineOf }: LinedFile) {
  const endpoints: OutlinedEndpoint[] = [];
  const lost: string[] = [];
  for (const [path, given] of fieldsOf(at(root, 'paths'))) {
    if (path.startsWith('x-')) continue;
    const shown = shorten(path, 100);
    const refuse = (why: string) => refusal(lineOf(['paths', path]), `the path ${shown} ${why}.`);
    if (!path.startsWith('/')) throw refuse('has no slash at the front');
    const item = followed(root, given);
    const [beside] = item === given ? [] : fieldsOf(given).filter(([key]) => METHODS.has(key));
    if (beside !== undefined) throw refuse(`has ${beside[0]} beside a $ref, which some readers drop`);
    if (item === undefined) lost.push(shown);
    for (const [key, operation] of fieldsOf(item).filter(([key]) => METHODS.has(key.toLowerCase()))) {
      if (!METHODS.has(key)) throw refuse(`has the method ${key}, which is written ${key.toLowerCase()}`);
      if (!isFields(operation)) throw refuse(`has nothing behind ${key}`);
      endpoints.push({ method: key.toUpperCase(), path });
    }
  }
  return { endpoints, lost };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A percent sign that escapes nothing.
    return text;
  }
}

const targetOf = (root: unknown, reference: string): unknown =>
  /^#(\/|$)/.test(reference)
    ? decoded(reference)
        .split('/')
        .slice(1)
        .reduce((value, key) => at(value, key.replaceAll('~1', '/').replaceAll('~0', '~')), root)
    : undefined;

function followed(root: unknown, item: unknown, left = 20): unknown {
  const reference = at(item, '$ref');
  if (typeof reference !== 'string') return item;
  return left === 0 ? undefined : followed(root, targetOf(root, reference), left - 1);
}
