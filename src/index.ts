import { existsSync } from 'node:fs';
import { startApp } from './app.ts';
import { ConfigError, parseConfig } from './config.ts';
import { StoreInUseError } from './store/open-database.ts';

/** How long a stop may take before the process ends anyway, in milliseconds. */
const STOP_LIMIT = 20_000;

try {
  if (existsSync('.env')) process.loadEnvFile('.env');
  const app = await startApp(parseConfig(process.env));
  let stopping = false;
  const stop = () => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => process.exit(1), STOP_LIMIT).unref();
    app.stop().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
} catch (error) {
  // A missing setting or a locked store is for whoever starts the bot: one clear text, no stack.
  const expected = error instanceof ConfigError || error instanceof StoreInUseError;
  console.error(expected ? error.message : error);
  process.exit(1);
}
