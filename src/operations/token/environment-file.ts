import { randomBytes } from 'node:crypto';
import { chmod, readFile, rename, writeFile } from 'node:fs/promises';
import { insteadOf } from '../../errors.ts';
import { databaseAddress } from '../../platform/database-address.ts';

export interface EnvironmentFile {
  path: string;
  /** Throws UsageError unless the bot may send the saved token to this address. */
  check(url: string): void;
  /** `isOtherUrl`: the file has the address of another database, which stays there. */
  save(values: { token: string; url?: string | undefined }): Promise<{ wroteUrl: boolean; isOtherUrl: boolean }>;
}

const TOKEN = 'PLATFORM_DATABASE_AUTH_TOKEN';
const URL_NAME = 'PLATFORM_DATABASE_URL';

export function createEnvironmentFile(path: string, hosts: readonly string[]): EnvironmentFile {
  return {
    path,
    check(url) {
      databaseAddress({ url }, hosts);
    },
    async save({ token, url }) {
      const isMissing = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT';
      const text = await readFile(path, 'utf8').catch(insteadOf(isMissing, ''));
      const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n');
      const present = lines.findLast((line) => nameIn(line) === URL_NAME);
      const kept = lines.filter((line) => nameIn(line) !== TOKEN);
      const wroteUrl = url !== undefined && present === undefined;
      const isOtherUrl = url !== undefined && present !== undefined && hostOf(valueIn(present)) !== hostOf(url);
      const added = [`${TOKEN}=${quoted(token)}`, ...(wroteUrl ? [`${URL_NAME}=${quoted(url)}`] : [])];
      const fresh = `${path}.${randomBytes(6).toString('hex')}`;
      await writeFile(fresh, `${[...kept, ...added].join('\n')}\n`, { mode: 0o600, flag: 'wx' });
      await chmod(fresh, 0o600);
      await rename(fresh, path);
      return { wroteUrl, isOtherUrl };
    },
  };
}

/** `export NAME = value` → `NAME`. */
const nameIn = (line: string) => /^\s*(?:export\s+)?(\w+)\s*=/.exec(line)?.[1];

/** `NAME="value"` → `value`. */
const valueIn = (line: string) =>
  line
    .slice(line.indexOf('=') + 1)
    .trim()
    .replace(/^(["'])(.*)\1$/, '$2');

/** Without the scheme and the end of the address. */
const hostOf = (address: string) =>
  address
    .replace(/^[a-z]+:\/\//i, '')
    .replace(/[/?#].*/, '')
    .toLowerCase();

/** Shells, Node and systemd read it back unchanged. Docker does not know quotes. */
function quoted(value: string): string {
  if (/['\p{Cc}]/u.test(value))
    throw new Error('a value with a quote or a line break cannot go into an environment file');
  return /^[\w.:/@%+,-]+$/.test(value) ? value : `'${value}'`;
}
