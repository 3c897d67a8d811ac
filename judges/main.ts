/** `npm run check -- <name>`: what takes too long for every change, by name; alone, it lists them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

interface Check {
  summary: string;
  /** What Node runs, from the root of the repository. */
  command: readonly string[];
}

const VITEST = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'judges/vitest.config.ts'];
/** They take minutes, or measure time: each is a check of its own. */
const ALONE = [
  'judges/endpoints/**',
  'judges/mcp/**',
  'judges/hostile/doubling.test.ts',
  'judges/policy-judge/life.test.ts',
];

const checks: Record<string, Check> = {
  tests: {
    summary: 'The tests of the judges, and a few runs of each: what CI runs beside `npm test`',
    command: [...VITEST, ...ALONE.flatMap((path) => ['--exclude', path])],
  },
  endpoints: {
    summary: 'A person at the page, who uses every core endpoint from a line and through a form',
    command: [...VITEST, 'judges/endpoints'],
  },
  doubling: {
    summary:
      'Whether a text of twice the length takes more than twice as long, wherever texts are read; on a quiet machine',
    command: [...VITEST, 'judges/hostile/doubling.test.ts'],
  },
  life: {
    summary: 'Rights that change while something waits, beside an oracle that was written apart',
    command: [...VITEST, 'judges/policy-judge/life.test.ts'],
  },
  kill: {
    summary: 'Every change, killed at every step, and every request and answer lost',
    command: ['--import', 'tsx', 'judges/kill/main.ts'],
  },
  simulate: {
    summary: 'Many days of several bots in virtual time, with everything going wrong',
    command: ['--import', 'tsx', 'judges/simulation/main.ts'],
  },
  replicas: {
    summary: 'One message a slot from three processes on one store, killed at random',
    command: ['--import', 'tsx', 'judges/replicas.ts'],
  },
  'power-cut': {
    summary:
      'An embedded store whose process is killed while it writes, and backups beside writes: whether each copy is whole',
    command: ['--import', 'tsx', 'judges/power-cut.ts'],
  },
  store: {
    summary: 'A store that hangs, is slow, away or held: when people hear of it, what they read, what it costs',
    command: ['--import', 'tsx', 'judges/store.ts'],
  },
  replay: {
    summary: 'Weeks of traffic with incidents through both reports: what they miss and what they cry about',
    command: ['--import', 'tsx', 'judges/replay.ts'],
  },
  live: {
    summary: 'What your Slack does: one of each thing that only a workspace proves, in a channel of it',
    command: ['--import', 'tsx', 'judges/live/main.ts'],
  },
  policy: {
    summary: 'The policy beside a naive judge, which was written from its page alone, by random questions',
    command: ['--import', 'tsx', 'judges/policy-judge/main.ts'],
  },
  patterns: {
    summary: 'Every regular expression of the bot by recheck: whether any text takes more than its share of time',
    command: ['--import', 'tsx', 'judges/patterns/main.ts'],
  },
  texts: {
    summary: 'Every text that people may read, by file: to be read as a whole by somebody who has not seen the code',
    command: ['--import', 'tsx', 'judges/texts.ts'],
  },
  image: {
    summary: 'The steps of the Dockerfile as commands, with packages from the registry, and the bot that comes of it',
    command: ['--import', 'tsx', 'judges/image/main.ts'],
  },
  nodes: {
    summary: 'The tests on Node 20, 22, 24 and 26, which come from the registry',
    command: ['--import', 'tsx', 'judges/nodes.ts'],
  },
  'plain-words': {
    summary:
      'Requests in plain words, written by somebody who had not seen the code: how many are read as they were meant',
    command: ['--import', 'tsx', 'judges/plain-words/main.ts'],
  },
  mcp: {
    summary:
      'The conformance suite of MCP, from the registry, through the door of the bot, with what it calls beside our tools',
    command: [...VITEST, 'judges/mcp'],
  },
  picture: {
    summary: 'Makes docs/preview.png anew, the picture of the README, from the messages of today',
    command: ['--import', 'tsx', 'playground/picture/main.ts'],
  },
  signal: {
    summary: 'The reports over weeks of independent traffic beside three simple baselines: recall, delay, false posts',
    command: ['--max-semi-space-size=64', '--import', 'tsx', 'judges/signal/main.ts'],
  },
  chaos: {
    summary: 'Three replicas on one postgres while everything goes wrong: what is doubled, missed, silent or false',
    command: ['--import', 'tsx', 'judges/chaos/main.ts'],
  },
  rolling: {
    summary: 'Three replicas replaced one by one under fifty interactions a second: what is lost',
    command: ['--import', 'tsx', 'judges/rolling/main.ts'],
  },
  soak: {
    summary: 'Minutes or hours at a steady rate: memory, event loop, store, acknowledgements',
    command: ['--import', 'tsx', 'judges/soak/main.ts'],
  },
  mutate: {
    summary: 'Whether a test notices when policy, changes, delivery or the way out are broken',
    command: ['node_modules/@stryker-mutator/core/bin/stryker.js', 'run', 'judges/mutation/stryker.config.json'],
  },
};

/** Runs one check with the rest of the arguments; the exit code is its own, or 2 where no check has that name. */
async function main([name = '', ...rest]: readonly string[]): Promise<number> {
  const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
  if (check === undefined) {
    const list = Object.entries(checks).map(([one, { summary }]) => `  ${one.padEnd(12)}${summary}.`);
    if (name !== '') console.error(`There is no check ${name}.`);
    console.error(`npm run check -- <name> [its own flags]\n${list.join('\n')}`);
    return 2;
  }
  const cwd = fileURLToPath(new URL('..', import.meta.url));
  const child = spawn(process.execPath, [...check.command, ...rest], { cwd, stdio: 'inherit' });
  // A terminal sends its interrupt to the check too, which ends in its own way.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

process.exit(await main(process.argv.slice(2)));
