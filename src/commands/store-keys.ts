import { Secret } from '../secret.ts';
import { withSecretFiles } from '../setting-checks.ts';

const KEYS = ['EDGEWISE_ENCRYPTION_KEY', 'EDGEWISE_ENCRYPTION_KEY_OLD'] as const;

/** The present key and the one before, which may be in files. */
export function keysOf(environment: NodeJS.ProcessEnv): (Secret | undefined)[] {
  const written = Object.entries(environment).filter(
    (one): one is [string, string] => one[1] !== undefined && one[1] !== '',
  );
  const { given, wrong } = withSecretFiles(Object.fromEntries(written), KEYS);
  if (wrong.size > 0) throw new Error([...wrong.values()].join('\n'));
  return KEYS.map((name) => (given[name] === undefined ? undefined : Secret.of(given[name])));
}
