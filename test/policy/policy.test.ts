import { describe, expect, it } from 'vitest';
import { parsePolicy } from '../../src/policy/document.ts';
import { type Command, createFixedDirectory, type Directory, type Names } from '../../src/policy/names.ts';
import { type ApprovalRule, createPolicy, mayApprove, type Policy, type PolicyActor } from '../../src/policy/policy.ts';

const COMMANDS: Command[] = (
  [
    { name: 'help', effect: 'read', subjects: ['topic'], permission: 'every member' },
    { name: 'can-i', effect: 'read', subjects: ['command'], permission: 'every member' },
    { name: 'key list', effect: 'read', subjects: ['page'] },
    { name: 'database query', effect: 'read', subjects: ['database', 'sql'] },
    { name: 'log download', effect: 'read', subjects: ['zone', 'date'] },
    { name: 'audit list', effect: 'read', subjects: ['limit'] },
    { name: 'changes list', effect: 'read', subjects: ['zone'] },
    { name: 'balance show', effect: 'read', subjects: [] },
    { name: 'zone list', effect: 'read', subjects: [] },
    { name: 'zone show', effect: 'read', subjects: ['zone'] },
    { name: 'ssl force', effect: 'write', subjects: ['hostname', 'zone', 'state'] },
    { name: 'app delete', effect: 'destructive', subjects: ['app'] },
    { name: 'report subscribe', effect: 'write', subjects: ['channel'] },
  ] as Omit<Command, 'always'>[]
).map((command) => ({ ...command, always: command.subjects }));

const ADA: PolicyActor = { id: 'U0ADA', kind: 'member' };
const BEN: PolicyActor = { id: 'U0BEN', kind: 'member' };
const GUS: PolicyActor = { id: 'U0GUS', kind: 'guest' };
const EVE: PolicyActor = { id: 'U0EVE', kind: 'stranger' };
const ON_SHOP: Names = { hostname: [['cdn.example.com']], zone: [['1001', 'shop-assets']], state: [['on']] };
const ON_BLOG: Names = { hostname: [['blog.example.com']], zone: [['1002', 'blog']], state: [['on']] };

function policyOf(
  text: string,
  directory: Directory = createFixedDirectory({ channels: { '#ops': 'C0OPS' } }),
): Policy {
  return createPolicy(parsePolicy({ text, file: 'policy.yml', commands: COMMANDS, admins: ['U0ADA'] }), directory);
}

const decide = (policy: Policy, name: string, actor: PolicyActor, names?: Names, channelId = 'C0OPS') =>
  policy.decide({ name }, actor, { channelId, external: false }, names);

describe('Where people of other organisations are', () => {
  const policy = policyOf(`roles:
  shop:
    people: [U0ADA, U0BEN]
    allow:
      - operations: ssl force
        where: { zone: shop-* }
channels:
  '#ops':
    allow: ['*']
`);
  const at = (external: boolean | string, name: string, names: Names = ON_SHOP, actor = ADA) =>
    policy.decide({ name }, actor, { channelId: 'C0OPS', external }, names);

  it('nothing is done that needs an admin, and a direct message is named where it can be', () => {
    const { allowed, rule, where, whom } = at(true, 'app delete', { app: [['a1', 'mailer']] });
    expect({ allowed, rule, where, whom }).toEqual({
      allowed: false,
      rule: 'people from other organisations are in this channel, so admin commands are off here',
      where: ['direct'],
      whom: [],
    });
    expect(at(true, 'ssl force', ON_BLOG).allowed).toBe(false);
    expect(at(false, 'ssl force', ON_BLOG).allowed).toBe(true);
  });

  it('all else is done: by another role, or by everybody’s', () => {
    expect(at(true, 'ssl force').rule).toMatch(/^the role shop may/);
    expect(at(true, 'zone show', {}).rule).toMatch(/^everybody may/);
    expect(at(true, 'ssl force', ON_SHOP, BEN).allowed).toBe(true);
  });

  it('or may be, the reason is said', () => {
    expect(at('I cannot see it', 'app delete', {}).rule).toBe(
      'Slack doesn’t say whether people from other organisations are in this channel, so admin commands are off here (I cannot see it)',
    );
  });

  it('no place is named that is as closed', () => {
    const closed = policyOf(
      "channels:\n  '#ops':\n    allow: ['*']\n  direct:\n    allow: [status]\n".replace('status', 'zone list'),
    );
    const { where } = closed.decide({ name: 'app delete' }, ADA, { channelId: 'C0OPS', external: true }, {});
    expect(where).toEqual([]);
  });
});

describe('Several things', () => {
  const lists = policyOf(`roles:
  shop:
    people: [U0BEN, U0CLEO]
    allow:
      - operations: ssl force
        where: { zone: shop-* }
  blog:
    people: [U0BEN, U0DORA]
    allow:
      - operations: ssl force
        where: { zone: blog }
channels:
  '#ops':
    allow:
      - operations: ssl force
        where: { zone: nothing }
  C0SHOP:
    allow:
      - operations: ssl force
        where: { zone: shop-* }
  C0BOTH:
    allow: [ssl force]
`);
  const shop = ['1', 'shop-a'];
  const blog = ['2', 'blog'];
  const on = (zone: Names[string], actor = BEN, channelId = 'C0BOTH') =>
    decide(lists, 'ssl force', actor, { ...ON_SHOP, zone }, channelId);

  it('are allowed by a role each, and all of these are the rule', () => {
    expect(on([shop, blog]).rule).toMatch(/^the role shop may .*; the role blog may/);
    expect(on([shop, ['3', 'docs']]).allowed).toBe(false);
  });

  it('are for those to whom each of them is allowed', () => {
    const other = { id: 'U0GINA', kind: 'member' } as const;
    expect(on([shop, blog], other).whom).toEqual(['U0ADA', 'U0BEN']);
    expect(on([shop], other).whom).toEqual(['U0ADA', 'U0BEN', 'U0CLEO']);
    expect(on([blog], { id: 'U0CLEO', kind: 'member' }).whom).toEqual(['U0ADA', 'U0BEN', 'U0DORA']);
  });

  it('are for others than the one who asks, whom a role names that is not for guests', () => {
    const named = policyOf(`roles:
  inside: { people: [U0GUS, U0BEN], allow: [ssl force] }
  outside: { people: [U0GUS], guests: true, allow: [zone list] }
`);
    expect(decide(named, 'ssl force', GUS, ON_SHOP).whom).toEqual(['U0ADA', 'U0BEN']);
  });

  it('are for the places where each of them is', () => {
    expect(on([shop, blog], BEN, 'C0OPS').where).toEqual(['C0BOTH']);
    expect(on([shop], BEN, 'C0OPS').where).toEqual(['C0SHOP', 'C0BOTH']);
    expect(on([['3', 'docs']], BEN, 'C0OPS').where).toEqual([]);
  });

  it('of which one is not known yet are decided later', () => {
    const some = policyOf(
      'roles:\n  a:\n    people: U0BEN\n    allow:\n      - { operations: ssl force, where: { zone: shop-*, state: on } }\n      - { operations: ssl force, where: { zone: blog } }\n'.replace(
        'state: on',
        "state: 'on'",
      ),
    );
    expect(decide(some, 'ssl force', BEN, { zone: [shop, blog] })).toMatchObject({ allowed: true, tentative: true });
    expect(decide(some, 'ssl force', BEN, { zone: [blog] })).toMatchObject({ allowed: true, tentative: false });
  });
});

describe('Approvals that count together', () => {
  const both = (one: string, other: string, more = '') =>
    policyOf(
      `${more}approval:
  - operations: ssl force
    where: { zone: shop-* }
    approvers: ${one}
  - operations: ssl force
    approvers: ${other}
`,
      createFixedDirectory({ channels: { '#ops': 'C0OPS', '#lost-too': 'C0OPS' } }),
    ).approvalFor({ name: 'ssl force' }, { ...ON_SHOP, zone: [['1', '?']] }) as ApprovalRule;
  const GUESTS = `roles:
  outside: { people: [U0GUS], guests: true, allow: [zone list] }
  inside: { people: [U0BEN], allow: [zone list] }
`;

  it('are for guests whom each of them names', () => {
    expect(both('{ people: [U0GUS, U0BEN] }', '{ people: [U0BEN] }').guests).toEqual(['U0BEN']);
    expect(both('{ roles: [outside, inside] }', '{ roles: [inside, outside] }', GUESTS).guests).toEqual(['U0GUS']);
  });

  it('want a reason where one of them does, and no other time', () => {
    const plain = '{ people: [U0BEN] }';
    const asking = `${plain}\n    reason: required`;
    expect(both(plain, plain).reason).toBe('optional');
    expect(both(plain, asking).reason).toBe('required');
    expect(both(asking, plain).reason).toBe('required');
  });

  it('can be gone without where each names the same channel, by name or by id', () => {
    const glass = (channel: string) => `{ people: [U0BEN] }\n    breakGlass: { channel: '${channel}' }`;
    expect(both(glass('#ops'), glass('C0OPS')).breakGlass).toEqual({ channel: '#ops', id: 'C0OPS' });
    expect(both(glass('#gone'), glass('#gone')).breakGlass).toEqual({ channel: '#gone', id: undefined });
    expect(both(glass('#gone'), glass('#lost'))).not.toHaveProperty('breakGlass');
    expect(both(glass('#ops'), glass('C0OTHER'))).not.toHaveProperty('breakGlass');
    expect(both(glass('#ops'), '{ people: [U0BEN] }')).not.toHaveProperty('breakGlass');
    expect(both('{ people: [U0BEN] }', glass('#ops'))).not.toHaveProperty('breakGlass');
    expect(both('{ people: [U0BEN] }', '{ people: [U0BEN] }')).not.toHaveProperty('breakGlass');
  });
});

describe('A name that could not be read', () => {
  const may = (zone: string, names: readonly string[]) =>
    decide(
      policyOf(
        `roles:\n  a:\n    people: U0BEN\n    allow:\n      - operations: ssl force\n        where: { zone: ${zone} }\n`,
      ),
      'ssl force',
      BEN,
      { ...ON_SHOP, zone: [names] },
    ).allowed;

  it('meets what every name meets, and no other word', () => {
    expect(may("'*'", ['?'])).toBe(true);
    expect(may("'**'", ['?'])).toBe(true);
    expect(may("[shop, '*']", ['?'])).toBe(true);
    expect(may("'*a'", ['?'])).toBe(false);
    expect(may("'*?'", ['?'])).toBe(false);
    expect(may("'?'", ['?'])).toBe(false);
    expect(may('shop', ['?'])).toBe(false);
  });

  it('is no longer needed where one of its spellings is meant', () => {
    expect(may("'bücher.example'", ['xn--bcher-kva.example'])).toBe(true);
    expect(may("'cdn.example'", ['cdn.example.'])).toBe(true);
  });
});

describe('The built-in policy', () => {
  const policy = policyOf('');

  it('lets admins do everything', () => {
    for (const { name } of COMMANDS) expect(decide(policy, name, ADA).allowed, name).toBe(true);
    expect(decide(policy, 'app delete', ADA).rule).toBe('the role admins may run everything (built in)');
    expect(policy.admins).toEqual(['U0ADA']);
    expect(policy.source).toBe('policy.yml');
  });

  it('lets members read all but keys, data, whole logs and the audit', () => {
    const allowed = COMMANDS.filter(({ name }) => decide(policy, name, BEN).allowed).map(({ name }) => name);
    expect(allowed).toEqual(['help', 'can-i', 'zone list', 'zone show']);
    expect(decide(policy, 'zone list', BEN)).toStrictEqual({
      allowed: true,
      rule: 'everybody may run commands that read except key list, database query, log download, audit *, changes *, balance * (built in)',
      whom: [],
      where: [],
      tentative: false,
    });
  });

  it('refuses a change with the role that may, and whom to ask', () => {
    expect(decide(policy, 'ssl force', BEN)).toEqual({
      allowed: false,
      rule: 'only the role admins may',
      whom: ['U0ADA'],
      where: [],
      tentative: false,
    });
  });

  it('lets guests and strangers do nothing, not even ask', () => {
    for (const { name } of COMMANDS) {
      expect(decide(policy, name, GUS)).toMatchObject({
        allowed: false,
        rule: 'a guest needs a role with guests: true',
      });
      expect(decide(policy, name, EVE)).toMatchObject({
        allowed: false,
        rule: 'people of other workspaces may not run anything',
        whom: [],
      });
    }
  });

  it('keeps a stranger out who bears an admin’s id', () => {
    expect(decide(policy, 'zone list', { id: 'U0ADA', kind: 'stranger' }).allowed).toBe(false);
    expect(decide(policy, 'zone list', { id: 'U0ADA', kind: 'guest' }).allowed).toBe(false);
  });

  it('knows nothing of a command that does not exist', () => {
    expect(decide(policy, 'fly', ADA)).toMatchObject({ allowed: false, rule: 'no role may' });
  });
});

describe('Roles', () => {
  it('replace the built-in ones that have their name, and leave the others', () => {
    const policy = policyOf('roles:\n  everybody:\n    allow: [zone list]\n');
    expect(decide(policy, 'zone list', BEN)).toMatchObject({
      allowed: true,
      rule: 'everybody may run zone list (policy.yml line 3)',
    });
    expect(decide(policy, 'zone show', BEN).allowed).toBe(false);
    expect(decide(policy, 'app delete', ADA).allowed).toBe(true);
    const own = policyOf('roles:\n  admins:\n    allow: [zone list]\n');
    expect(decide(own, 'app delete', ADA)).toMatchObject({ allowed: false, rule: 'no role may', whom: [] });
    expect(decide(own, 'zone list', ADA).allowed).toBe(true);
    expect(decide(own, 'app delete', BEN)).toMatchObject({ rule: 'no role may', whom: [] });
    const others = policyOf('roles:\n  admins:\n    people: U0BEN\n    allow: ["*"]\n');
    expect(others.admins).toEqual(['U0BEN']);
    expect(decide(others, 'app delete', ADA)).toMatchObject({ allowed: false, whom: ['U0BEN'] });
  });

  it('always let members ask for help and for their rights', () => {
    const policy = policyOf(
      'roles:\n  everybody:\n    allow: []\n  admins:\n    allow: []\nchannels:\n  other:\n    allow: []\n',
    );
    expect(decide(policy, 'help', BEN)).toEqual({
      allowed: true,
      rule: 'every member may ask what there is',
      whom: [],
      where: [],
      tentative: false,
    });
    expect(decide(policy, 'can-i', BEN).allowed).toBe(true);
    expect(decide(policy, 'zone list', BEN).allowed).toBe(false);
  });

  it('are held by the members of a group, as long as they are in it', () => {
    let members: readonly string[] | undefined;
    const directory: Directory = {
      ...createFixedDirectory(),
      group: (name) => (name === '@shop' ? members : undefined),
    };
    const policy = policyOf('roles:\n  shop:\n    groups: shop\n    allow: [ssl *]\n', directory);
    expect(decide(policy, 'ssl force', BEN)).toMatchObject({ allowed: false, whom: ['U0ADA'] });
    members = ['U0BEN', 'U0CLEO', 'U0GUS'];
    expect(decide(policy, 'ssl force', BEN).allowed).toBe(true);
    expect(decide(policy, 'ssl force', GUS), 'a guest, whom the role does not take').toMatchObject({
      allowed: false,
      rule: 'a guest needs a role with guests: true',
    });
    expect(decide(policy, 'ssl force', { id: 'U0DORA', kind: 'member' })).toMatchObject({
      rule: 'only the roles admins, shop may',
      whom: ['U0ADA', 'U0BEN', 'U0CLEO', 'U0GUS'],
    });
    members = [];
    expect(decide(policy, 'ssl force', BEN).allowed).toBe(false);
  });

  it('are each held by their own people', () => {
    const policy = policyOf('roles:\n  shop:\n    people: U0BEN\n    allow: [zone *]\n');
    expect(policy.admins).toEqual(['U0ADA']);
    expect(decide(policy, 'app delete', BEN).whom).toEqual(['U0ADA']);
  });

  it('are held by guests only where they say so', () => {
    const policy = policyOf('roles:\n  help:\n    people: U0GUS\n    guests: true\n    allow: [ssl *]\n');
    expect(decide(policy, 'ssl force', GUS).allowed).toBe(true);
    expect(decide(policy, 'zone list', GUS)).toMatchObject({
      allowed: false,
      rule: 'only the roles admins, everybody may',
    });
    expect(decide(policy, 'help', GUS).allowed, 'help is for members').toBe(false);
    expect(decide(policy, 'ssl force', { id: 'U0GUS', kind: 'stranger' }).allowed).toBe(false);
  });
});

describe('Predicates', () => {
  const policy = policyOf(
    'roles:\n  shop:\n    people: [U0BEN, U0GUS]\n    allow:\n      - operations: ssl *\n        where: { zone: [shop-*, "77"], state: "on" }\n',
  );

  it('are met by the name or the id of the target', () => {
    expect(decide(policy, 'ssl force', BEN, ON_SHOP)).toMatchObject({
      allowed: true,
      tentative: false,
      rule: 'the role shop may run ssl * where zone is shop-* or 77 and state is on (policy.yml line 5)',
    });
    expect(decide(policy, 'ssl force', BEN, { ...ON_BLOG, zone: [['77', 'blog']] }).allowed).toBe(true);
    expect(decide(policy, 'ssl force', BEN, { ...ON_SHOP, zone: [['1001', 'SHOP-Assets']] }).allowed).toBe(true);
  });

  it('refuse another target, and say on which it is allowed and whom to ask', () => {
    expect(decide(policy, 'ssl force', BEN, ON_BLOG)).toEqual({
      allowed: false,
      rule: 'the role shop may run ssl * only where zone is shop-* or 77 and state is on (policy.yml line 5)',
      whom: ['U0ADA'],
      where: [],
      tentative: false,
    });
    expect(decide(policy, 'ssl force', BEN, { ...ON_SHOP, state: [['off']] }).allowed).toBe(false);
  });

  it('name three rules of those that do not fit, at the most', () => {
    const entry = (zone: string) => `      - operations: ssl *\n        where: { zone: ${zone} }\n`;
    const many = policyOf(
      `roles:\n  shop:\n    people: U0BEN\n    allow:\n      - zone list\n${['a', 'b', 'c', 'd'].map(entry).join('')}`,
    );
    expect(decide(many, 'ssl force', BEN, ON_BLOG).rule).toBe(
      ['a', 'b', 'c']
        .map((zone, at) => `the role shop may run ssl * only where zone is ${zone} (policy.yml line ${6 + 2 * at})`)
        .join('; '),
    );
  });

  it('meet whole words: neither a part nor a neighbour', () => {
    for (const name of ['my-shop-assets', 'shop', '771', '177', 'shopxassets'])
      expect(decide(policy, 'ssl force', BEN, { ...ON_SHOP, zone: [[name]] }).allowed, name).toBe(false);
  });

  it('let pass what could be allowed while the target is not known, and say so', () => {
    expect(decide(policy, 'ssl force', BEN)).toMatchObject({ allowed: true, tentative: true });
    expect(decide(policy, 'ssl force', BEN, { state: [['on']] })).toMatchObject({ allowed: true, tentative: true });
    expect(decide(policy, 'ssl force', BEN, { state: [['off']] }).allowed).toBe(false);
    expect(decide(policy, 'ssl force', ADA).tentative, 'an admin’s right needs no target').toBe(false);
  });

  it('are not met by nothing, nor by only one of two things, nor by a name that cannot be read', () => {
    expect(decide(policy, 'ssl force', BEN, { ...ON_SHOP, zone: [] }).allowed).toBe(false);
    expect(decide(policy, 'ssl force', BEN, { ...ON_SHOP, zone: [['shop-a'], ['blog']] }).allowed).toBe(false);
    expect(decide(policy, 'ssl force', BEN, { ...ON_SHOP, zone: [['9', '?']] }).allowed).toBe(false);
    expect(decide(policy, 'ssl force', BEN, { ...ON_SHOP, zone: [['77', '?']] }).allowed).toBe(true);
  });

  it('do not take a name from the prototype of what is known', () => {
    const odd = policyOf(
      'roles:\n  shop:\n    people: U0BEN\n    allow:\n      - operations: ssl *\n        where: { zone: shop-* }\n',
    );
    const names: Names = Object.create({ zone: [['shop-x']] });
    expect(decide(odd, 'ssl force', BEN, names).tentative).toBe(true);
  });

  it('leave out the commands that have no such argument', () => {
    const reads = policyOf('roles:\n  everybody:\n    allow:\n      - effect: read\n        where: { zone: shop-* }\n');
    expect(decide(reads, 'zone list', BEN).allowed).toBe(false);
    expect(decide(reads, 'zone show', BEN, { zone: [['1', 'shop-x']] }).allowed).toBe(true);
  });

  it('prefer the role that allows it for certain', () => {
    const both = policyOf(
      'roles:\n  a:\n    people: U0BEN\n    allow:\n      - operations: ssl *\n        where: { zone: x }\n      - ssl force\n',
    );
    expect(decide(both, 'ssl force', BEN)).toMatchObject({
      tentative: false,
      rule: 'the role a may run ssl force (policy.yml line 7)',
    });
    const apart = policyOf(
      'roles:\n  a:\n    people: U0BEN\n    allow:\n      - operations: ssl *\n        where: { zone: x }\n  b:\n    people: U0BEN\n    allow: [ssl *]\n',
    );
    expect(decide(apart, 'ssl force', BEN)).toMatchObject({ tentative: false, rule: expect.stringMatching(/role b/) });
  });
});

describe('Channels', () => {
  const text = `
channels:
  '#ops':
    allow: ['*']
  C0SHOP:
    allow:
      - operations: ['ssl *', 'zone *']
        where: { zone: shop-* }
  direct:
    allow: [zone list]
  other:
    allow: []
`;
  const policy = policyOf(text);

  it('narrow what the person may', () => {
    expect(decide(policy, 'app delete', ADA)).toMatchObject({
      allowed: true,
      rule: 'the role admins may run everything (built in); #ops allows everything (policy.yml line 4)',
    });
    expect(decide(policy, 'ssl force', BEN).allowed, 'the place gives no right').toBe(false);
    expect(decide(policy, 'ssl force', ADA, ON_SHOP, 'C0SHOP')).toMatchObject({
      allowed: true,
      tentative: false,
      rule: expect.stringMatching(/this channel \(C0SHOP\) allows ssl \*, zone \* where zone is shop-\*/),
    });
  });

  it('refuse with the place’s rule and the channels where it is allowed', () => {
    expect(decide(policy, 'app delete', ADA, {}, 'C0SHOP')).toEqual({
      allowed: false,
      rule: 'this channel (C0SHOP) allows only ssl *, zone * where zone is shop-* (policy.yml line 7)',
      whom: [],
      where: ['C0OPS'],
      tentative: false,
    });
    expect(decide(policy, 'ssl force', ADA, ON_BLOG, 'C0SHOP')).toMatchObject({ allowed: false, where: ['C0OPS'] });
    expect(decide(policy, 'ssl force', ADA, ON_SHOP, 'C0ELSE').where).toEqual(['C0OPS', 'C0SHOP']);
  });

  it('say which of their rules do not fit, three at the most, else what they allow', () => {
    const narrow = policyOf(
      `channels:\n  C0OPS:\n    allow:\n      - zone list\n${['a', 'b', 'c', 'd']
        .map((zone) => `      - operations: ssl *\n        where: { zone: ${zone} }\n`)
        .join('')}`,
    );
    expect(decide(narrow, 'ssl force', ADA, ON_BLOG).rule).toBe(
      `this channel (C0OPS) allows only ${['a', 'b', 'c']
        .map((zone, at) => `ssl * where zone is ${zone} (policy.yml line ${5 + 2 * at})`)
        .join('; ')}`,
    );
    expect(decide(narrow, 'app delete', ADA).rule).toBe(
      'this channel (C0OPS) allows only zone list (policy.yml line 4); ssl * where zone is a (policy.yml line 5); ssl * where zone is b (policy.yml line 7)',
    );
    expect(decide(narrow, 'ssl force', ADA, { zone: [] }).allowed).toBe(false);
  });

  it('name one rule that may allow it, while the target is not known', () => {
    const both = policyOf(
      `channels:\n  C0OPS:\n    allow:\n${['a', 'b'].map((zone) => `      - operations: ssl *\n        where: { zone: ${zone} }\n`).join('')}`,
    );
    expect(decide(both, 'ssl force', ADA).rule).toBe(
      'the role admins may run everything (built in); this channel (C0OPS) allows ssl * where zone is a (policy.yml line 4)',
    );
  });

  it('name the places where it is allowed', () => {
    const elsewhere = policyOf(
      "channels:\n  '#ops':\n    allow: []\n  direct:\n    allow: ['*']\n  other:\n    allow: ['*']\n",
    );
    expect(decide(elsewhere, 'app delete', ADA)).toMatchObject({ allowed: false, where: ['direct', 'other'] });
    const narrow = policyOf(
      "channels:\n  '#ops':\n    allow: []\n  direct:\n    allow: ['*']\n  other:\n    allow: [zone list]\n",
    );
    expect(decide(narrow, 'app delete', ADA).where).toEqual(['direct']);
    expect(decide(narrow, 'zone list', ADA).where).toEqual(['direct', 'other']);
    for (const actor of [GUS, EVE]) expect(decide(narrow, 'zone list', actor).where).toEqual([]);
    expect(decide(narrow, 'app delete', BEN).where).toEqual([]);
  });

  it('are tentative like the person’s right while the target is not known', () => {
    expect(decide(policy, 'ssl force', ADA, {}, 'C0SHOP')).toMatchObject({ allowed: true, tentative: true });
  });

  it('tell a direct message and the Home tab from channels, and both from what is not named', () => {
    for (const place of ['D0ADA', 'U0ADA', 'W0ADA']) {
      expect(decide(policy, 'zone list', ADA, {}, place).allowed, place).toBe(true);
      expect(decide(policy, 'zone show', ADA, {}, place).rule, place).toBe(
        'a direct message allows only zone list (policy.yml line 10)',
      );
    }
    for (const place of ['C0ELSE', 'G0ELSE'])
      expect(decide(policy, 'zone list', ADA, {}, place).rule).toBe(
        'a place that the policy does not name allows only questions about the commands',
      );
  });

  it('that are not named are open without `other`, and direct messages with them', () => {
    const open = policyOf("channels:\n  '#ops':\n    allow: [zone list]\n");
    expect(decide(open, 'app delete', ADA, {}, 'C0ELSE').allowed).toBe(true);
    expect(decide(open, 'app delete', ADA, {}, 'D0ADA').allowed).toBe(true);
    expect(decide(open, 'app delete', ADA).allowed).toBe(false);
    const personal = policyOf('channels:\n  direct:\n    allow: [zone list]\n');
    expect(decide(personal, 'app delete', ADA, {}, 'C0ELSE').allowed).toBe(true);
    expect(decide(personal, 'app delete', ADA, {}, 'D0ADA').allowed).toBe(false);
    const others = policyOf('channels:\n  other:\n    allow: [zone list]\n');
    expect(decide(others, 'app delete', ADA, {}, 'D0ADA').allowed).toBe(false);
  });

  it('both hold that are one and the same', () => {
    const twice = policyOf("channels:\n  '#ops':\n    allow: ['*']\n  C0OPS:\n    allow: [zone list]\n");
    expect(decide(twice, 'app delete', ADA).allowed).toBe(false);
    expect(decide(twice, 'zone list', ADA).allowed).toBe(true);
  });

  it('is meant by the id that it had when a condition was written, and no other channel is', () => {
    const directory = {
      ...createFixedDirectory(),
      channel: (id: string) => (id === 'C0OLD000001' ? 'C0NEW000001' : id),
    };
    const moved = policyOf(
      'roles:\n  everybody:\n    allow:\n      - operations: report subscribe\n        where: { channel: C0OLD000001 }\n',
      directory,
    );
    const may = (...channel: string[]) => decide(moved, 'report subscribe', BEN, { channel: [channel] }).allowed;
    expect(may('C0NEW000001', 'ops')).toBe(true);
    expect(may('C0OLD000001', 'ops')).toBe(true);
    expect(may('C0OTHER0001', 'ops')).toBe(false);
  });

  it('that cannot be found may be any that Slack does not name: those are as narrow', () => {
    const directory = createFixedDirectory({ channels: { '#known': 'C0KNOWN' } });
    const lost = policyOf("channels:\n  '#lost':\n    allow: [zone list]\n", directory);
    expect(decide(lost, 'app delete', ADA, {}, 'C0SECRET')).toMatchObject({
      allowed: false,
      rule: '#lost allows only zone list (policy.yml line 3)',
      where: [],
    });
    expect(decide(lost, 'app delete', ADA, {}, 'C0KNOWN').allowed).toBe(true);
    expect(decide(lost, 'app delete', ADA, {}, 'D0ADA').allowed).toBe(true);
  });
});

describe('Approvals', () => {
  const directory = createFixedDirectory({
    groups: { '@leads': ['U0ADA', 'U0BEN'] },
    channels: { '#incidents': 'C0INC', '#ops': 'C0OPS' },
  });
  const policy = policyOf(
    `
approval:
  - operations: ssl *
    where: { zone: shop-*, state: 'off' }
    approvers: { groups: '@leads', people: U0CLEO }
    count: 2
    expires: 30m
    reason: required
    breakGlass: { channel: '#incidents' }
  - effect: destructive
    approvers: { roles: [admins, everybody] }
    breakGlass: { channel: '#nowhere' }
`,
    directory,
  );
  const off = { ...ON_SHOP, state: [['off']] };

  it('are asked for on the targets that they name', () => {
    expect(decide(policy, 'ssl force', ADA, off)).toMatchObject({ allowed: true, tentative: false });
    expect(decide(policy, 'ssl force', ADA, off).approval).toEqual({
      approvers: ['U0CLEO', 'U0ADA', 'U0BEN'],
      guests: ['U0CLEO'],
      anybody: false,
      count: 2,
      expires: 30 * 60_000,
      reason: 'required',
      breakGlass: { channel: '#incidents', id: 'C0INC' },
      rule: 'ssl * where zone is shop-* and state is off (policy.yml line 3) needs an approval',
      who: '@leads, 1 named person',
      words: '2 approvals from @leads, 1 named person',
    });
    expect(decide(policy, 'ssl force', ADA, ON_SHOP).approval).toBeUndefined();
    expect(decide(policy, 'ssl force', ADA, { ...ON_BLOG, state: [['off']] }).approval).toBeUndefined();
  });

  it('have a usual count, time and reason', () => {
    expect(decide(policy, 'app delete', ADA).approval).toMatchObject({
      approvers: ['U0ADA'],
      anybody: true,
      count: 1,
      expires: 60 * 60_000,
      reason: 'optional',
      breakGlass: { channel: '#nowhere', id: undefined },
      who: 'the role admins, all members',
      words: 'one approval from the role admins, all members',
    });
  });

  it('are asked for rather than not while a target or its name is not known', () => {
    expect(policy.approvalFor({ name: 'ssl force' })).toBeDefined();
    expect(policy.approvalFor({ name: 'ssl force' }, { ...off, zone: [['1009', '?']] })).toBeDefined();
    expect(policy.approvalFor({ name: 'ssl force' }, { ...off, zone: [['1009', 'blog']] })).toBeUndefined();
    expect(
      policy.approvalFor(
        { name: 'ssl force' },
        {
          ...off,
          zone: [
            ['1009', 'blog'],
            ['9', '?'],
          ],
        },
      ),
    ).toBeDefined();
    expect(policy.approvalFor({ name: 'zone list' })).toBeUndefined();
  });

  it('are not for those who may not do it at all', () => {
    expect(decide(policy, 'ssl force', BEN, off).approval).toBeUndefined();
  });

  it('take the first entry that fits', () => {
    const two = policyOf(
      'approval:\n  - operations: app *\n    approvers: { people: U0BEN }\n  - effect: destructive\n    count: 3\n    approvers: { people: U0BEN }\n',
    );
    expect(two.approvalFor({ name: 'app delete' })).toMatchObject({
      count: 1,
      words: 'one approval from 1 named person',
    });
    expect(two.approvalFor({ name: 'app delete' })).not.toHaveProperty('breakGlass');
    const some = policyOf('approval:\n  - operations: app *\n    approvers: { people: [U0BEN, U0CLEO] }\n');
    expect(some.approvalFor({ name: 'app delete' })?.words).toBe('one approval from 2 named people');
  });

  describe('that might be meant', () => {
    const several = policyOf(
      `
approval:
  - operations: ssl *
    where: { zone: trial-* }
    approvers: { roles: everybody }
    expires: 30m
    breakGlass: { channel: '#incidents' }
  - operations: ssl *
    where: { zone: shop-* }
    approvers: { people: [U0BEN, U0CLEO], groups: '@leads' }
    count: 2
    breakGlass: { channel: '#incidents' }
  - operations: ssl *
    approvers: { people: [U0BEN, U0DORA] }
    reason: required
  - operations: ssl *
    approvers: { people: U0NEVER }
`,
      directory,
    );
    const onZone = (...zone: string[][]) => several.approvalFor({ name: 'ssl force' }, { ...off, zone });

    it('count together, up to the first that surely is', () => {
      expect(onZone(['9', '?'])).toEqual({
        approvers: ['U0BEN'],
        guests: [],
        anybody: false,
        count: 2,
        expires: 30 * 60_000,
        reason: 'required',
        rule: [
          'ssl * where zone is trial-* (policy.yml line 3) needs an approval',
          'ssl * where zone is shop-* (policy.yml line 8) needs an approval',
          'ssl * (policy.yml line 13) needs an approval',
        ].join('; '),
        who: 'all members who are also of @leads, 2 named people who are also of 2 named people',
        words: '2 approvals from all members who are also of @leads, 2 named people who are also of 2 named people',
      });
    });

    it('are those of each of several things', () => {
      const both = onZone(['1', 'trial-a'], ['2', 'shop-a']);
      expect(both).toMatchObject({ anybody: false, approvers: ['U0BEN'], count: 2, reason: 'required' });
      expect(onZone(['1', 'trial-a'], ['2', 'trial-b'])).toMatchObject({ anybody: true, count: 1 });
      expect(onZone(['1', 'trial-a'], ['2', 'blog'])).toMatchObject({ anybody: false, approvers: ['U0BEN', 'U0DORA'] });
      expect(onZone(['2', 'blog'])).toMatchObject({ rule: expect.stringMatching(/^ssl \* \(policy\.yml line 13\)/) });
    });

    it('are announced without approval where each of them says so, in one and the same channel', () => {
      const glass = (second: string) =>
        policyOf(
          `approval:\n  - operations: ssl *\n    where: { zone: a }\n    approvers: { roles: everybody }\n    breakGlass: { channel: '#incidents' }\n  - operations: ssl *\n    approvers: { roles: everybody }\n${second}`,
          directory,
        ).approvalFor({ name: 'ssl force' }, { ...off, zone: [['9', '?']] });
      expect(glass("    breakGlass: { channel: '#incidents' }\n")?.breakGlass?.id).toBe('C0INC');
      expect(glass("    breakGlass: { channel: '#ops' }\n")).not.toHaveProperty('breakGlass');
      expect(glass('')).not.toHaveProperty('breakGlass');
      expect(glass('')).toMatchObject({ anybody: true, reason: 'optional' });
    });

    it('give nobody a right', () => {
      const right = policyOf(
        'roles:\n  shop:\n    people: U0BEN\n    allow:\n      - operations: ssl force\n        where: { zone: shop-* }\n',
      );
      for (const zone of [
        [['9', '?']],
        [
          ['1', 'shop-a'],
          ['2', 'blog'],
        ],
        [
          ['1', 'shop-a'],
          ['9', '?'],
        ],
        [],
      ])
        expect(decide(right, 'ssl force', BEN, { ...off, zone }).allowed).toBe(false);
      expect(
        decide(right, 'ssl force', BEN, {
          ...off,
          zone: [
            ['1', 'shop-a'],
            ['2', 'shop-b'],
          ],
        }).allowed,
      ).toBe(true);
    });
  });

  it('come from another member of the workspace whom the rule names', () => {
    const rule = policy.approvalFor({ name: 'ssl force' }, off) as ApprovalRule;
    const asked = { id: 'U0ADA' };
    expect(mayApprove(rule, BEN, asked)).toEqual({ allowed: true, rule: rule.rule });
    expect(mayApprove(rule, { id: 'U0CLEO', kind: 'guest' }, asked).allowed, 'named by id').toBe(true);
    expect(mayApprove(rule, { id: 'U0BEN', kind: 'guest' }, asked)).toEqual({
      allowed: false,
      rule: 'guests approve only where the policy names them, or a role for guests',
    });
    expect(mayApprove(rule, ADA, asked)).toEqual({
      allowed: false,
      rule: 'nobody approves their own request',
    });
    expect(mayApprove(rule, { id: 'U0BEN', kind: 'stranger' }, asked)).toEqual({
      allowed: false,
      rule: 'people of other workspaces cannot approve',
    });
    expect(mayApprove(rule, { id: 'U0DORA', kind: 'member' }, asked)).toEqual({
      allowed: false,
      rule: `it needs 2 approvals from @leads, 1 named person (${rule.rule})`,
    });
    const anybody = policy.approvalFor({ name: 'app delete' }) as ApprovalRule;
    expect(mayApprove(anybody, { id: 'U0DORA', kind: 'member' }, asked).allowed).toBe(true);
    expect(mayApprove(anybody, { id: 'U0DORA', kind: 'guest' }, asked).allowed).toBe(false);
  });
});
