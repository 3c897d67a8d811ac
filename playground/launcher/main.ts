/** `npm run playground`: everything on this machine, no account anywhere. */
import { createInterface } from 'node:readline';
import { BotEndedError } from './bot-process.ts';
import { playMorning } from './demo.ts';
import { FlagError, parseFlags, usage } from './flags.ts';
import { MARKS_TOKEN, type Playground, startPlayground } from './start.ts';

const say = (text: string): void => console.log(text);

/** Runs until Ctrl-C. */
async function run(): Promise<void> {
  const flags = parseFlags(process.argv.slice(2));
  if (flags.help) {
    say(usage);
    return;
  }
  say('Starting the platform simulator, Slack and the bot …');
  const playground = await startPlayground({
    ...flags,
    onBotExit: (reason) => offerRestart(playground, reason),
    onBotWaiting: (reason) => say(`  The bot runs, and waits (${reason}). The page is there: ${playground.url}`),
  });
  watchSignals(playground);
  watchKeys(playground);
  await startBot(playground);
  if (!isReady(playground)) return;
  say(welcome(playground));
  if (flags.demo) await beginMorning(playground);
}

/** Another policy, or faults, may keep it from happening: everything else goes on. */
async function beginMorning({ slack }: Playground): Promise<void> {
  try {
    await playMorning(slack);
  } catch (error) {
    const [why] = String(error).split('\n');
    say(`  #ops is not as it would be on other mornings: ${why}`);
  }
}

const isReady = ({ bot, second }: Playground): boolean => bot.isReady && second?.isReady !== false;

async function startBot(playground: Playground): Promise<void> {
  try {
    await Promise.all([playground.bot, playground.second].map((bot) => bot?.isReady === false && bot.start()));
  } catch (error) {
    if (!(error instanceof BotEndedError)) throw error;
    offerRestart(playground, error.message);
  }
}

function welcome({ url, logFile, folder, slack, bot, second }: Playground): string {
  const members = [...slack.workspace.users.values()].filter(({ isBot }) => !isBot).map(({ name }) => name);
  return `
  Edgewise is ready:  ${url}

  Type /edge help there, or take one of the lines that the page offers. To try as well:
    · Switch the person at the top right: ${members.join(', ')}. Only ada is an admin.
    · Open a second window as somebody else: ${url}/#ben/ops
    · End the bot in the middle of something (kill -9 ${bot.pid}, then press Enter here) and go on: it remembers.
    · Leave a mark, as a CI job does: curl ${bot.url}/marks -H 'Authorization: Bearer ${MARKS_TOKEN}' \\
        -d '{"text": "deploy 4f2a of checkout", "zone": "main-site"}'
    · Let an agent read and ask as ada: type /edge token-for-agents create, and set EDGEWISE_TOKEN to what it shows;
        EDGEWISE_URL=${bot.url} node bin/run.mjs mcp is what the agent starts (docs/agents.md has a line of curl)
    · Let Slack misbehave: type chat.postMessage=ratelimited*3 here; --help and playground/README.md tell more.

  The bot's process:  ${bot.pid}${second === undefined ? '' : ` (the second one: ${second.pid}, its log and store in a folder below)`}
  Its log:            ${logFile}
  Its store:          ${folder}
  Ctrl-C ends everything.
`;
}

/** Says why a bot is gone, and how to go on: it is not started again by itself, so that a crash is seen. */
function offerRestart({ bot, second = bot }: Playground, reason: string): void {
  const gone = bot.isReady ? second : bot;
  const lines = gone.lastLines();
  say(`\n  ${gone === bot ? 'The bot' : 'The second bot'} is gone: ${reason.replace(/^The bot /, '')}`);
  if (lines.length > 0)
    say(`  Its last lines (all of them are in ${gone.logFile}):\n${lines.map((line) => `    ${line}`).join('\n')}`);
  say('  Press Enter (or r and Enter) to start it again, Ctrl-C to end.');
}

function watchKeys(playground: Playground): void {
  let isStarting = false;
  const lines = createInterface({ input: process.stdin });
  lines.on('line', async (line) => {
    if (line.includes('=')) return say(switchFault(playground, line));
    if (!['', 'r'].includes(line.trim().toLowerCase()) || isStarting || isReady(playground)) return;
    isStarting = true;
    say('  Starting the bot …');
    await startBot(playground).catch((error: unknown) => say(String(error)));
    isStarting = false;
    if (isReady(playground))
      say(`  The bot is back${playground.second ? '' : ` as process ${playground.bot.pid}`}: ${playground.url}`);
  });
}

/** A fault of Slack's, typed while everything runs: `chat.update=msg_too_long*3`. */
function switchFault({ slack }: Playground, line: string): string {
  try {
    slack.fault(line);
    return `  Slack: ${line.trim()} is on.`;
  } catch (error) {
    if (error instanceof RangeError) return `  ${error.message}`;
    throw error;
  }
}

function watchSignals(playground: Playground): void {
  let isStopping = false;
  const stop = async (): Promise<void> => {
    if (isStopping) return;
    isStopping = true;
    say('\n  Ending the bot, Slack and the simulator …');
    await playground.close();
    process.exit(0);
  };
  process.on('SIGINT', () => void stop());
  process.on('SIGTERM', () => void stop());
}

run().catch((error: unknown) => {
  const isMistake = error instanceof FlagError;
  console.error(isMistake ? `${error.message} (--help shows the flags)` : error);
  process.exit(isMistake ? 2 : 1);
});
