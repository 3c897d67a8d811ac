import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { commandNamed, listed } from './commands.ts';
import { inWords, minimised, run, type Spoil } from './compare.ts';
import { runLines } from './lines.ts';
import { judge, type Person } from './model.ts';
import { TRAITS } from './spellings.ts';
import { thingsOf } from './targets.ts';
import type { WrittenEntry, WrittenFile } from './written.ts';

const DECISIONS = 12_500;

describe('The policy and a judge that was written from its page alone', () => {
  for (const kind of ['plain', ...TRAITS, 'mixed']) {
    it(`decide the same about ${DECISIONS} random questions (${kind})`, () => {
      const traits = kind === 'mixed' ? TRAITS : TRAITS.filter((one) => one === kind);
      const { findings } = run(kind, traits, { from: 1, decisions: DECISIONS });
      expect(findings.slice(0, 1).map((one) => inWords(minimised(one)))).toEqual([]);
    });
  }
});

it('lines as people type them come to the same, through the grammar, the look-ups and policy-test', async () => {
  const { findings, decided, unread } = await runLines({ from: 1, lines: 2500 });
  expect(findings.slice(0, 1).map(inWords)).toEqual([]);
  expect(unread).toBeLessThan(decided / 5);
});

/** Every entry of the file, changed. */
function everyEntry(change: (entry: WrittenEntry) => WrittenEntry): Spoil {
  const all = (allow: readonly (string | WrittenEntry)[]) =>
    allow.map((entry) => (typeof entry === 'string' ? entry : change(entry)));
  return ({ roles = {}, channels = {}, approval = [] }) => ({
    roles: mapped(roles, (role) => ({ ...role, allow: all(role.allow) })),
    channels: mapped(channels, ({ allow }) => ({ allow: all(allow) })),
    approval: approval.map((entry) => ({ ...entry, ...change(entry) })),
  });
}

function mapped<T>(values: Readonly<Record<string, T>>, change: (value: T) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}

const approvals =
  (change: (entry: NonNullable<WrittenFile['approval']>[number]) => object): Spoil =>
  (file) => ({ ...file, approval: (file.approval ?? []).map((entry) => ({ ...entry, ...change(entry) })) });

describe('The judge notices a policy that', () => {
  const SPOILS: Readonly<Record<string, Spoil>> = {
    'forgets the exceptions': everyEntry(({ except, ...entry }) => ({ ...entry, ...(except ? { except: [] } : {}) })),
    'forgets the effect': everyEntry((entry) =>
      'operations' in entry && entry.effect ? { ...entry, effect: ['read', 'write', 'destructive'] } : entry,
    ),
    'forgets the predicates': everyEntry(({ where: _gone, ...entry }) => entry),
    'forgets the places': ({ channels: _gone, ...file }) => file,
    'forgets that guests are none': (file) => ({
      ...file,
      roles: mapped(file.roles ?? {}, (role) => ({ ...role, guests: true })),
    }),
    'forgets the groups': (file) => ({
      ...file,
      roles: mapped(file.roles ?? {}, (role) => ({ ...role, ...(role.groups ? { groups: ['@nobody'] } : {}) })),
    }),
    'forgets the last approval': (file) => ({ ...file, approval: (file.approval ?? []).slice(0, -1) }),
    'reads approvals from the end': (file) => ({ ...file, approval: [...(file.approval ?? [])].reverse() }),
    'is content with one approval': approvals(() => ({ count: 1 })),
    'lets everybody approve': approvals(({ approvers }) => ({ approvers: { ...approvers, roles: ['everybody'] } })),
    'lets approvals last': approvals(() => ({ expires: '7d' })),
    'asks for no reason': approvals(() => ({ reason: 'optional' })),
    'lets everybody break the glass': approvals(() => ({ breakGlass: { channel: '#ops' } })),
  };

  for (const [fault, spoil] of Object.entries(SPOILS)) {
    it(fault, () => {
      const { findings } = run('plain', [], { from: 1, decisions: 3000, spoil });
      expect(findings.length).toBeGreaterThan(0);
    });
  }
});

describe('The judge', () => {
  it('says what the cases beside the example policy say', () => {
    const read = (name: string) => parse(readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8'));
    const cases = read('policy.cases.example.yml');
    const people = mapped<Person>(cases.people, (person) => {
      const { id, kind = 'member' } = typeof person === 'string' ? { id: person } : person;
      return { id, kind: (kind as string) === 'stranger' ? 'external' : kind } as Person;
    });
    const idOf = (name: string) => (people[name] as Person).id;
    const around = {
      admins: cases.admins.map(idOf),
      groups: mapped<string[]>(cases.groups, (names) => names.map(idOf)),
      channels: cases.channels,
      known: Object.values<string>(cases.channels),
    };
    const platform = {
      ...cases.platform,
      scripts: cases.platform.scripts.map(({ id, name }: { id: number; name: string }) => ({ id: String(id), name })),
    };
    const came = cases.cases.map(([who, where, line]: [string, string, string]) => {
      const names = listed.map(({ name }) => name).filter((name) => line === name || line.startsWith(`${name} `));
      const command = commandNamed(names.sort((one, other) => other.length - one.length)[0] as string);
      const words = line.slice(command.name.length).split(' ').filter(Boolean);
      // `zone` beside a hostname is a flag, and stands nowhere in these lines.
      const bare = command.arguments.filter(
        ({ name, optional }) => !optional && !(name === 'zone' && command.arguments[0]?.name === 'hostname'),
      );
      const typed = Object.fromEntries(bare.flatMap(({ name }, at) => (words[at] ? [[name, words[at]]] : [])));
      const place = { id: where === 'direct' ? 'D0DIRECT001' : cases.channels[where] };
      const ask = { command: command.name, things: thingsOf(command.name, typed as Record<string, string>, platform) };
      const verdict = judge(read('policy.example.yml'), around, people[who] as Person, place, ask);
      return [who, where, line, verdict.approval ? 'approval' : verdict.allowed ? 'allowed' : 'denied'];
    });
    expect(came).toEqual(cases.cases);
    expect(came.length).toBeGreaterThan(20);
  });
});
