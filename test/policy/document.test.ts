import { describe, expect, it } from 'vitest';
import { operations } from '../../src/operations/index.ts';
import { commandOf } from '../../src/operations/subjects.ts';
import { parsePolicy, referencesOf } from '../../src/policy/document.ts';
import { FileError } from '../../src/policy/lines.ts';
import { stateOf } from '../../src/policy/state.ts';

const COMMANDS = operations.map(commandOf);
const parse = (text: string) => parsePolicy({ text, file: 'policy.yml', commands: COMMANDS, admins: ['U0ADA'] });

/** What the reader says of a text, line by line. */
function complaintsOf(text: string): string[] {
  try {
    parse(text);
    return [];
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    return error.message.split('\n');
  }
}

describe('A policy file', () => {
  it('may be empty: then the built-in policy holds', () => {
    for (const text of ['', '# nothing\n', '{}'])
      expect(
        parse(text).roles.map(({ name }) => name),
        text,
      ).toEqual(['admins', 'everybody']);
  });

  it('is read with the line of every entry', () => {
    const { roles, gates, approvals } = parse(`roles:
  shop:
    people: U0BEN
    groups: shop-team
    allow:
      - zone list
      - operations: [ssl *, bot set]
        except: bot *
        where:
          zone: [shop-*, 1001]
channels:
  C0OPS:
    allow:
      - effect: [write, destructive]
approval:
  - effect: destructive
    where: { database: 7 }
    approvers: { people: [U0ADA, U0BEN], roles: [shop] }
    expires: 2d
`);
    const shop = roles.find(({ name }) => name === 'shop');
    expect(shop).toMatchObject({ people: ['U0BEN'], groups: ['@shop-team'], guests: false });
    expect(shop?.allow.map(({ source }) => source)).toEqual(['policy.yml line 6', 'policy.yml line 7']);
    expect(shop?.allow[1]).toMatchObject({
      commands: new Set(['ssl force']),
      what: 'ssl *, bot set except bot *',
      targets: 'zone is shop-* or 1001',
    });
    expect(gates[0]).toMatchObject({ place: 'C0OPS' });
    expect(gates[0]?.allow[0]?.what).toBe('whatever changes something and whatever cannot be taken back');
    expect(gates[0]?.allow[0]?.commands.has('zone list')).toBe(false);
    expect(approvals[0]).toMatchObject({
      approvers: { people: ['U0ADA', 'U0BEN'], groups: [], roles: ['shop'] },
      count: 1,
      expires: 2 * 86_400_000,
      reason: 'optional',
    });
    expect([...(approvals[0]?.scope.commands ?? [])].sort()).toEqual([
      'database execute',
      'token invalidate',
      'token regenerate',
    ]);
  });

  it('takes patterns of commands, of any case, and a scalar wherever a list can stand', () => {
    const allow = (entry: string) => [
      ...(parse(`roles: {a: {people: U0A1, allow: [${entry}]}}`).roles.at(-1)?.allow[0]?.commands ?? []),
    ];
    expect(allow('zone *')).toEqual(['zone list', 'zone show']);
    expect(allow('"* list"')).toContain('key list');
    expect(allow('"*"')).toHaveLength(COMMANDS.length);
    expect(allow('SSL Force')).toEqual(['ssl force']);
    expect(allow('{effect: read, operations: "database *"}')).toEqual(['database list', 'database query']);
    expect(allow('{effect: read, operations: "database *", where: {database: x}}')).toEqual(['database query']);
  });

  it('says what it names of Slack, each once', () => {
    const document = parse(`roles:
  a: {people: [U0A1, U0B1], groups: [x, S0GROUP01], allow: []}
  b: {people: U0A1, allow: []}
channels: {"#ops": {allow: []}, C0OPS: {allow: []}, direct: {allow: []}, other: {allow: []}}
approval:
  - operations: app delete
    approvers: {groups: ['@leads', '@x']}
    breakGlass: {channel: '#incidents'}
`);
    expect(referencesOf(document)).toEqual({
      people: ['U0ADA', 'U0A1', 'U0B1'],
      groups: ['@x', 'S0GROUP01', '@leads'],
      channels: ['#ops', 'C0OPS', '#incidents'],
    });
  });
});

describe('A mistake in a policy file', () => {
  it.each([
    [
      'no YAML',
      'roles:\n  a: [\n',
      ['line 3: Flow sequence in block collection must be sufficiently indented and end with a ]'],
    ],
    ['a key written twice', 'roles: {}\nchannels: {}\nroles: {}\n', ['line 3: Map keys must be unique']],
    ['a list in place of the sections', '- roles', ['line 1: the policy has to have roles, channels or approval.']],
    ['an unknown section', 'roles: {}\nrules: {}\n', ['line 2: “rules” is not known here.']],
    [
      'an unknown key',
      'roles:\n  a:\n    people: U0A1\n    allow: []\n    alow: []\n',
      ['line 5: “alow” is not known in roles › a.'],
    ],
    ['a role without allow', 'roles:\n  a:\n    people: U0A1\n', ['line 2: roles › a › allow is missing.']],
    ['a role of nobody', 'roles:\n  a:\n    allow: []\n', ['line 2: the role a has neither people nor groups.']],
    [
      'an everybody that is somebody',
      'roles:\n  everybody:\n    people: U0A1\n    allow: []\n',
      ['line 2: everybody is every member of the workspace: it has neither people nor groups nor guests.'],
    ],
    [
      'a person by name',
      'roles:\n  a:\n    people:\n      - U0A1\n      - ada\n    allow: []\n',
      ['line 5: roles › a › people has to be a Slack user id (U…): names are not unique, and people change theirs.'],
    ],
    [
      'a group that can be none',
      'roles:\n  a:\n    groups: "@Shop Team"\n    allow: []\n',
      ['line 3: roles › a › groups has to be the id of a user group (S…) or its "@handle" in quotes.'],
    ],
    [
      'an unknown command, with the nearest',
      'roles:\n  a:\n    people: U0A1\n    allow:\n      - zone list\n      - ssl froce\n',
      ['line 6: there is no command “ssl froce”. Did you mean “ssl force”?'],
    ],
    [
      'an unknown command among exceptions',
      'roles:\n  everybody:\n    allow:\n      - effect: read\n        except: [fly *]\n',
      ['line 5: there is no command “fly *”. /edge help lists them all.'],
    ],
    [
      'an entry that says nothing',
      'roles:\n  everybody:\n    allow:\n      - where: { zone: x }\n',
      ['line 4: roles › everybody › allow says neither operations nor effect.'],
    ],
    [
      'an entry that leaves nothing',
      'roles:\n  everybody:\n    allow:\n      - operations: zone *\n        effect: write\n',
      ['line 4: no command is left.'],
    ],
    [
      'an unknown effect',
      'roles:\n  everybody:\n    allow:\n      - effect: change\n',
      ['line 4: roles › everybody › allow › effect has to be read, write or destructive.'],
    ],
    [
      'an unknown argument, with the nearest',
      'roles:\n  everybody:\n    allow:\n      - effect: read\n        where:\n          zonne: x\n',
      ['line 6: no command has “zonne”. Did you mean “zone”?'],
    ],
    [
      'an argument that the command has not',
      'roles:\n  everybody:\n    allow:\n      - operations: [zone show, database query]\n        where: { database: x }\n',
      ['line 5: zone show has no “database”.'],
    ],
    [
      'a channel whose # began a comment',
      'channels:\n  #ops:\n    allow: [zone list]\n',
      ['line 3: “allow” is no channel: write its id (C…) or "#name" in quotes, `direct` or `other`.'],
    ],
    [
      'an approval of reads',
      'approval:\n  - operations: zone *\n    approvers: { people: U0A1 }\n',
      ['line 2: only changes can need an approval.'],
    ],
    [
      'an approval by nobody, or by a role that is none',
      'approval:\n  - operations: app delete\n    approvers: {}\n  - operations: app delete\n    approvers: { roles: [admin] }\n',
      [
        'line 3: approvers has neither people, groups nor roles.',
        'line 5: there is no role “admin”. Did you mean “admins”?',
      ],
    ],
    [
      'an approval with impossible figures, each on its line',
      'approval:\n  - operations: app delete\n    approvers: { people: U0A1 }\n    count: 0\n    expires: soon\n    reason: true\n    breakGlass: { channel: ops }\n',
      [
        'line 4: approval › count has to be at least 1.',
        'line 5: approval › expires has to be a duration such as 30m, 4h or 1d.',
        'line 6: approval › reason has to be required or optional.',
        'line 7: approval › breakGlass › channel has to be the id of a channel (C…) or its "#name" in quotes.',
      ],
    ],
  ])('is named with its line: %s', (_, text, wanted) => {
    expect(complaintsOf(text)).toEqual(wanted);
  });
});

describe('The state of a policy', () => {
  it('counts what is written', () => {
    const document = parse(
      'channels: {direct: {allow: []}}\napproval: [{effect: destructive, approvers: {roles: [admins]}}]',
    );
    expect(stateOf(document, [])).toEqual({
      ok: true,
      detail: 'policy.yml: 2 roles, 1 place, 1 approval rule, 1 admin',
    });
  });

  it('says what cannot be found, and when nobody may change anything', () => {
    expect(stateOf(parse(''), ['not found: @shop'])).toEqual({
      ok: false,
      detail: 'policy.yml: 2 roles, 0 places, 0 approval rules, 1 admin; not found: @shop',
    });
    const nobody = parsePolicy({ commands: COMMANDS, admins: [] });
    expect(stateOf(nobody, [])).toMatchObject({
      ok: false,
      detail: expect.stringMatching(/nobody may change anything/),
    });
  });
});
