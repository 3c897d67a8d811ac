import { UsageError } from '../../errors.ts';
import { PlatformError } from '../../platform/errors.ts';
import { MAX_SPECIFICATION_BYTES } from '../../platform/resources/shield-zones.ts';
import { choice, flagged } from '../arguments/plain.ts';
import { file } from '../arguments/resources/files.ts';
import { type ShieldZoneRef, shieldZone } from '../arguments/resources/shield-zones.ts';
import type { Context, GivenFile, Preview, State } from '../operation.ts';
import { presentState } from '../reading.ts';

/** What both the upload and the replacement of a definition take. */
export const definitionArguments = {
  zone: shieldZone(),
  file: file('OpenAPI definition', { extensions: ['json', 'yaml', 'yml', 'txt'], maxBytes: MAX_SPECIFICATION_BYTES }),
  enforceAuthorization: flagged(
    choice('Enforce authorization', ['on', 'off'], {
      hint: 'Check the security that the definition asks for; on unless told',
    }),
  ),
};

/** What a definition says about itself. `openapi` is `3.0.3`, or what a Swagger document says. */
interface Head {
  openapi?: string | undefined;
  title?: string | undefined;
  version?: string | undefined;
}

/** A definition: the text as it is sent, and what it says about itself. */
export interface Definition extends Head {
  content: string;
  openapi: string;
}

/** The versions that the platform reads. Source: platform.md 3.3 (the product's documentation). */
const SUPPORTED = /^3\.0(\.|$)/;

/** How far a YAML document's head is read. */
const MOST_INFO_LINES = 1000;
const LONGEST_LINE = 1000;

const notADefinition = (name: string, why: string) =>
  new UsageError(`The file ${name} is no OpenAPI definition: ${why}.`, {
    hint: 'Give a JSON or YAML file that begins with its openapi version.',
  });

/** A scalar of YAML without its quotes and its comment. */
function scalar(text: string): string | undefined {
  const value = text.trim();
  const quoted = /^"([^"]*)"|^'([^']*)'/.exec(value);
  const plain = quoted === null ? value.replace(/\s+#.*$/, '') : (quoted[1] ?? quoted[2] ?? '');
  return plain === '' || /^[|>&*!]/.test(plain) ? undefined : plain;
}

/**
 * The few words of a YAML document's head that the preview shows. Line by line rather than parsed: a document of 2 MB would
 * hold the thread for seconds, and the platform is the judge of the rest.
 */
function yamlHead(content: string): Head {
  const head: Head = {};
  let section = '';
  let indent: string | undefined;
  let infoLines = 0;
  for (let start = 0, end = 0; start < content.length; start = end + 1) {
    end = content.indexOf('\n', start);
    if (end < 0) end = content.length;
    const nested = /[ \t#\r\n]/.test(content[start] ?? '');
    if (nested && (section !== 'info' || infoLines++ > MOST_INFO_LINES)) continue;
    const line = content.slice(start, Math.min(end, start + LONGEST_LINE)).trimEnd();
    const [, space = '', key = '', value = ''] = /^([ \t]*)["']?([A-Za-z]+)["']?[ \t]*:(.*)$/.exec(line) ?? [];
    if (key === '') continue;
    if (space === '') {
      section = key;
      if (key === 'openapi' || key === 'swagger') head.openapi = scalar(value);
      continue;
    }
    indent ??= space;
    if (space === indent && (key === 'title' || key === 'version')) head[key] = scalar(value);
  }
  return head;
}

const asText = (value: unknown) => {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
};

/** A file's bytes → the definition. Throws UsageError for what is no UTF-8, no JSON where it begins as one, or no OpenAPI. */
export function parseDefinition({ name, content: bytes }: Pick<GivenFile, 'name' | 'content'>): Definition {
  let content: string;
  try {
    content = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw notADefinition(name, 'it is not text in UTF-8');
  }
  const { openapi, title, version } = /^\s*[{[]/.test(content) ? jsonHead(name, content) : yamlHead(content);
  if (openapi === undefined) throw notADefinition(name, 'it has no openapi version');
  return { content, openapi, title, version };
}

function jsonHead(name: string, content: string): Head {
  let document: unknown;
  try {
    document = JSON.parse(content);
  } catch (error) {
    throw notADefinition(name, `it is not valid JSON (${error instanceof Error ? error.message : String(error)})`);
  }
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    throw notADefinition(name, 'it is a list, not an object');
  }
  const top: Record<string, unknown> = { ...document };
  const info: Record<string, unknown> = typeof top.info === 'object' && top.info !== null ? { ...top.info } : {};
  return {
    openapi: asText(top.openapi) ?? asText(top.swagger),
    title: asText(info.title),
    version: asText(info.version),
  };
}

export interface DefinitionValues {
  zone: ShieldZoneRef;
  file: GivenFile;
  enforceAuthorization: 'on' | 'off' | undefined;
}

/** The body of row 2 and of its replacement. Authorization is enforced unless it is told not to be. */
export function uploadOf({ file, enforceAuthorization }: DefinitionValues) {
  return {
    content: parseDefinition(file).content,
    enforceAuthorizationValidation: enforceAuthorization !== 'off',
  };
}

/** The platform says that a shield zone has no definition so far. Source of the key: platform.md 3.2. */
export const saysNone = (error: unknown) => error instanceof PlatformError && /no_configuration/.test(error.key ?? '');

/** The definition that is there now, as a preview compares it. All null: there is none. */
async function presentDefinition({ zone }: DefinitionValues, { platform, signal }: Context): Promise<State> {
  try {
    const { configuration } = await platform.shieldZones.guardian(zone.shieldZoneId, { signal });
    const { title, version, updatedAt, createdAt } = configuration;
    return { title: title ?? null, version: version ?? null, updatedAt: updatedAt ?? createdAt ?? null };
  } catch (error) {
    if (saysNone(error)) return { title: null, version: null, updatedAt: null };
    throw error;
  }
}

/** Whether the state shows a definition. */
export const isThere = (state: State | undefined) =>
  state !== undefined && Object.values(state).some((value) => value !== null);

/** What both operations show before they ask. */
export async function previewDefinition(values: DefinitionValues, context: Context): Promise<Preview> {
  const { zone, file } = values;
  const definition = parseDefinition(file);
  const present = await presentState(() => presentDefinition(values, context));
  return {
    ...present,
    after: {
      title: definition.title ?? null,
      version: definition.version ?? null,
      // Not a time: it says that the present one will change, and never equals what the platform shows.
      updatedAt: 'now',
      openapi: definition.openapi,
      enforceAuthorizationValidation: values.enforceAuthorization !== 'off',
      file: file.name,
      bytes: file.size,
      sha256: file.sha256,
    },
    warnings: [
      ...(zone.assumed === undefined ? [] : [zone.assumed]),
      ...(SUPPORTED.test(definition.openapi)
        ? []
        : [`The platform is known to read OpenAPI 3.0.x; this definition says ${definition.openapi}.`]),
    ],
  };
}
