import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseEnv } from 'node:util';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createEnvironmentFile } from '../../../src/operations/token/environment-file.ts';

/** Who may read the file before its rights are set. */
const early = vi.hoisted((): number[] => []);
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  return {
    ...real,
    async chmod(path: string, mode: number) {
      early.push((await stat(path)).mode & 0o777);
      await real.chmod(path, mode);
    },
  };
});

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'edgewise-test-'));
  path = join(folder, 'bot.env');
  early.length = 0;
});
afterEach(() => rmSync(folder, { recursive: true }));

const TOKEN = 'PLATFORM_DATABASE_AUTH_TOKEN';
const URL_NAME = 'PLATFORM_DATABASE_URL';
const HOSTS = ['example'];
const token = 'new';
const url = 'libsql://a.example';
const written = () => readFileSync(path, 'utf8');

it('a token goes into a file that was not there, which only its owner can read, at any moment', async () => {
  const file = createEnvironmentFile(path, HOSTS);
  expect(file.path).toBe(path);
  expect(await file.save({ token })).toEqual({ wroteUrl: false, isOtherUrl: false });
  expect(written()).toBe(`${TOKEN}=new\n`);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(early).toEqual([0o600]);
  expect(readdirSync(folder)).toEqual([basename(path)]);
});

it('a file that everybody could read is closed', async () => {
  writeFileSync(path, 'A=1\n', { mode: 0o644 });
  await createEnvironmentFile(path, HOSTS).save({ token });
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

it.each([
  ['A=1\nB=2\n', `A=1\nB=2\n${TOKEN}=new\n`],
  ['A=1\n\n# B\nC=3', `A=1\n\n# B\nC=3\n${TOKEN}=new\n`],
  [`A=1\n${TOKEN}=old\nB=2\n`, `A=1\nB=2\n${TOKEN}=new\n`],
  [`export ${TOKEN}="old"\n  ${TOKEN} = older\nA=1\n`, `A=1\n${TOKEN}=new\n`],
  [`MY_${TOKEN}=1\n# ${TOKEN}=2\n${TOKEN}_OLD=3\n`, `MY_${TOKEN}=1\n# ${TOKEN}=2\n${TOKEN}_OLD=3\n${TOKEN}=new\n`],
])('of %j the line with the token is replaced, and everything else kept', async (was, is) => {
  writeFileSync(path, was);
  await createEnvironmentFile(path, HOSTS).save({ token });
  expect(written()).toBe(is);
});

it('an address is written only where there is none', async () => {
  writeFileSync(path, 'A=1\n');
  expect(await createEnvironmentFile(path, HOSTS).save({ token, url })).toEqual({ wroteUrl: true, isOtherUrl: false });
  expect(written()).toBe(`A=1\n${TOKEN}=new\n${URL_NAME}=${url}\n`);
  const other = await createEnvironmentFile(path, HOSTS).save({ token: 'newer', url: 'libsql://b.example' });
  expect(other).toEqual({ wroteUrl: false, isOtherUrl: true });
  expect(written()).toBe(`A=1\n${URL_NAME}=${url}\n${TOKEN}=newer\n`);
});

it.each([
  [`${URL_NAME}=libsql://a.example`, url, false],
  [`${URL_NAME}="libsql://a.example"`, url, false],
  [`export ${URL_NAME} = 'https://A.example/v2/pipeline?tls=1#x' `, url, false],
  [`${URL_NAME}=a.example`, url, false],
  [`${URL_NAME}=LIBSQL://a.example?x=/`, url, false],
  [`${URL_NAME}=libsql://b.example\n${URL_NAME}=libsql://a.example`, url, false],
  [`${URL_NAME}=libsql://a.example\n${URL_NAME}=libsql://b.example`, url, true],
  [`${URL_NAME}=libsql://a.example.org`, url, true],
  [`${URL_NAME}=libsql://a.example:8080`, url, true],
  [`${URL_NAME}=`, url, true],
  // Quotes that do not go around the whole are a part of it.
  [`${URL_NAME}=a"b"`, 'a"b"', false],
  [`${URL_NAME}="a"b`, '"a"b', false],
  [`${URL_NAME}=1libsql://a.example`, '1a.example', true],
])('whether %s is the address of another database than %s: %s', async (line, given, isOtherUrl) => {
  writeFileSync(path, `${line}\n`);
  expect(await createEnvironmentFile(path, HOSTS).save({ token, url: given })).toEqual({ wroteUrl: false, isOtherUrl });
  expect(written()).toBe(`${line}\n${TOKEN}=new\n`);
});

it('no other address is meant where none is given', async () => {
  writeFileSync(path, `${URL_NAME}=${url}\n`);
  expect(await createEnvironmentFile(path, HOSTS).save({ token })).toEqual({ wroteUrl: false, isOtherUrl: false });
});

it.each(['a\nB=2', 'a\rB=2', 'a\u0000', "a'; touch b; '"])(
  'a token like %j, which would be more than a value, leaves the file as it is',
  async (broken) => {
    writeFileSync(path, 'A=1\n');
    const file = createEnvironmentFile(path, HOSTS);
    await expect(file.save({ token: broken })).rejects.toThrow('a quote or a line break');
    await expect(file.save({ token, url: broken })).rejects.toThrow('a quote or a line break');
    expect(written()).toBe('A=1\n');
    expect(readdirSync(folder)).toEqual([basename(path)]);
  },
);

it.each([
  '$(touch mine)',
  '`touch mine`',
  'a;touch mine',
  'a&b',
  'a b',
  'a#b',
  '$HOME',
  '"',
  '\\',
  '~',
  '*',
  'a|b>c',
  'ümlaut',
  '',
  'eyJhbGciOi.J-_x=',
])('a token like %j is read back as it is, by a shell and by Node', async (odd) => {
  await createEnvironmentFile(path, HOSTS).save({ token: odd, url: 'libsql://a.example?x=1&y=$(touch%20mine)' });
  const read = `. ./bot.env && printf '%s|%s' "$${TOKEN}" "$${URL_NAME}"`;
  const expected = `${odd}|libsql://a.example?x=1&y=$(touch%20mine)`;
  expect(execFileSync('sh', ['-c', read], { cwd: folder, encoding: 'utf8' })).toBe(expected);
  const parsed = parseEnv(written());
  expect(`${parsed[TOKEN]}|${parsed[URL_NAME]}`).toBe(expected);
  expect(readdirSync(folder)).toEqual([basename(path)]);
});

it.each([
  ['libsql://a.elsewhere.test', /a\.elsewhere\.test is not one that tokens may be sent to/],
  ['libsql://a.example.elsewhere.test', /is not one that tokens/],
  ['http://a.example', /not encrypted/],
  ['libsql://user:pass@a.example', /contains credentials/],
  ['a.example', /cannot be read/],
])('the address %s is refused, as no token may be sent there', (address, why) => {
  expect(() => createEnvironmentFile(path, HOSTS).check(address)).toThrow(why);
  expect(() => createEnvironmentFile(path, HOSTS).check(url)).not.toThrow();
  expect(() => createEnvironmentFile(path, []).check(url)).toThrow('No database host is set');
});

it('a file that cannot be read is not written either', async () => {
  await expect(createEnvironmentFile(folder, HOSTS).save({ token })).rejects.toMatchObject({
    code: 'EISDIR',
    syscall: 'read',
  });
});
