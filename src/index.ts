import { inspect } from 'node:util';
import { type App, startApp } from './app.ts';
import { parseConfig, secretsOf } from './config.ts';
import { loadEnvironment } from './setting-checks.ts';
import { createSecretFilter } from './slack/out/secrets.ts';
import { EXITS, StartError } from './start-error.ts';
import { STEPS, type StopPatience } from './stop.ts';
import { MINUTE } from './time.ts';

const starting = new AbortController();
let app: App | undefined;
let exitCode: number | undefined;
let grace = 0;
let secrets = createSecretFilter([]);
/** For output before there is a log, without secrets. */
const printed = (error: unknown) => secrets.hide(typeof error === 'string' ? error : inspect(error));

process.on('SIGTERM', () => told({ grace }));
// A person stops it, so no balancer has to notice.
process.on('SIGINT', () => told());
// This includes unhandled rejections.
process.on('uncaughtException', (error, origin) => {
  const says = 'an unexpected error: the process shuts down in order';
  if (app === undefined) console.error(says, printed(error));
  else app.log.fatal({ err: error, origin }, says);
  // Changes under way may finish.
  stop(1, { reads: MINUTE });
});

try {
  loadEnvironment();
  const config = parseConfig(process.env);
  secrets = createSecretFilter(secretsOf(config));
  grace = config.STOP_GRACE * 1_000;
  app = await startApp(config, { signal: starting.signal });
  if (starting.signal.aborted) await end();
} catch (error) {
  // One line for each mistake, without a stack trace.
  const isExpected = error instanceof StartError;
  if (!starting.signal.aborted) console.error(printed(isExpected ? error.message : error));
  process.exit(exitCode ?? (isExpected ? EXITS[error.kind].code : 1));
}

/** A second signal ends the process at once. */
function told(patience?: StopPatience): void {
  if (exitCode !== undefined) process.exit(1);
  stop(0, patience);
}

/** Works even while the start waits for Slack. */
function stop(code: number, patience: StopPatience = {}): void {
  if (exitCode !== undefined) return;
  exitCode = code;
  const limit = Object.values(STEPS).reduce((all, step) => all + step, 10_000);
  setTimeout(() => process.exit(1), limit + (patience.grace ?? 0) + (patience.reads ?? 0)).unref();
  if (app === undefined) starting.abort(new Error('stopped while it started'));
  else void end(patience);
}

async function end(patience?: StopPatience): Promise<void> {
  await app?.stop(patience).catch(() => {
    exitCode = 1;
  });
  process.exit(exitCode);
}
