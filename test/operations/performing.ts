import { createHash } from 'node:crypto';
import { type Message, message as messageOf } from '../../src/blocks/message.ts';
import { contextOf as changeContext, resolve } from '../../src/changes/context.ts';
import { previewOf } from '../../src/changes/preview.ts';
import type { Services } from '../../src/changes/services.ts';
import { UsageError } from '../../src/errors.ts';
import { type Catalogue, createCatalogue, type Listing } from '../../src/operations/catalogue.ts';
import type { Context, GivenFile, ResolveContext } from '../../src/operations/context.ts';
import { checked } from '../../src/operations/grammar.ts';
import { type DefinitionOutline, outlineOf } from '../../src/operations/guardian/outline.ts';
import { operations } from '../../src/operations/index.ts';
import type { AnyOperation, Preflight, Preview } from '../../src/operations/operation.ts';
import type { ReportsView } from '../../src/operations/reports-view.ts';
import type { Platform } from '../../src/platform/client.ts';
import type { App } from '../../src/platform/resources/apps.ts';
import type { Database } from '../../src/platform/resources/databases.ts';
import type { EdgeScript } from '../../src/platform/resources/edge-scripts.ts';
import type { PullZone } from '../../src/platform/resources/pull-zones.ts';
import type { ShieldZoneMapping } from '../../src/platform/resources/shield-zones.ts';
import { FileError } from '../../src/policy/lines.ts';
import { Secret } from '../../src/secret.ts';
import { parseCommand } from '../support/grammar.ts';
import { absent, changeServices } from '../support/services.ts';

/** The moment at which these tests play. */
export const NOW = new Date('2026-11-21T12:00:00Z');

const READER = { locale: 'en-US', timezone: 'UTC', now: NOW };

/** What the lists hold; a text in place of a list says why it is missing. */
export interface Lists {
  /** Every list is only a part of what there is. */
  partial?: true;
  zones?: readonly PullZone[] | string;
  scripts?: readonly EdgeScript[] | string;
  apps?: readonly App[] | string;
  databases?: readonly Database[] | string;
  shieldZones?: readonly ShieldZoneMapping[] | string;
}

/** A catalogue of fixed lists. `reads` tells which list was read, `!` behind it when it was asked for afresh. */
export function catalogueOf(lists: Lists, reads: string[] = []): Catalogue {
  const listing = <T>(name: Exclude<keyof Lists, 'partial'>, list: readonly T[] | string | undefined) => {
    return async ({ fresh = false } = {}): Promise<Listing<T>> => {
      reads.push(fresh ? `${name}!` : name);
      if (typeof list === 'string') return { items: [], missing: list };
      return { items: list ?? [], ...(lists.partial === undefined ? {} : { partial: lists.partial }) };
    };
  };
  return {
    zones: listing('zones', lists.zones),
    scripts: listing('scripts', lists.scripts),
    apps: listing('apps', lists.apps),
    databases: listing('databases', lists.databases),
    shieldZones: listing('shieldZones', lists.shieldZones),
    releases: async () => ({ items: [] }),
  };
}

/** Every list missing, as with a platform that knows the specification alone. */
export const NO_LISTS: Lists = {
  zones: 'the platform has no such list',
  scripts: 'the platform has no such list',
  apps: 'the platform has no such list',
  databases: 'the platform has no such list',
  shieldZones: 'the platform has no such list',
};

export function zoneOf(Id: number, Name: string, ...hostnames: (string | PullZone['Hostnames'][number])[]): PullZone {
  return {
    Id,
    Name,
    Hostnames: hostnames.map((hostname) => (typeof hostname === 'string' ? { Value: hostname } : hostname)),
  };
}

export function scriptOf(Id: number, Name: string): EdgeScript {
  return { Id, Name, LinkedPullZones: [], EdgeScriptVariables: [] };
}

export function fileOf(id: string, name: string, content: string | Buffer): GivenFile {
  const bytes = Buffer.from(content);
  return { id, name, content: bytes, size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/** A platform of which only the given calls exist; any other one is an error. */
export type PlatformPart = { [K in keyof Platform]?: Partial<Platform[K]> };

function platformOf(part: PlatformPart): Platform {
  const strict = <T extends object>(target: T, path: string): T =>
    new Proxy(target, {
      get(object, key) {
        const found = Reflect.get(object, key) as unknown;
        const name = path === '' ? String(key) : `${path}.${String(key)}`;
        if (found === undefined) throw new Error(`The test did not expect platform.${name}.`);
        return typeof found === 'object' && found !== null ? strict(found, name) : found;
      },
    });
  return strict(part, '') as Platform;
}

function reportsOf(part: Partial<ReportsView>): ReportsView {
  return new Proxy(part as ReportsView, {
    get(object, key) {
      const quiet = {
        incidents: async () => [],
        doubts: async () => [],
        recovered: async () => [],
        seen: async () => ({ zones: {} }),
      };
      const found: unknown = Reflect.get(object, key) ?? Reflect.get(quiet, key);
      if (found === undefined) throw new Error(`The test did not expect reports.${String(key)}.`);
      return found;
    },
  });
}

export interface Setting {
  platform?: PlatformPart | Platform;
  lists?: Lists;
  catalogue?: Catalogue;
  files?: GivenFile[];
  given?: Record<string, string>;
  fresh?: boolean;
  configuredDatabase?: Context['configuredDatabase'];
  reports?: Partial<ReportsView>;
}

/** Everything is allowed to everybody. */
const OPEN: Services['policy'] = {
  admins: [],
  source: 'the test',
  decide: () => ({ allowed: true, rule: 'the test allows it', whom: [], where: [], tentative: false }),
  approvalFor: () => undefined,
};

/** The context of operations and of their arguments, as changes build it, with nothing behind it but what the test gives. */
export function contextOf(setting: Setting = {}): Context & ResolveContext {
  const { platform = {}, catalogue, lists = {}, files, reports = {}, configuredDatabase } = setting;
  const services = changeServices({
    operations,
    now: () => NOW,
    policy: OPEN,
    store: {
      audit: absent('the audit'),
      approvals: { waiting: async () => [] },
      agentTokens: {
        until: async () => undefined,
        create: async () => ({ token: Secret.of('edgewise_of-a-test'), until: NOW }),
        revoke: async () => undefined,
      },
    } as unknown as Services['store'],
    platform: platformOf(platform),
    catalogue: catalogue ?? {
      ...catalogueOf(lists),
      releases: createCatalogue(platformOf(platform), () => NOW).releases,
    },
    reports: reportsOf(reports),
    async file(id) {
      const found = files?.find((file) => file.id === id);
      if (found === undefined) throw new Error(`There is no file ${id}.`);
      return found;
    },
    outlineDefinition,
    configuredDatabase,
  });
  const actor = { id: 'U0ADA', teamId: 'T0', kind: 'member' } as const;
  const { signal } = new AbortController();
  return {
    ...changeContext(services, { actor, place: { channelId: 'C0OPS', external: false }, signal, reader: READER }),
    given: setting.given ?? {},
    fresh: setting.fresh ?? false,
    may: () => true,
  };
}

/** Reads a definition as the thread does, in this one. */
async function outlineDefinition(content: string): Promise<DefinitionOutline> {
  try {
    return outlineOf(content);
  } catch (error) {
    throw error instanceof FileError ? new UsageError(error.message) : error;
  }
}

/** An operation with its arguments resolved. */
export interface Prepared {
  operation: AnyOperation;
  values: Record<string, unknown>;
  /** The arguments as the confirmation stores them. */
  canonical: Record<string, string>;
  target: string;
  preview(): Promise<Preview>;
  preflight(): Promise<Preflight>;
  /** Runs it and gives the message as blocks and text. */
  run(): Promise<Message>;
  /** Runs it and gives all that comes of it. */
  perform(): Promise<{ result: unknown; message: Message; revealed: Message | undefined }>;
}

/** A typed line (or an operation and its texts) → ready to run, resolved as changes do it. */
export async function prepare(
  typed: string | { operation: string; given: Record<string, string> },
  setting: Setting = {},
): Promise<Prepared> {
  const named = (name: string) => operations.find((operation) => operation.name === name);
  const command =
    typeof typed === 'string'
      ? parseCommand(typed, operations, NOW)
      : checked(named(typed.operation) ?? unknown(typed.operation), typed.given, NOW);
  if (command.missing.length > 0) throw new UsageError(`Missing: ${command.missing.join(', ')}`);
  return prepared(command.operation, command.given, contextOf(setting), setting.fresh);
}

/** The same in a context of the test's own. */
export async function prepared(
  operation: AnyOperation,
  given: Record<string, string>,
  context: Context,
  fresh = false,
): Promise<Prepared> {
  const resolved = await resolve(operation, given, context, fresh);
  const { values, canonical } = resolved;
  let seen: Preview | undefined;
  async function perform() {
    const result = await operation.run(values, context);
    const change = { target: operation.target(values), given: canonical, ...(seen ?? { after: {} }) };
    // As the announcement has it: who did it is before these words.
    const message = messageOf(operation.words?.(change).done, operation.render(result, values, READER));
    return { result, message, revealed: operation.reveal?.(result, values) };
  }
  return {
    operation,
    values,
    canonical,
    target: operation.target(values),
    async preview() {
      if (operation.preview === undefined) throw new Error(`${operation.name} has no preview.`);
      seen = await previewOf(operation, resolved);
      return seen;
    },
    async preflight() {
      if (operation.preflight === undefined) throw new Error(`${operation.name} has no preflight.`);
      return operation.preflight(values, context);
    },
    run: async () => (await perform()).message,
    perform,
  };
}

function unknown(name: string): never {
  throw new Error(`There is no operation ${name}.`);
}

/** Every text in a message's blocks, in order: what a person can read of them. */
export function blockText(message: Message): string {
  const texts = (value: unknown): string[] => {
    if (Array.isArray(value)) return value.flatMap(texts);
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).flatMap(([key, inner]) =>
      typeof inner === 'string' ? (key === 'text' ? [inner] : []) : texts(inner),
    );
  };
  return texts(message.blocks).join('\n');
}

/** The rows of a list: what each says, and the commands of its button or its menu, by label. */
export function rowsOf({ blocks }: Message): { text: string; does: Record<string, string> }[] {
  return blocks.flatMap((block) => {
    if (block.type !== 'section' || !('accessory' in block) || block.accessory === undefined) return [];
    const { accessory, text } = block;
    const choices = accessory.type === 'overflow' ? accessory.options : accessory.type === 'button' ? [accessory] : [];
    return [
      {
        text: text?.text ?? '',
        does: Object.fromEntries(choices.map(({ text: { text: label }, value = '' }) => [label, value])),
      },
    ];
  });
}

/** The commands behind a message's buttons, by label. */
export function buttonsOf(message: Message): Record<string, string> {
  const buttons: Record<string, string> = {};
  for (const block of message.blocks) {
    if (block.type !== 'actions' || !('elements' in block)) continue;
    for (const element of block.elements) {
      if (element.type === 'button' && 'text' in element) buttons[element.text.text] = element.value ?? '';
    }
  }
  return buttons;
}
