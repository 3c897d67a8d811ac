/**
 * `npm run check -- live CHANNEL`: what Slack itself does, in a channel that the bot is in. Exit code 1: something is not as
 * the bot counts on; 130: it was stopped.
 */
import { existsSync } from 'node:fs';
import { lookAtStore } from '../../src/commands/doctor/examine.ts';
import { complained, type Finding, lineOf, reasonFor } from '../../src/commands/doctor/finding.ts';
import { slackFindings } from '../../src/commands/doctor/slack.ts';
import { parseConfig, secretsOf } from '../../src/config.ts';
import { hideShapes } from '../../src/secret-shapes.ts';
import { createSecretFilter } from '../../src/slack/out/secrets.ts';
import { lookAtSlack, type Outcome, outcomeLine } from './live.ts';

const USAGE = 'Usage: npm run check -- live CHANNEL   (in most shells a # begins a comment: write ops, or "#ops")';

/** Hides the values of the settings too, once these are read. */
let hide = hideShapes;
const say = (line: string) => console.log(hide(line));
const told = (findings: readonly Finding[]) => {
  for (const finding of findings) say(lineOf(finding));
};

/** One of each thing that only a workspace proves. Ctrl-C deletes what was posted, and ends. */
async function live(channel: string): Promise<number> {
  if (existsSync('.env')) process.loadEnvFile('.env');
  const { value: config, findings } = complained('Settings', () => parseConfig(process.env));
  if (config === undefined) {
    told(findings);
    return 1;
  }
  hide = createSecretFilter(secretsOf(config)).hide;
  const before = (await slackFindings(config, (await lookAtStore(config)).isRunning)).filter(({ ok }) => !ok);
  told(before);
  if (before.some(({ what }) => what === 'Slack')) return 1;
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort());
  const outcomes: Outcome[] = [];
  const tell = (outcome: Outcome) => {
    outcomes.push(outcome);
    say(outcomeLine(outcome));
  };
  try {
    await lookAtSlack(config, channel, { signal: stopping.signal, say, tell });
  } catch (error) {
    console.error(hide(reasonFor(error)));
    return 1;
  }
  if (stopping.signal.aborted) return 130;
  return before.length === 0 && outcomes.every(({ came }) => came !== 'OTHERWISE') ? 0 : 1;
}

const [channel, ...more] = process.argv.slice(2);
if (channel === undefined || channel === '' || channel.startsWith('-') || more.length > 0) {
  console.error(USAGE);
  process.exit(2);
}
process.exit(await live(channel));
