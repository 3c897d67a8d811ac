import { z } from 'zod';
import { namesOfGiven } from '../changes/context.ts';
import { commandOf } from '../changes/permission.ts';
import { UsageError } from '../errors.ts';
import type { Catalogue, Listing } from '../operations/catalogue.ts';
import type { ResolveContext } from '../operations/context.ts';
import { checked, readCommand } from '../operations/grammar.ts';
import { operations } from '../operations/index.ts';
import type { ReportsView } from '../operations/reports-view.ts';
import type { Platform } from '../platform/client.ts';
import { parsePolicy } from '../policy/document.ts';
import { FileError, readYaml } from '../policy/lines.ts';
import { createFixedDirectory } from '../policy/names.ts';
import { createPolicy, type Decision, type PolicyActor } from '../policy/policy.ts';

const EXPECTED = ['allowed', 'denied', 'approval'] as const;
type Expected = (typeof EXPECTED)[number];

const number = z.string().regex(/^\d+$/, 'has to be a number').transform(Number);
const person = z.preprocess(
  (value) => (typeof value === 'string' ? { id: value } : value),
  z.strictObject({ id: z.string(), kind: z.enum(['member', 'guest', 'stranger']).default('member') }),
);
const named = z.array(z.strictObject({ id: z.string(), name: z.string() })).default([]);
const numbered = z.array(z.strictObject({ id: number, name: z.string() })).default([]);
const zones = z
  .array(
    z.strictObject({
      id: number,
      name: z.string(),
      hostnames: z.array(z.string()).default([]),
      shield: number.optional(),
    }),
  )
  .default([]);

const casesSchema = z.strictObject({
  policy: z.string().optional(),
  admins: z.array(z.string()).default([]),
  people: z.record(z.string(), person),
  groups: z.record(z.string(), z.array(z.string())).default({}),
  channels: z.record(z.string(), z.string()).default({}),
  platform: z
    .strictObject({ zones, scripts: numbered, apps: named, databases: named })
    .default({ zones: [], scripts: [], apps: [], databases: [] }),
  cases: z.array(z.tuple([z.string(), z.string(), z.string(), z.enum(EXPECTED, 'is allowed, denied or approval')])),
});

/** A table of cases, read and checked. */
export type PolicyCases = z.output<typeof casesSchema> & { lineOf(path: readonly PropertyKey[]): number };

/** The result of one case. */
export interface CaseResult {
  line: number;
  who: string;
  where: string;
  command: string;
  expected: Expected;
  /** A mistake in the case itself (an unknown command, zone or person) is in `rule`. */
  came: Expected | 'mistake';
  rule: string;
  ok: boolean;
}

/** Reads a file of cases. Throws FileError with the line of every mistake. */
export function parseCases(text: string): PolicyCases {
  const yaml = readYaml(text);
  const parsed = casesSchema.safeParse(yaml.value);
  if (!parsed.success) {
    throw new FileError(
      parsed.error.issues.flatMap((issue) =>
        issue.code === 'unrecognized_keys'
          ? issue.keys.map((key) => ({
              line: yaml.lineOf([...issue.path, key]),
              message: `“${key}” is not known ${issue.path.length === 0 ? 'in a file of cases' : `in ${pathInWords(issue)}`}.`,
            }))
          : [{ line: yaml.lineOf(issue.path), message: complaintOf(issue) }],
      ),
    );
  }
  return { ...parsed.data, lineOf: yaml.lineOf };
}

const pathInWords = ({ path }: z.core.$ZodIssue) => path.join(' › ');

/** zod's words for a mistake, with what is missing in ours. */
function complaintOf(issue: z.core.$ZodIssue): string {
  const isMissing = issue.code === 'invalid_type' && /received undefined/.test(issue.message);
  return isMissing ? `${pathInWords(issue)} is missing.` : `${pathInWords(issue)}: ${issue.message}`;
}

/** Decides each case as the bot would, with nobody asked. Throws FileError for a policy that cannot be read. */
export async function runCases(cases: PolicyCases, policyText: string, file: string): Promise<CaseResult[]> {
  const idOf = (name: string) => cases.people[name]?.id ?? name;
  const policy = createPolicy(
    parsePolicy({ text: policyText, file, commands: operations.map(commandOf), admins: cases.admins.map(idOf) }),
    createFixedDirectory({
      groups: Object.fromEntries(Object.entries(cases.groups).map(([name, members]) => [name, members.map(idOf)])),
      channels: cases.channels,
    }),
  );

  async function decide(who: string, where: string, command: string): Promise<Decision> {
    const actor: PolicyActor | undefined = cases.people[who];
    if (actor === undefined) throw new UsageError(`there is nobody called “${who}” under people`);
    const channelId = where === 'direct' ? 'D0DIRECT' : (cases.channels[where] ?? where);
    if (channelId.startsWith('#')) throw new UsageError(`there is no ${where} under channels`);
    const { operation, given } = readCommand(command, operations);
    checked(operation, given, new Date());
    return policy.decide(
      operation,
      actor,
      { channelId, external: false },
      await namesOfGiven(operation, given, contextOf(cases)),
    );
  }

  return Promise.all(
    cases.cases.map(async ([who, where, command, expected], at): Promise<CaseResult> => {
      const row = { line: cases.lineOf(['cases', at]), who, where, command, expected };
      try {
        const { allowed, rule, approval } = await decide(who, where, command);
        const came = !allowed ? 'denied' : approval === undefined ? 'allowed' : 'approval';
        return { ...row, came, rule: approval === undefined ? rule : approval.rule, ok: came === expected };
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        return { ...row, came: 'mistake', rule: error.message, ok: false };
      }
    }),
  );
}

/** The cases as a table for a terminal. */
export function tableOf(results: readonly CaseResult[]): string {
  const rows = results.map(({ ok, line, who, where, command, came, expected, rule }) => [
    ok ? 'ok' : 'WRONG',
    String(line),
    who,
    where,
    command,
    ok ? came : `${came}, not ${expected}`,
    rule,
  ]);
  const all = [['', 'line', 'who', 'where', 'command', 'result', 'rule'], ...rows];
  const widths = all[0]!.map((_, column) => Math.max(...all.map((row) => row[column]!.length)));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** The platform as the file says it is. */
function contextOf({ platform: { zones, scripts, apps, databases } }: PolicyCases): ResolveContext {
  const listing =
    <T>(items: readonly T[]) =>
    async (): Promise<Listing<T>> => ({ items });
  const catalogue: Catalogue = {
    zones: listing(
      zones.map(({ id, name, hostnames }) => ({
        Id: id,
        Name: name,
        Hostnames: hostnames.map((Value) => ({ Value })),
      })),
    ),
    scripts: listing(
      scripts.map(({ id, name }) => ({ Id: id, Name: name, LinkedPullZones: [], EdgeScriptVariables: [] })),
    ),
    apps: listing(apps),
    databases: listing(databases.map((one) => ({ ...one, primary_regions: [], replicas_regions: [] }))),
    shieldZones: listing(
      zones.flatMap(({ id, shield }) => (shield === undefined ? [] : [{ pullZoneId: id, shieldZoneId: shield }])),
    ),
  };
  const nothing = async () => {
    throw new UsageError('files and Slack are not looked at here');
  };
  return {
    platform: OFFLINE,
    catalogue,
    file: nothing,
    reports: NO_REPORTS,
    actor: { id: '', teamId: '', kind: 'member' },
    policy: { may: () => true, check: nothing, search: () => [], operations: () => [] },
    reader: { locale: 'en-US', timezone: 'UTC', now: new Date() },
    given: {},
    fresh: false,
    may: () => true,
    now: new Date(),
    signal: new AbortController().signal,
  };
}

const OFFLINE = new Proxy({} as Platform, {
  get: () => {
    throw new Error('the platform is not asked here');
  },
});

const NO_REPORTS = new Proxy({} as ReportsView, {
  get: () => {
    throw new UsageError('reports are not looked at here');
  },
});
