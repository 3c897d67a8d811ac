import { parse, stringify } from 'yaml';

/** The limits of a plan: `max…` of a guardian's configuration. */
export interface GuardianLimits {
  maxEndpoints: number;
  maxFieldsPerType: number;
  maxNestingDepth: number;
  maxTotalSchemaNodes: number;
  maxTotalRegexLength: number;
}

/** An authentication scheme of an endpoint. */
export interface AuthScheme {
  schemeName: string;
  schemeType: string;
  location: string | null;
  credentialName: string | null;
  httpScheme: string | null;
}

/** Names of parameters by where they stand. */
export type Parameters = Record<'Path' | 'Query' | 'Header' | 'Cookie', string[]>;

/** One operation of a definition. */
export interface DefinedEndpoint {
  requestMethod: string;
  requestPath: string;
  authSchemes: AuthScheme[];
  requestBodySchemaYaml: string | null;
  responseBodySchemasYaml: Record<string, string>;
  availableParameters: Parameters;
}

/** An OpenAPI definition, as far as requests are validated by it. */
export interface Definition {
  title: string;
  version: string;
  endpoints: DefinedEndpoint[];
}

/** Why a definition is refused. */
export class DefinitionError extends Error {
  override name = 'DefinitionError';
  readonly errorKey: string;

  constructor(errorKey: string, message: string) {
    super(message);
    this.errorKey = `api_guardian.${errorKey}`;
  }
}

type Tree = Record<string, unknown>;

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value);
const treeAt = (value: unknown, key: string): Tree => {
  const found = isTree(value) ? value[key] : undefined;
  return isTree(found) ? found : {};
};
const listAt = (value: unknown, key: string): unknown[] => {
  const found = isTree(value) ? value[key] : undefined;
  return Array.isArray(found) ? found : [];
};

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** Reads an OpenAPI 3.0 document, JSON or YAML. Throws a DefinitionError. */
export function parseDefinition(content: string, limits: GuardianLimits): Definition {
  const document = treeOf(content);
  const openapi = String(document.openapi ?? '');
  if (!/^3\.0(\.\d+)?$/.test(openapi)) {
    const found = openapi === '' ? 'the document has no "openapi" field' : `found ${openapi}`;
    throw new DefinitionError('unsupported_version', `Only OpenAPI 3.0.x is supported; ${found}.`);
  }
  const endpoints = endpointsOf(document);
  if (endpoints.length === 0) {
    throw new DefinitionError('no_endpoints', 'The definition has no endpoints.');
  }
  if (endpoints.length > limits.maxEndpoints) {
    const message = `The definition has ${endpoints.length} endpoints; the plan allows ${limits.maxEndpoints}.`;
    throw new DefinitionError('limit.max_endpoints', message);
  }
  checkSchemas(document, limits);
  const info = treeAt(document, 'info');
  return { title: String(info.title ?? ''), version: String(info.version ?? ''), endpoints };
}

function treeOf(content: string): Tree {
  let document: unknown;
  try {
    // Bounded, so that a small text cannot become a large one; real definitions have hundreds of aliases.
    document = parse(content, { maxAliasCount: 10_000 });
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
    throw new DefinitionError('invalid_specification', `The content is neither JSON nor YAML: ${reason}`);
  }
  if (!isTree(document)) {
    throw new DefinitionError('invalid_specification', 'The content is not an OpenAPI document.');
  }
  return document;
}

/** `#/paths/~1%7Bid%7D` without its mark and its encoding. */
function pointerOf(reference: string): string {
  try {
    return decodeURIComponent(reference.slice(2));
  } catch {
    throw new DefinitionError('unresolved_reference', `The reference ${reference} points nowhere.`);
  }
}

/** The target of a `$ref` within the document; anything else is returned as it is. */
function resolved(document: Tree, value: unknown, depth = 0): unknown {
  const reference = isTree(value) ? value.$ref : undefined;
  if (typeof reference !== 'string' || !reference.startsWith('#/') || depth > 20) {
    return value;
  }
  let target: unknown = document;
  for (const step of pointerOf(reference).split('/')) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    target = Array.isArray(target) ? target[Number(key)] : isTree(target) ? target[key] : undefined;
  }
  if (target === undefined) {
    throw new DefinitionError('unresolved_reference', `The reference ${reference} points nowhere.`);
  }
  return resolved(document, target, depth + 1);
}

function endpointsOf(document: Tree): DefinedEndpoint[] {
  return Object.entries(treeAt(document, 'paths')).flatMap(([requestPath, given]) => {
    const item = requestPath.startsWith('/') ? resolved(document, given) : undefined;
    return METHODS.filter((method) => isTree(item) && isTree(item[method])).map((method) => {
      const operation = treeAt(item, method);
      const security = Array.isArray(operation.security) ? operation.security : listAt(document, 'security');
      return {
        requestMethod: method.toUpperCase(),
        requestPath,
        authSchemes: schemesOf(document, security),
        requestBodySchemaYaml: schemaYamlOf(document, operation.requestBody),
        responseBodySchemasYaml: responsesOf(document, operation),
        availableParameters: parametersOf(document, [
          ...listAt(item, 'parameters'),
          ...listAt(operation, 'parameters'),
        ]),
      };
    });
  });
}

const TYPES: Record<string, string> = {
  apiKey: 'ApiKey',
  http: 'Http',
  oauth2: 'OAuth2',
  openIdConnect: 'OpenIdConnect',
};

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

function schemesOf(document: Tree, security: readonly unknown[]): AuthScheme[] {
  const schemes = treeAt(treeAt(document, 'components'), 'securitySchemes');
  const names = new Set(security.flatMap((requirement) => (isTree(requirement) ? Object.keys(requirement) : [])));
  return [...names].map((schemeName) => {
    const scheme = resolved(document, schemes[schemeName]);
    if (!isTree(scheme)) {
      throw new DefinitionError('unknown_scheme', `The security scheme ${schemeName} is not defined.`);
    }
    const isKey = scheme.type === 'apiKey';
    return {
      schemeName,
      schemeType: TYPES[String(scheme.type)] ?? String(scheme.type),
      location: isKey ? capital(String(scheme.in ?? 'header')) : 'Header',
      credentialName: isKey ? String(scheme.name ?? '') : 'Authorization',
      httpScheme: typeof scheme.scheme === 'string' ? scheme.scheme : null,
    };
  });
}

function parametersOf(document: Tree, parameters: readonly unknown[]): Parameters {
  const found: Parameters = { Path: [], Query: [], Header: [], Cookie: [] };
  for (const each of parameters) {
    const parameter = resolved(document, each);
    const location = isTree(parameter) ? capital(String(parameter.in)) : '';
    if (
      isTree(parameter) &&
      (location === 'Path' || location === 'Query' || location === 'Header' || location === 'Cookie')
    ) {
      const name = String(parameter.name);
      if (!found[location].includes(name)) {
        found[location].push(name);
      }
    }
  }
  return found;
}

function schemaYamlOf(document: Tree, holder: unknown): string | null {
  const content = treeAt(resolved(document, holder), 'content');
  const media = content['application/json'] ?? Object.values(content)[0];
  const schema = resolved(document, isTree(media) ? media.schema : undefined);
  return isTree(schema) ? stringify(schema) : null;
}

function responsesOf(document: Tree, operation: Tree): Record<string, string> {
  const responses = Object.entries(treeAt(operation, 'responses')).map(
    ([status, response]) => [status, schemaYamlOf(document, response)] as const,
  );
  return Object.fromEntries(responses.filter((entry): entry is [string, string] => entry[1] !== null));
}

/**
 * Compares every schema with the limits, in the words of the official definition: properties of a single schema, chains of
 * `$ref`, `items` and `properties`, nodes of `components/schemas`, characters of all patterns.
 */
function checkSchemas(document: Tree, limits: GuardianLimits): void {
  const over = (key: string, what: string, limit: number): never => {
    throw new DefinitionError(`limit.${key}`, `${what}; the plan allows ${limit}.`);
  };
  let patterns = 0;
  let nodes = 0;
  const checkOne = (schema: Tree): void => {
    patterns += typeof schema.pattern === 'string' ? schema.pattern.length : 0;
    const fields = Object.keys(treeAt(schema, 'properties')).length;
    if (fields > limits.maxFieldsPerType) {
      over('max_fields_per_type', `A schema has ${fields} fields`, limits.maxFieldsPerType);
    }
  };
  const depths = new Map<Tree, number>();
  const depthOf = (schema: unknown): number => {
    if (!isTree(schema)) {
      return 0;
    }
    const known = depths.get(schema);
    if (known !== undefined) {
      return known;
    }
    // What contains itself ends there.
    depths.set(schema, 0);
    const target = resolved(document, schema);
    const inner = [
      target === schema ? undefined : target,
      schema.items,
      ...Object.values(treeAt(schema, 'properties')),
    ];
    const depth = Math.max(0, ...inner.filter(isTree).map((child) => 1 + depthOf(child)));
    depths.set(schema, depth);
    return depth;
  };
  const visit = (schema: unknown, isComponent: boolean): void => {
    if (!isTree(schema)) {
      return;
    }
    nodes += isComponent ? 1 : 0;
    checkOne(schema);
    const depth = depthOf(schema);
    if (depth > limits.maxNestingDepth) {
      over('max_nesting_depth', `A schema is nested ${depth} levels deep`, limits.maxNestingDepth);
    }
    const properties = Object.values(treeAt(schema, 'properties'));
    const parts = ['allOf', 'anyOf', 'oneOf'].flatMap((key) => listAt(schema, key));
    for (const part of [...properties, schema.items, schema.additionalProperties, ...parts]) {
      visit(part, isComponent);
    }
  };
  const find = (value: unknown): void => {
    if (Array.isArray(value)) {
      value.forEach(find);
    } else if (isTree(value)) {
      for (const [key, child] of Object.entries(value)) {
        if (key === 'schema') {
          visit(child, false);
        } else {
          find(child);
        }
      }
    }
  };
  Object.values(treeAt(treeAt(document, 'components'), 'schemas')).forEach((schema) => {
    visit(schema, true);
  });
  find(document.paths);
  if (nodes > limits.maxTotalSchemaNodes) {
    over('max_total_schema_nodes', `The schemas have ${nodes} nodes`, limits.maxTotalSchemaNodes);
  }
  if (patterns > limits.maxTotalRegexLength) {
    over('max_total_regex_length', `The patterns have ${patterns} characters`, limits.maxTotalRegexLength);
  }
}
