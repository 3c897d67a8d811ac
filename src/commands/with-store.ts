import { existsSync } from 'node:fs';
import { Secret } from '../secret.ts';
import { withSecretFiles } from '../setting-checks.ts';
import { StartError } from '../start-error.ts';

const KEYS = ['EDGEWISE_ENCRYPTION_KEY', 'EDGEWISE_ENCRYPTION_KEY_OLD'] as const;

/** The present key and the one before, which may be in files. */
function keysOf(environment: NodeJS.ProcessEnv): (Secret | undefined)[] {
  const written = Object.entries(environment).filter(
    (one): one is [string, string] => one[1] !== undefined && one[1] !== '',
  );
  const { given, wrong } = withSecretFiles(Object.fromEntries(written), KEYS);
  if (wrong.size > 0) throw new Error([...wrong.values()].join('\n'));
  return KEYS.map((name) => (given[name] === undefined ? undefined : Secret.of(given[name])));
}

/** Ends the process with the exit code that `work` returns. 2: the arguments are wrong, or it could not be done. */
export async function withStore(
  usage: string,
  wanted: number,
  work: (args: readonly string[], keys: readonly (Secret | undefined)[]) => Promise<number>,
): Promise<never> {
  const args = process.argv.slice(2);
  if (args.length !== wanted || args[0]?.startsWith('-')) {
    console.error(`Usage: ${usage}`);
    process.exit(2);
  }
  try {
    if (existsSync('.env')) process.loadEnvFile('.env');
    process.exit(await work(args, keysOf(process.env)));
  } catch (error) {
    console.error(error instanceof StartError ? error.message : error);
    process.exit(2);
  }
}
