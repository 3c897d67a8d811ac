import { inspect } from 'node:util';
import { ConfigError, environmentSchema, SECRETS } from '../config.ts';
import { hideShapes } from '../secret-shapes.ts';
import { loadEnvironment, settingsOf, withSecretFiles } from '../setting-checks.ts';
import { StartError } from '../start-error.ts';
import { StoreError } from '../store/store-error.ts';

const schema = environmentSchema.pick({
  STORE_URL: true,
  STORE_CA: true,
  EDGEWISE_ENCRYPTION_KEY: true,
  EDGEWISE_ENCRYPTION_KEY_OLD: true,
});

/** Throws ConfigError. */
function settings() {
  const secrets = SECRETS.filter((name) => name in schema.shape);
  const { given, wrong } = withSecretFiles(settingsOf(process.env), secrets);
  if (wrong.size > 0) throw new ConfigError([...wrong.values()]);
  return schema.parse(given);
}

/** Ends the process with the exit code that `work` returns. 2: the arguments are wrong, or it could not be done. */
export async function withStore(
  usage: string,
  wanted: number,
  work: (args: readonly string[], given: ReturnType<typeof settings>) => Promise<number>,
): Promise<never> {
  const args = process.argv.slice(2);
  if (args.length !== wanted || args[0]?.startsWith('-')) {
    console.error(`Usage: ${usage}`);
    process.exit(2);
  }
  try {
    loadEnvironment();
    process.exit(await work(args, settings()));
  } catch (error) {
    const away = error instanceof StoreError && `The store could not be reached: ${error.message}. Try again.`;
    console.error(hideShapes(away || (error instanceof StartError ? error.message : inspect(error))));
    process.exit(2);
  }
}
