import { describe, expect, it } from 'vitest';
import { commandOf } from '../../src/changes/permission.ts';
import { operations } from '../../src/operations/index.ts';
import { parsePolicy, referencesOf, stateOf } from '../../src/policy/document.ts';
import { FileError } from '../../src/policy/lines.ts';

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
    expect(gates[0]?.allow[0]?.what).toBe('commands that change something and commands that can’t be undone');
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

  it('means what is written, in whatever form YAML has for it', () => {
    const wordsOf = (where: string) =>
      parse(`roles: {a: {people: U0A1, allow: [{operations: ssl force, where: ${where}}]}}`).roles.at(-1)?.allow[0]
        ?.targets;
    for (const [where, words] of [
      ['{state: on}', 'state is on'],
      ['{state: "on"}', 'state is on'],
      ['{state: ON}', 'state is ON'],
      ['{state: [o*]}', 'state is o*'],
      ['{zone: "1e3"}', 'zone is 1e3'],
      ['{zone: ["no", se]}', 'zone is no or se'],
      ["{zone: 'null'}", 'zone is null'],
      ['{zone: größe-магазин}', 'zone is größe-магазин'],
      ['{hostname: CDN.Example.com.}', 'hostname is CDN.Example.com.'],
      ['{hostname: "*.bücher.example"}', 'hostname is *.bücher.example'],
      ['{hostname: xn--bcher-*}', 'hostname is xn--bcher-*'],
    ])
      expect(wordsOf(where!), where).toBe(words);
  });

  it('says what an entry allows in words', () => {
    const whatOf = (entry: string) =>
      parse(`roles: {a: {people: U0A1, allow: [${entry}]}}`).roles.at(-1)?.allow[0]?.what;
    expect(whatOf('{effect: read, operations: "database *"}')).toBe('database * (commands that read)');
    expect(whatOf('{effect: write, except: [ssl *, bot *]}')).toBe(
      'commands that change something except ssl *, bot *',
    );
    expect(whatOf('{operations: [zone list, "*"]}')).toBe('everything');
  });

  it('has a name of its own where nobody gives it one, and leaves nobody a role by accident', () => {
    const { roles, source } = parsePolicy({
      text: 'roles: {a: {people: U0A1, allow: [zone *]}}',
      commands: COMMANDS,
      admins: ['U0ADA'],
    });
    expect(source).toBe('the policy');
    expect(roles.map(({ name, people, groups, guests }) => ({ name, people, groups, guests }))).toEqual([
      { name: 'admins', people: ['U0ADA'], groups: [], guests: false },
      { name: 'everybody', people: [], groups: [], guests: false },
      { name: 'a', people: ['U0A1'], groups: [], guests: false },
    ]);
    expect(roles.map(({ allow }) => allow[0]?.source)).toEqual(['built in', 'built in', 'the policy line 1']);
    const [own] = parse('roles: {admins: {groups: x, allow: []}}').roles.filter(({ name }) => name === 'admins');
    expect(own).toMatchObject({ people: [], groups: ['@x'] });
  });

  it('takes numbers and switches for words, ids and handles of groups, and names of any language for roles', () => {
    const { roles, gates, approvals } = parse(`roles:
  Größe 2_b-c:
    people: [W0A1, U01]
    groups: [S0GROUP, shop.team-1_x, "@on", s0group]
    guests: true
    allow:
      - operations: zone show
        where: { zone: ['true', 7, a] }
channels:
  '#größe-1': { allow: [] }
  G01: { allow: [] }
  direct: { allow: [] }
  other: { allow: [] }
approval:
  - operations: app delete
    approvers: { groups: x }
    count: 10
    expires: 9999m
    reason: optional
  - effect: write
    approvers: { roles: [everybody, Größe 2_b-c, admins] }
    expires: 3h
    breakGlass: { channel: C01 }
`);
    expect(roles.at(-1)).toMatchObject({
      name: 'Größe 2_b-c',
      people: ['W0A1', 'U01'],
      groups: ['S0GROUP', '@shop.team-1_x', '@on', '@s0group'],
      guests: true,
    });
    expect(roles.at(-1)?.allow[0]?.targets).toBe('zone is true or 7 or a');
    expect(gates.map(({ place }) => place)).toEqual(['#größe-1', 'G01', 'direct', 'other']);
    expect(approvals[0]).toMatchObject({ count: 10, expires: 9_999 * 60_000 });
    expect(approvals[0]?.approvers).toEqual({ people: [], groups: ['@x'], roles: [] });
    expect(approvals[0]).not.toHaveProperty('breakGlass');
    expect(approvals[1]).toMatchObject({ expires: 3 * 3_600_000, breakGlass: { channel: 'C01' } });
  });

  it('takes patterns of commands, of any case, and a scalar wherever a list can stand', () => {
    const allow = (entry: string) => [
      ...(parse(`roles: {a: {people: U0A1, allow: [${entry}]}}`).roles.at(-1)?.allow[0]?.commands ?? []),
    ];
    expect(allow('zone *')).toEqual(['zone show', 'zone list']);
    expect(allow('"* list"')).toContain('key list');
    expect(allow('"*"')).toHaveLength(COMMANDS.length);
    expect(allow('SSL Force')).toEqual(['ssl force']);
    expect(allow('{effect: read, operations: "database *"}')).toEqual(['database query', 'database list']);
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
  - operations: ssl force
    approvers: {people: U0C1}
`);
    expect(referencesOf(document)).toEqual({
      people: ['U0ADA', 'U0A1', 'U0B1', 'U0C1'],
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
    ['a list in place of the sections', '- roles', ['line 1: the file has to have roles, channels or approval.']],
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
      ['line 3: “allow” is not a channel: write its id (C…) or "#name" in quotes, `direct` or `other`.'],
    ],
    [
      'an approval that hangs on what can be left out',
      'approval:\n  - operations: ssl force\n    where:\n      zone: shop\n      for: 60m\n    approvers: { people: U0A1 }\n',
      [
        'line 5: ssl force can be run without “for”: leave it out of `where`, so that every ssl force needs the approval.',
      ],
    ],
    [
      'the same of two commands',
      'approval:\n  - operations: token *\n    except: token invalidate\n    where: { save-env: true }\n    approvers: { people: U0A1 }\n',
      [
        'line 4: token create, token regenerate can be run without “save-env”: leave it out of `where`, so that every token create and every token regenerate needs the approval.',
      ],
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
        'line 4: approval › count has to be a whole number from 1 to 10.',
        'line 5: approval › expires has to be a duration such as 30m, 4h or 1d.',
        'line 6: approval › reason has to be required or optional.',
        'line 7: approval › breakGlass › channel has to be the id of a channel (C…) or its "#name" in quotes.',
      ],
    ],
    [
      'a role whose people were forgotten',
      'roles:\n  a:\n    people:\n    allow: []\n',
      ['line 3: roles › a › people has to be a Slack user id (U…): names are not unique, and people change theirs.'],
    ],
    [
      'people that are no ids',
      'roles:\n  a:\n    people: [xU0A1, U0A1x, U0, "U0 A1", u0a1]\n    allow: []\n',
      Array(5).fill(
        'line 3: roles › a › people has to be a Slack user id (U…): names are not unique, and people change theirs.',
      ),
    ],
    [
      'lists and words that are empty',
      'roles:\n  a:\n    people: []\n    allow: [{ operations: "" }]\n',
      ['line 3: roles › a › people is empty.', 'line 4: roles › a › allow › operations is empty.'],
    ],
    [
      'groups that are no groups',
      'roles:\n  a:\n    groups: [[x], "@shop team", -x, xS0GROUP01, S0GROUP01 x, S0GRO]\n    allow: []\n',
      [
        'line 3: roles › a › groups has to be a user group.',
        ...Array(5).fill(
          'line 3: roles › a › groups has to be the id of a user group (S…) or its "@handle" in quotes.',
        ),
      ],
    ],
    [
      'things that are no words',
      'roles:\n  a:\n    people: U0A1\n    allow:\n      - operations: [[zone]]\n      - operations: zone show\n        where: { zone: [{ a: 1 }] }\n      - operations: zone show\n        where: x\n',
      [
        'line 5: roles › a › allow › operations has to be a word.',
        'line 7: roles › a › allow › where › zone has to be a word.',
        'line 9: roles › a › allow › where has to say what an argument is, such as zone: shop-*.',
      ],
    ],
    [
      'entries that are no commands, and no list of them',
      'roles:\n  a:\n    people: U0A1\n    guests: maybe\n    allow: [[]]\n  b:\n    people: U0A1\n    allow: zone list\n  c: 5\n',
      [
        'line 4: roles › a › guests has to be true or false.',
        'line 5: roles › a › allow has to be a command, or to have operations or effect.',
        'line 8: roles › b › allow has to be a list of commands.',
        'line 9: roles › c has to have people or groups, and allow.',
      ],
    ],
    ['roles that are a list', 'roles: [a]\n', ['line 1: roles has to be a list of roles by name.']],
    ['channels that are a list', 'channels: [a]\n', ['line 1: channels has to be a list of channels.']],
    ['approvals that are none', 'approval: 5\n', ['line 1: approval has to be a list.']],
    [
      'names that no role can have',
      'roles:\n  -x: { people: U0A1, allow: [] }\n  x!: { people: U0A1, allow: [] }\n',
      ['line 2: “-x” is not a name for a role.', 'line 3: “x!” is not a name for a role.'],
    ],
    [
      'places that are none',
      'channels:\n  xC01: { allow: [] }\n  C01x: { allow: [] }\n  "x#ops": { allow: [] }\n  "#ops x": { allow: [] }\n  "#Ops": { allow: [] }\n  "#ops": 5\n',
      [
        ...['xC01', 'C01x', 'x#ops', '#ops x', '#Ops'].map(
          (place, at) =>
            `line ${2 + at}: “${place}” is not a channel: write its id (C…) or "#name" in quotes, \`direct\` or \`other\`.`,
        ),
        'line 7: channels › #ops has to have allow.',
      ],
    ],
    [
      'a guest everybody',
      'roles:\n  everybody:\n    guests: true\n    allow: []\n  x:\n    groups: x\n    allow: []\n',
      ['line 2: everybody is every member of the workspace: it has neither people nor groups nor guests.'],
    ],
    [
      'an everybody of a group',
      'roles:\n  everybody:\n    groups: x\n    allow: []\n',
      ['line 2: everybody is every member of the workspace: it has neither people nor groups nor guests.'],
    ],
    [
      'an unknown command, on its own line',
      'roles:\n  a:\n    people: U0A1\n    allow:\n      - operations:\n          - zone list\n          - zone lits\n',
      ['line 7: there is no command “zone lits”. Did you mean “zone list”?'],
    ],
    [
      'exceptions that leave nothing',
      'roles:\n  everybody:\n    allow:\n      - effect: read\n        except: "*"\n',
      ['line 4: no command is left.'],
    ],
    [
      'an argument that none of the commands has',
      'roles:\n  everybody:\n    allow:\n      - operations: zone *\n        where: { database: x }\n',
      ['line 5: zone show, zone list have no “database”.'],
    ],
    [
      'an argument that no command has',
      'roles:\n  everybody:\n    allow:\n      - effect: read\n        where: { qqqqqqqq: x, sttatee: x, databasexxx: x }\n',
      [
        'line 5: no command has “qqqqqqqq”.',
        'line 5: no command has “sttatee”. Did you mean “state”?',
        'line 5: no command has “databasexxx”. Did you mean “database”?',
      ],
    ],
    [
      'an approval of a command that there is not, once',
      'approval:\n  - operations: fly away\n    approvers: { people: U0A1 }\n',
      ['line 2: there is no command “fly away”. /edge help lists them all.'],
    ],
    [
      'roles of approvers that are none, each on its line',
      'approval:\n  - operations: app delete\n    approvers:\n      roles:\n        - admins\n        - qqqqqqqq\n',
      ['line 6: there is no role “qqqqqqqq”.'],
    ],
    [
      'an approval of nothing in particular',
      'approval:\n  - approvers: { people: U0A1 }\n  - 5\n  - effect: write\n    approvers: 5\n',
      [
        'line 2: approval says neither operations nor effect.',
        'line 3: approval has to have operations or effect, and approvers.',
        'line 5: approval › approvers has to have people, groups or roles.',
      ],
    ],
    [
      'figures that are no figures',
      'approval:\n  - effect: write\n    approvers: { people: U0A1 }\n    count: two\n    expires: 5\n    breakGlass: 5\n  - effect: write\n    approvers: { people: U0A1 }\n    count: 1.5\n    breakGlass: { channel: 5 }\n  - effect: write\n    approvers: { people: U0A1 }\n    count: 11\n',
      [
        'line 4: approval › count has to be a whole number from 1 to 10.',
        'line 5: approval › expires has to be a duration such as 30m, 4h or 1d.',
        'line 6: approval › breakGlass has to have a channel.',
        'line 9: approval › count has to be a whole number from 1 to 10.',
        'line 10: approval › breakGlass › channel has to be the id of a channel (C…) or its "#name" in quotes.',
        'line 13: approval › count has to be a whole number from 1 to 10.',
      ],
    ],
    ...['0m', '10000m', '30s', 'x30m', '30mx', 'm', '3xm'].map((expires): [string, string, string[]] => [
      `an approval for ${expires}`,
      `approval:\n  - effect: write\n    approvers: { people: U0A1 }\n    expires: ${expires}\n`,
      ['line 4: approval › expires has to be a duration such as 30m, 4h or 1d.'],
    ]),
    [
      'whatever comes first, first',
      'channels:\n  "#ops": { allow: [zone lits] }\nroles:\n  a: { allow: [] }\n',
      [
        'line 2: there is no command “zone lits”. Did you mean “zone list”?',
        'line 4: the role a has neither people nor groups.',
      ],
    ],
    ...(
      [
        ['ssl force', 'state: disabled', '“disabled” is not a value of “state”: on, off.'],
        ['ssl force', 'state: False', '“False” is not a value of “state”: on, off.'],
        ['ssl force', 'state: f*', '“f*” is not a value of “state”: on, off.'],
        ['ssl force', 'state: ~', '“~” is not a value of “state”: on, off.'],
        ['bot set', 'action: blocked', '“blocked” is not a value of “action”: none, block, allow.'],
        ['"*"', 'action: blocked', '“blocked” is not a value of “action”: none, block, allow.'],
        ['[bot set, "ssl *"]', 'category: 2', expect.stringMatching('“2” is not a value of “category”: ')],
        ['report mute', 'duration: 7d', '“7d” is not a value of “duration”: write 10080m.'],
        ['report mute', 'duration: long', expect.stringMatching('“long” is not a value of “duration”: .* such as 30m')],
        ['report mute', 'duration: 60d', '“60d” is not a value of “duration”: A report is muted for a month at most.'],
        [
          'report mute',
          'duration: until it changes',
          '“until it changes” is not a value of “duration”: write changed.',
        ],
        ['report mute', 'subscription: "03"', '“03” is not a value of “subscription”: write 3.'],
        ['ssl force', 'state: "on\\t"', expect.stringMatching('where › state has to be one line of text')],
        ['ssl force', 'zone: "shop\\u200b"', expect.stringMatching('where › zone has to be one line of text')],
        ['ssl force', 'zone: "shop\\n"', expect.stringMatching('where › zone has to be one line of text')],
        ['ssl force', 'hasOwnProperty: x', '“hasOwnProperty” cannot be a name here.'],
        ['ssl force', '"__proto__": x', '“__proto__” cannot be a name here.'],
        ['ssl force', '? [zone]\n      : shop', 'a key has to be a text.'],
        ['ssl force', 'zone: *nothing', 'nothing before is called &nothing.'],
        ['ssl force', 'zone: ! shop', 'tags cannot be used: leave out what begins with !.'],
      ] as const
    ).map(([operations, where, says]): [string, string, string[]] => [
      `${operations} where ${where}`,
      `approval:\n  - approvers: { people: U0A1 }\n    operations: ${operations}\n    where:\n      ${where}\n`,
      [typeof says === 'string' ? `line 5: ${says}` : says],
    ]),
    [
      'a version of YAML that reads words otherwise',
      '# by hand\n%YAML 1.1\n---\nroles: {}\n',
      ['line 2: a version of YAML cannot be chosen: leave out the line that begins with %.'],
    ],
    [
      'a document behind the first',
      'roles: {}\n---\nroles: {}\n',
      ['line 2: there are several documents: only one can be read.'],
    ],
    ['a key that is written twice, in two ways', 'roles: {}\n"roles": {}\n', ['line 2: Map keys must be unique']],
    [
      'a few lines that stand for too many',
      `a: &a [x, x, x, x, x, x, x, x, x, x]\n${['b', 'c', 'd', 'e'].map((name, at) => `${name}: &${name} [${Array(10).fill(`*${'abcd'[at]}`).join(', ')}]`).join('\n')}\n`,
      ['line 1: Excessive alias count indicates a resource exhaustion attack'],
    ],
  ])('is named with its line: %s', (_, text, wanted) => {
    expect(complaintsOf(text)).toEqual(wanted);
  });
});

describe('A word that an argument never has stops the start, so that no approval hangs on it', () => {
  const says = (where: string, operations = 'ssl force') =>
    complaintsOf(
      `approval:\n  - approvers: { people: U0A1 }\n    operations: ${operations}\n    where:\n      ${where}\n`,
    );
  const NAME = 'write its id or its exact name; * is the only wildcard';

  it.each(['~', 'null', 'true', 'no', 'Off', '1e3', '0x1F', '0b11', '1_000', '12:30', '2026-11-20', '&a ~'])(
    'what YAML may take for something else than text has to stand in quotes: %s',
    (word) => {
      const text = word.replace('&a ', '');
      const wanted = `line 5: “${text}” is not a value of “zone”: YAML may take it for something else than text, so put it in quotes.`;
      expect(says(`zone: ${word}`)).toEqual([wanted]);
      expect(says(`zone: [shop, ${word}]`)).toEqual([wanted]);
      if (!text.includes('x')) expect(says(`zone: "${text}"`)).toEqual([]);
    },
  );

  it.each(['01001', '"01001"', '-5', '1001.0', '0', '9007199254740993'])('a number that no id can be: %s', (word) => {
    expect(says(`zone: ${word}`)).toEqual([
      expect.stringMatching(/^line 5: .* cannot be the id of a pull zone: ids are whole numbers from 1 to \d+\.$/),
    ]);
  });

  it.each([
    ['an address', 'https://shop.example.com/'],
    ['a pattern of addresses', 'https://shop*'],
    ['a name with its id', 'shop (1001)'],
    ['quotes of a phone', '“shop”'],
    ['quotes of a phone in a pattern', '‘shop-*’'],
    ['quotes within quotes', `'shop'`],
    ['the dash of a phone', 'shop–images'],
    ['letters that look like others', 'ѕhop'],
    ['a blank that is no space', 'shop\u00a0images'],
    ['several with commas', 'shop, docs'],
    ['patterns of other tools', 'shop-?', 'shop-[ab]', '{shop,docs}', '^shop$', 'shop|docs'],
  ])('a name in the form of something else: %s', (_, ...words) => {
    for (const word of words)
      for (const [subject, operations] of [
        ['zone', 'cache clear'],
        ['zone', 'bot set'],
        ['script', 'variable add'],
        ['app', 'app delete'],
        ['database', 'token create'],
      ])
        expect(says(`${subject}: "${word}"`, operations), subject).toEqual([
          `line 5: “${word}” is not a value of “${subject}”: ${NAME}.`,
        ]);
  });

  it('a hostname where a zone is meant', () => {
    for (const word of ['shop.example.com', '*.example.com'])
      expect(says(`zone: "${word}"`), word).toEqual([
        `line 5: “${word}” is not a value of “zone”: write the id or the name of the zone; for a hostname, use \`hostname\`.`,
      ]);
  });

  it.each([
    ['the address of a page', 'https://shop.example.com/a?b=c'],
    ['an address in capitals', 'HTTPS://SHOP.EXAMPLE.COM/'],
    ['dots of another script', 'shop。example。com'],
  ])('a hostname in other words has the right ones told: %s', (_, word) => {
    expect(says(`hostname: ${word}`)).toEqual([
      `line 5: “${word}” is not a value of “hostname”: write shop.example.com.`,
    ]);
  });

  it.each([
    ['shop.example.com/', 'it has a path'],
    ['shop.example.com:443', 'it has a port'],
    ['shop', 'it needs a dot'],
    ['10.0.0.1', 'it ends in a number, as addresses do'],
    ['shop..example.com', 'it has an empty part'],
    ['user@shop.example.com', 'it has the character @'],
    ['“shop.example.com”', 'it has the character “'],
  ])('what is no hostname: %s', (word, why) => {
    expect(says(`hostname: ${word}`)).toEqual([
      `line 5: “${word}” is not a value of “hostname”: “${word}” is not a hostname: ${why}.`,
    ]);
  });

  it.each(['https://*.example.com/*', '*.example.com:443', '*.example.com/*', '*.example.com, *.example.org'])(
    'a pattern that no hostname fits: %s',
    (word) => {
      expect(says(`hostname: "${word}"`, 'cache purge')).toEqual([
        `line 5: “${word}” is not a value of “hostname”: write the hostname alone, such as *.example.com.`,
      ]);
    },
  );

  it('nothing, and spaces that nobody sees', () => {
    for (const where of ['zone:', 'zone: ""', 'zone: []', 'zone: [shop, ""]'])
      expect(says(where), where).toEqual(['line 5: approval › where › zone is empty.']);
    for (const word of ['" shop"', '"shop "', '"shop\\u200b"', '"shop\\u00a0"'])
      expect(says(`zone: ${word}`), word).toEqual([
        'line 5: approval › where › zone has to be one line of text, with no spaces at its ends and no invisible characters.',
      ]);
  });

  it('a word that another command has, and a text that is kept in another form', () => {
    expect(says('zone: shield:12', 'bot set')).toEqual([]);
    expect(says('zone: zone:12', 'bot set')).toEqual(['line 5: “zone:12” is not a value of “zone”: write 12.']);
    expect(says('sql: DROP TABLE orders;', 'database execute')).toEqual([
      'line 5: “DROP TABLE orders;” is not a value of “sql”: write DROP TABLE orders.',
    ]);
    expect(says('schedule: weekdays  at 9:00', 'report subscribe')).toEqual([
      'line 5: “weekdays  at 9:00” is not a value of “schedule”: write weekdays at 9:00.',
    ]);
  });

  it('not a word of which only the spelling differs', () => {
    for (const where of [
      'hostname: Shop.Example.COM.',
      'hostname: "*.bücher.example"',
      'hostname: xn--bcher-*',
      'hostname: "*"',
      'zone: größe-магазин',
      'zone: "*"',
      'zone: [1001, shop-*]',
    ])
      expect(says(where), where).toEqual([]);
  });
});

describe('A policy of commands without arguments', () => {
  it('says that there are none', () => {
    const text = 'roles:\n  everybody:\n    allow:\n      - operations: help\n        where: { zone: x }\n';
    const commands = COMMANDS.map((command) => ({ ...command, subjects: [] }));
    const read = () => parsePolicy({ text, commands, admins: [] });
    expect(read).toThrow(FileError);
    expect(read).toThrow(/no command has “zone”\.$/m);
    expect(read).toThrow(expect.objectContaining({ name: 'FileError' }));
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
    expect(
      stateOf(parse('roles: {a: {people: [U0A1, U0B1], allow: [zone *]}, admins: {people: U0C1, allow: []}}'), []),
    ).toEqual({
      ok: true,
      detail: 'policy.yml: 3 roles, 0 places, 0 approval rules, 1 admin',
    });
    expect(stateOf(parse('roles: {admins: {allow: []}}'), []).ok, 'a role that may nothing').toBe(false);
    expect(stateOf(parse('roles: {admins: {allow: []}, b: {groups: x, allow: []}}'), []).ok, 'a group that may').toBe(
      false,
    );
    const shared = 'roles: {a: {people: U0A1, groups: x, allow: [zone *]}, admins: {allow: []}}';
    expect(stateOf(parse(shared), []).ok, 'a person and a group').toBe(true);
    const several = parsePolicy({ commands: COMMANDS, admins: ['U0ADA', 'U0BEN'] });
    expect(stateOf(several, []).detail).toMatch(/2 admins$/);
    const nobody = parsePolicy({ commands: COMMANDS, admins: [] });
    expect(stateOf(nobody, [])).toMatchObject({
      ok: false,
      detail: expect.stringMatching(/nobody may change anything/),
    });
  });
});
