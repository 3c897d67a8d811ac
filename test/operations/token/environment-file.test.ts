import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
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
const token = 'new';
const url = 'libsql://a.example';
const written = () => readFileSync(path, 'utf8');

it('a token goes into a file that was not there, which only its owner can read, at any moment', async () => {
  const file = createEnvironmentFile(path);
  expect(file.path).toBe(path);
  expect(await file.save({ token })).toEqual({ wroteUrl: false, isOtherUrl: false });
  expect(written()).toBe(`${TOKEN}=new\n`);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(early).toEqual([0o600]);
  expect(readdirSync(folder)).toEqual([basename(path)]);
});

it('a file that everybody could read is closed', async () => {
  writeFileSync(path, 'A=1\n', { mode: 0o644 });
  await createEnvironmentFile(path).save({ token });
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
  await createEnvironmentFile(path).save({ token });
  expect(written()).toBe(is);
});

it('an address is written only where there is none', async () => {
  writeFileSync(path, 'A=1\n');
  expect(await createEnvironmentFile(path).save({ token, url })).toEqual({ wroteUrl: true, isOtherUrl: false });
  expect(written()).toBe(`A=1\n${TOKEN}=new\n${URL_NAME}=${url}\n`);
  const other = await createEnvironmentFile(path).save({ token: 'newer', url: 'libsql://b.example' });
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
  expect(await createEnvironmentFile(path).save({ token, url: given })).toEqual({ wroteUrl: false, isOtherUrl });
  expect(written()).toBe(`${line}\n${TOKEN}=new\n`);
});

it('no other address is meant where none is given', async () => {
  writeFileSync(path, `${URL_NAME}=${url}\n`);
  expect(await createEnvironmentFile(path).save({ token })).toEqual({ wroteUrl: false, isOtherUrl: false });
});

it.each(['a\nB=2', 'a\rB=2'])(
  'a token like %j, which would make a line of its own, leaves the file as it is',
  async (broken) => {
    writeFileSync(path, 'A=1\n');
    await expect(createEnvironmentFile(path).save({ token: broken })).rejects.toThrow('line break');
    await expect(createEnvironmentFile(path).save({ token, url: broken })).rejects.toThrow('line break');
    expect(written()).toBe('A=1\n');
    expect(readdirSync(folder)).toEqual([basename(path)]);
  },
);

it('a file that cannot be read is not written either', async () => {
  await expect(createEnvironmentFile(folder).save({ token })).rejects.toMatchObject({
    code: 'EISDIR',
    syscall: 'read',
  });
});
