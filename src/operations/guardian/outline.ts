import { parse } from 'yaml';
import type { GuardianEndpoint, GuardianParameters } from '../../platform/resources/shield-zones.ts';

/**
 * An OpenAPI document, as far as request validation is concerned. Pure, and slow for large documents: the bot runs
 * it on a worker thread.
 */

/** One operation of a document. */
export interface OutlinedEndpoint {
  method: string;
  path: string;
}

/** An endpoint that is there now and in the document, and what differs. */
export interface ChangedEndpoint extends OutlinedEndpoint {
  what: string[];
}

/** The document in figures. The four measures are counted as this bot understands the limits' names; nobody specifies them. */
export interface DefinitionOutline {
  /** `3.0.3`, or the version of a Swagger document. */
  openapi: string;
  title?: string | undefined;
  version?: string | undefined;
  endpoints: OutlinedEndpoint[];
  /** The paths of the servers, without a slash at the end; what the paths of requests may begin with. */
  basePaths: string[];
  fieldsPerType: number;
  nestingDepth: number;
  schemaNodes: number;
  regexLength: number;
  /** Against the endpoints that are active now; undefined when those were not given. */
  difference?: { added: OutlinedEndpoint[]; removed: OutlinedEndpoint[]; changed: ChangedEndpoint[] } | undefined;
}

/** Why a text is no definition, as the end of a sentence. */
export class OutlineError extends Error {
  override name = 'OutlineError';
}

type Tree = Record<string, unknown>;

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
const LOCATIONS = ['Path', 'Query', 'Header', 'Cookie'] as const;

/** How often references and copies are followed, in all, before two schemas count as not comparable. */
const MOST_COPIES = 20_000;

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value);

/** An own property: documents may have keys such as `constructor`. */
const at = (value: unknown, key: string): unknown =>
  isTree(value) && Object.hasOwn(value, key) ? value[key] : undefined;

const treeAt = (value: unknown, key: string): Tree => {
  const found = at(value, key);
  return isTree(found) ? found : {};
};

const listAt = (value: unknown, key: string): unknown[] => {
  const found = at(value, key);
  return Array.isArray(found) ? found : [];
};

const textAt = (value: unknown, key: string) => {
  const found = at(value, key);
  return typeof found === 'string' || typeof found === 'number' ? String(found) : undefined;
};

const firstLine = (error: unknown) =>
  error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error);

/** Reads a document, JSON or YAML, and compares it with what is active. Throws OutlineError. */
export function outlineOf(content: string, active?: readonly GuardianEndpoint[]): DefinitionOutline {
  try {
    return outlined(treeOf(content), active);
  } catch (error) {
    // Recursion follows the document's own nesting.
    if (error instanceof RangeError) throw new OutlineError('it is nested too deeply, or contains itself');
    throw error;
  }
}

function treeOf(content: string): Tree {
  let document: unknown;
  if (/^\s*[{[]/.test(content)) {
    try {
      document = JSON.parse(content);
    } catch (error) {
      throw new OutlineError(`it is not valid JSON (${firstLine(error)})`);
    }
  } else {
    try {
      // Aliases are bounded, so that a small text cannot become a large one. Keys are compared by the platform.
      document = parse(content, { maxAliasCount: 100, uniqueKeys: false, logLevel: 'error' });
    } catch (error) {
      if (error instanceof RangeError) throw error;
      throw new OutlineError(`it is not valid YAML (${firstLine(error)})`);
    }
  }
  if (!isTree(document))
    throw new OutlineError(Array.isArray(document) ? 'it is a list, not an object' : 'it has no openapi version');
  return document;
}

function outlined(document: Tree, active: readonly GuardianEndpoint[] | undefined): DefinitionOutline {
  const openapi = textAt(document, 'openapi') ?? textAt(document, 'swagger');
  if (openapi === undefined) throw new OutlineError('it has no openapi version');
  const info = treeAt(document, 'info');
  const endpoints = endpointsOf(document);
  return {
    openapi,
    title: textAt(info, 'title'),
    version: textAt(info, 'version'),
    endpoints: endpoints.map(({ method, path }) => ({ method, path })),
    basePaths: basePathsOf(document),
    ...measuresOf(document),
    difference: active === undefined ? undefined : differenceOf(document, endpoints, active),
  };
}

interface Endpoint extends OutlinedEndpoint {
  item: unknown;
  operation: Tree;
}

function endpointsOf(document: Tree): Endpoint[] {
  return Object.entries(treeAt(document, 'paths')).flatMap(([path, given]) => {
    const item = resolved(document, given);
    return METHODS.filter((method) => isTree(at(item, method))).map((method) => ({
      method: method.toUpperCase(),
      path,
      item,
      operation: treeAt(item, method),
    }));
  });
}

function basePathsOf(document: Tree): string[] {
  const paths = listAt(document, 'servers').map((server) => {
    const url = textAt(server, 'url') ?? '';
    return url
      .replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '')
      .replace(/[?#].*/s, '')
      .replace(/(?<!\/)\/+$/, '');
  });
  return [...new Set(paths.filter((path) => path.startsWith('/')))];
}

/** Follows a `$ref` within the document; anything else, and what points nowhere, is returned as it is. */
function resolved(document: Tree, value: unknown, depth = 0): unknown {
  const reference = at(value, '$ref');
  if (typeof reference !== 'string' || !reference.startsWith('#/') || depth > 20) return value;
  let target: unknown = document;
  for (const step of reference.slice(2).split('/'))
    target = at(target, step.replaceAll('~1', '/').replaceAll('~0', '~'));
  return target === undefined ? value : resolved(document, target, depth + 1);
}

/** The four measures, over every schema of the document. References are not followed: each schema counts where it stands. */
function measuresOf(document: Tree) {
  const measures = { fieldsPerType: 0, nestingDepth: 0, schemaNodes: 0, regexLength: 0 };
  const visit = (schema: unknown, depth: number): void => {
    if (!isTree(schema)) return;
    const properties = Object.values(treeAt(schema, 'properties'));
    const pattern = at(schema, 'pattern');
    measures.schemaNodes += 1;
    measures.regexLength += typeof pattern === 'string' ? pattern.length : 0;
    measures.fieldsPerType = Math.max(measures.fieldsPerType, properties.length);
    measures.nestingDepth = Math.max(measures.nestingDepth, depth);
    const parts = ['allOf', 'anyOf', 'oneOf'].flatMap((key) => listAt(schema, key));
    const inner = [at(schema, 'items'), at(schema, 'additionalProperties'), at(schema, 'not')];
    for (const part of [...properties, ...inner, ...parts]) visit(part, depth + 1);
  };
  const find = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) find(item);
    if (!isTree(value)) return;
    for (const [key, child] of Object.entries(value)) {
      if (key === 'schema') visit(child, 1);
      else find(child);
    }
  };
  const components = treeAt(document, 'components');
  for (const [key, value] of Object.entries(components)) {
    if (key === 'schemas') for (const schema of Object.values(treeAt(components, key))) visit(schema, 1);
    else find(value);
  }
  find(at(document, 'paths'));
  return measures;
}

const nameOf = ({ method, path }: OutlinedEndpoint) => `${method} ${path}`;

function differenceOf(document: Tree, endpoints: readonly Endpoint[], active: readonly GuardianEndpoint[]) {
  const now = new Map(
    active.map((endpoint) => {
      const given = endpoint.requestMethod ?? '';
      // Only a method is written in capitals: a secret would not be known in them.
      const method = /^[a-z]+$/i.test(given) ? given.toUpperCase() : given;
      const path = endpoint.requestPath ?? '';
      return [nameOf({ method, path }), { endpoint, method, path }];
    }),
  );
  const wanted = new Set(endpoints.map(nameOf));
  const copies = { left: MOST_COPIES };
  const short = ({ method, path }: OutlinedEndpoint) => ({ method, path });
  return {
    added: endpoints.filter((endpoint) => !now.has(nameOf(endpoint))).map(short),
    removed: [...now.values()].filter((endpoint) => !wanted.has(nameOf(endpoint))).map(short),
    changed: endpoints.flatMap((endpoint): ChangedEndpoint[] => {
      const there = now.get(nameOf(endpoint));
      const what = there === undefined ? [] : changesOf(document, endpoint, there.endpoint, copies);
      return what.length === 0 ? [] : [{ ...short(endpoint), what }];
    }),
  };
}

/** The differences between an endpoint of the document and the active one, in all that the platform shows. */
function changesOf(
  document: Tree,
  { item, operation }: Endpoint,
  now: GuardianEndpoint,
  copies: { left: number },
): string[] {
  const parameters = parametersOf(document, [...listAt(item, 'parameters'), ...listAt(operation, 'parameters')]);
  const security = Array.isArray(at(operation, 'security'))
    ? listAt(operation, 'security')
    : listAt(document, 'security');
  const schemes = security.flatMap((requirement) => (isTree(requirement) ? Object.keys(requirement) : []));
  const schemesNow = now.authSchemes.map(({ schemeName }) => schemeName);
  const same = (yaml: string | undefined, schema: unknown) => isSameSchema(document, yaml, schema, copies);

  const responses = Object.entries(treeAt(operation, 'responses')).map(
    ([status, response]) => [status, schemaOf(document, response)] as const,
  );
  const statuses = responses.filter(([, schema]) => schema !== undefined);
  const responsesNow = now.responseBodySchemasYaml;
  const isSameResponses =
    responsesNow === undefined ||
    (statuses.length === Object.keys(responsesNow).length &&
      statuses.every(([status, schema]) => {
        const yaml = at(responsesNow, status);
        return typeof yaml === 'string' && same(yaml, schema);
      }));
  return [
    now.availableParameters !== undefined && !isSameParameters(parameters, now.availableParameters) && 'parameters',
    !schemesNow.includes(undefined) &&
      canonical([...new Set(schemes)].sort()) !== canonical([...new Set(schemesNow)].sort()) &&
      'authorization',
    !same(now.requestBodySchemaYaml, schemaOf(document, at(operation, 'requestBody'))) && 'request body',
    !isSameResponses && 'response bodies',
  ].filter((what) => what !== false);
}

function parametersOf(document: Tree, parameters: readonly unknown[]): GuardianParameters {
  const found: GuardianParameters = { Path: [], Query: [], Header: [], Cookie: [] };
  for (const given of parameters) {
    const parameter = resolved(document, given);
    const location = LOCATIONS.find((one) => one.toLowerCase() === textAt(parameter, 'in'));
    const name = textAt(parameter, 'name');
    if (location !== undefined && name !== undefined) found[location].push(name);
  }
  return found;
}

const isSameParameters = (a: GuardianParameters, b: GuardianParameters) =>
  LOCATIONS.every(
    (location) => canonical([...new Set(a[location])].sort()) === canonical([...new Set(b[location])].sort()),
  );

/** The schema of a body: that of JSON, else of its first kind of content. */
function schemaOf(document: Tree, holder: unknown): unknown {
  const content = treeAt(resolved(document, holder), 'content');
  const media = at(content, 'application/json') ?? Object.values(content)[0];
  const schema = at(media, 'schema');
  return isTree(schema) ? schema : undefined;
}

/** Compares the platform's text of a schema with the document's, its references as they are or followed. */
function isSameSchema(document: Tree, yaml: string | undefined, schema: unknown, copies: { left: number }): boolean {
  if (yaml === undefined || schema === undefined) return yaml === undefined && schema === undefined;
  let now: unknown;
  try {
    now = parse(yaml, { maxAliasCount: 100, uniqueKeys: false, logLevel: 'error' });
  } catch (error) {
    if (error instanceof RangeError) throw error;
    return true;
  }
  const known = canonical(now);
  if (known === canonical(schema) || known === canonical(resolved(document, schema))) return true;
  const full = followed(document, schema, copies);
  // A schema that cannot be compared is not called changed.
  return full === undefined || known === canonical(full);
}

/** A schema with every reference replaced by what it points at; undefined when that would take too many copies. */
function followed(document: Tree, value: unknown, copies: { left: number }): unknown {
  copies.left -= 1;
  if (copies.left < 0) return undefined;
  const target = resolved(document, value);
  if (Array.isArray(target)) return target.map((item) => followed(document, item, copies));
  if (!isTree(target)) return target;
  const pairs = Object.entries(target).map(([key, child]) => [key, followed(document, child, copies)] as const);
  return copies.left < 0 ? undefined : Object.fromEntries(pairs);
}

/** The same text for the same value, whatever the order of its keys. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isTree(value)) return JSON.stringify(value) ?? 'null';
  const pairs = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${pairs.map(([key, child]) => `${JSON.stringify(key)}:${canonical(child)}`).join(',')}}`;
}
