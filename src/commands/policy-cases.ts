import * as z from 'zod';
import { namesOfGiven } from '../changes/context.ts';
import { commandOf } from '../changes/permission.ts';
import { UsageError } from '../errors.ts';
import type { Catalogue } from '../operations/catalogue.ts';
import type { ResolveContext } from '../operations/context.ts';
import { checked, readCommand } from '../operations/grammar.ts';
import { operations } from '../operations/index.ts';
import { complaintsOf, parsePolicy } from '../policy/document.ts';
import { FileError, readYaml } from '../policy/lines.ts';
import { createFixedDirectory } from '../policy/names.ts';
import { createPolicy, type PolicyActor, tooFewToApprove } from '../policy/policy.ts';

const number = z.string().regex(/^\d+$/, 'has to be a number').transform(Number);
const named = z.array(z.strictObject({ id: z.string(), name: z.string() })).default([]);
const casesSchema = z.strictObject({
  policy: z.string().optional(),
  admins: z.array(z.string()).default([]),
  people: z.record(
    z.string(),
    z.preprocess(
      (value) => (typeof value === 'string' ? { id: value } : value),
      z.strictObject({ id: z.string(), kind: z.enum(['member', 'guest', 'stranger']).default('member') }),
    ),
  ),
  groups: z.record(z.string(), z.array(z.string())).default({}),
  channels: z.record(z.string(), z.string()).default({}),
  platform: z
    .strictObject({
      zones: z
        .array(
          z.strictObject({
            id: number,
            name: z.string(),
            hostnames: z.array(z.string()).default([]),
            shield: number.optional(),
          }),
        )
        .default([]),
      scripts: z.array(z.strictObject({ id: number, name: z.string() })).default([]),
      apps: named,
      databases: named,
    })
    .prefault({}),
  cases: z.array(
    z.tuple([
      z.string(),
      z.string(),
      z.string(),
      z.enum(['allowed', 'denied', 'approval'], 'has to be allowed, denied or approval'),
    ]),
  ),
});

type PolicyCases = z.output<typeof casesSchema> & { lineOf(path: readonly PropertyKey[]): number };

/** Throws FileError with the line of every mistake. */
export function parseCases(text: string): PolicyCases {
  const yaml = readYaml(text);
  const { data, error } = casesSchema.safeParse(yaml.value);
  if (error !== undefined) throw new FileError(error.issues.flatMap((issue) => complaintsOf(issue, yaml)));
  return { ...data, lineOf: yaml.lineOf };
}

/** Approvals that too few can give, as far as the file knows the people. */
export async function tooFewIn(cases: PolicyCases, policyText: string, file: string): Promise<string[]> {
  const { document, directory } = readPolicy(cases, policyText, file);
  const people = Object.values(cases.people);
  return tooFewToApprove(document, directory, async (id) => people.find((one) => one.id === id));
}

function readPolicy(cases: PolicyCases, text: string, file: string) {
  const idOf = (name: string) => cases.people[name]?.id ?? name;
  return {
    document: parsePolicy({ text, file, commands: operations.map(commandOf), admins: cases.admins.map(idOf) }),
    directory: createFixedDirectory({
      groups: Object.fromEntries(Object.entries(cases.groups).map(([name, members]) => [name, members.map(idOf)])),
      channels: cases.channels,
    }),
  };
}

/**
 * As the bot would decide, without asking anybody. `mistake`: nothing has that name, as `rule` says. Throws FileError.
 */
export async function runCases(cases: PolicyCases, policyText: string, file: string) {
  const { document, directory } = readPolicy(cases, policyText, file);
  const policy = createPolicy(document, directory);

  async function decide(who: string, where: string, command: string) {
    const actor: PolicyActor | undefined = cases.people[who];
    if (actor === undefined) throw new UsageError(`there is nobody called “${who}” under people`);
    const channelId = where === 'direct' ? 'D0DIRECT' : (cases.channels[where] ?? where);
    if (channelId.startsWith('#')) throw new UsageError(`there is no ${where} under channels`);
    const { operation, given } = readCommand(command, operations);
    checked(operation, given, new Date());
    const names = await namesOfGiven(operation, given, contextOf(cases));
    return policy.decide(operation, actor, { channelId, external: false }, names);
  }

  return Promise.all(
    cases.cases.map(async ([who, where, command, expected], at) => {
      const { came, rule } = await decide(who, where, command).then(
        ({ allowed, rule: by, approval }) => ({
          came: !allowed ? 'denied' : approval === undefined ? 'allowed' : 'approval',
          rule: approval?.rule ?? by,
        }),
        (error: unknown) => {
          if (error instanceof UsageError) return { came: 'mistake', rule: error.message };
          throw error;
        },
      );
      return { ok: came === expected, line: cases.lineOf(['cases', at]), who, where, command, expected, came, rule };
    }),
  );
}

function contextOf({ platform: { zones, scripts, apps, databases } }: PolicyCases): ResolveContext {
  const catalogue: Catalogue = {
    zones: async () => ({
      items: zones.map(({ id, name, hostnames }) => ({
        Id: id,
        Name: name,
        Hostnames: hostnames.map((Value) => ({ Value })),
      })),
    }),
    scripts: async () => ({
      items: scripts.map(({ id, name }) => ({ Id: id, Name: name, LinkedPullZones: [], EdgeScriptVariables: [] })),
    }),
    apps: async () => ({ items: apps }),
    releases: async () => ({ items: [] }),
    databases: async () => ({
      items: databases.map((one) => ({ ...one, primary_regions: [], replicas_regions: [] })),
    }),
    shieldZones: async () => ({
      items: zones.flatMap(({ id, shield }) =>
        shield === undefined ? [] : [{ pullZoneId: id, shieldZoneId: shield }],
      ),
    }),
  };
  const now = new Date();
  const known: Partial<ResolveContext> = {
    catalogue,
    reader: { locale: 'en-US', timezone: 'UTC', now },
    given: {},
    fresh: false,
    may: () => true,
    now,
  };
  return new Proxy(known as ResolveContext, {
    get(target, name) {
      if (name in target) return Reflect.get(target, name);
      throw new UsageError(`only what is in the file is checked here, and there is no ${String(name)}`);
    },
  });
}
