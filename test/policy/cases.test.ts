import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { commandOf } from '../../src/changes/permission.ts';
import { parseCases, runCases, tooFewIn } from '../../src/commands/policy-cases.ts';
import { operations } from '../../src/operations/index.ts';
import { parsePolicy } from '../../src/policy/document.ts';

const docs = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');

const CASES = `
people: { ben: U0BEN, gus: { id: U0GUS, kind: guest } }
platform: { zones: [{ id: 1, name: shop-a, hostnames: [cdn.example.com] }] }
cases:
  - [ben, direct, ssl force cdn.example.com on, denied]
  - [ben, direct, ssl force cdn.example.com on, allowed]
  - [ada, direct, zone list, allowed]
  - [ben, '#ops', zone list, allowed]
  - [ben, direct, zone fly, allowed]
  - [ben, direct, zone show blog, allowed]
  - [ben, C0OPS, zone show, allowed]
`;

describe('The example policy', () => {
  it('comes to what its cases say', async () => {
    const results = await runCases(
      parseCases(docs('policy.cases.example.yml')),
      docs('policy.example.yml'),
      'policy.yml',
    );
    expect(results.filter(({ ok }) => !ok)).toEqual([]);
    expect(results.length).toBeGreaterThan(20);
  });

  it('uses all that there is to use', () => {
    const { roles, gates, approvals } = parsePolicy({
      text: docs('policy.example.yml'),
      commands: operations.map(commandOf),
      admins: [],
    });
    expect(roles.some(({ guests }) => guests)).toBe(true);
    expect(gates.length).toBeGreaterThan(2);
    expect(approvals.some(({ breakGlass }) => breakGlass !== undefined)).toBe(true);
  });
});

describe('A table of cases', () => {
  it('is decided offline, and says on which line something came out otherwise', async () => {
    const results = await runCases(parseCases(CASES), '', 'policy.yml');
    expect(results.map(({ line, came, ok }) => [line, came, ok])).toEqual([
      [5, 'denied', true],
      [6, 'denied', false],
      [7, 'mistake', false],
      [8, 'mistake', false],
      [9, 'mistake', false],
      [10, 'mistake', false],
      [11, 'allowed', true],
    ]);
    expect(results.map(({ rule }) => rule).slice(2, 6)).toEqual([
      'there is nobody called “ada” under people',
      'there is no #ops under channels',
      'There is no command “zone fly”.',
      'There is no pull zone “blog”.',
    ]);
    expect(results[1]?.rule).toBe('only the role admins may');
  });

  it('names an approval that too few of its people can give', async () => {
    const policy = `approval:
  - operations: app delete
    approvers: { groups: ['@leads'] }
    count: 5
`;
    const cases = parseCases("people: { ben: U0B1, cyd: U0C1 }\ngroups: { '@leads': [ben, cyd] }\ncases: []\n");
    expect(await tooFewIn(cases, policy, 'policy.yml')).toEqual([
      'app delete (policy.yml line 2) needs an approval: only 2 of 5 can give it',
    ]);
  });

  it('is refused with the line of what is wrong in it', () => {
    expect(() => parseCases('people: {}\ncases:\n  - [a, b, c, perhaps]\n')).toThrow(
      'line 3: cases has to be allowed, denied or approval.',
    );
    expect(() => parseCases('people: {}\ncases: []\nmore: 1\n')).toThrow('line 3: “more” is not known here.');
    expect(() => parseCases('people: {}\n')).toThrow('line 1: cases is missing.');
    expect(() => parseCases('garbage\n')).toThrow('line 1: the file has to be names with values.');
    expect(() => parseCases('people: {}\ncases:\n  - who: ada\n')).toThrow('line 3: cases has to be a list.');
  });
});
