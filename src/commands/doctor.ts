import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { parseConfig, secretsOf } from '../config.ts';
import { hideShapes } from '../secret-shapes.ts';
import { createSecretFilter } from '../slack/out/secrets.ts';
import { examine } from './doctor/examine.ts';
import { complained, type Finding, lineOf, reasonFor } from './doctor/finding.ts';
import { lookAtSlack, type Outcome, outcomeLine } from './doctor/live.ts';
import { slackFindings } from './doctor/slack.ts';

const USAGE = 'Usage: npm run doctor [-- --live CHANNEL]   (in most shells a # begins a comment: write ops, or "#ops")';

/** `npm run doctor`: the settings and what they lead to. With `--live`: what Slack does. Exit code 1: something is wrong. */
async function main(): Promise<number> {
  const channel = channelIn(process.argv.slice(2));
  if (channel === 'unreadable') {
    console.error(USAGE);
    return 2;
  }
  if (existsSync('.env')) process.loadEnvFile('.env');
  return channel === undefined ? told(await examine(process.env)) : live(channel);
}

function channelIn(words: string[]): string | undefined {
  try {
    const { live: channel } = parseArgs({ args: words, options: { live: { type: 'string' } } }).values;
    return channel === '' ? 'unreadable' : channel;
  } catch {
    return 'unreadable';
  }
}

/** Hides the values of the settings too, once these are read. */
let hide = hideShapes;
const say = (line: string) => console.log(hide(line));

function told(findings: readonly Finding[]): number {
  for (const finding of findings) say(lineOf(finding));
  return findings.every(({ ok }) => ok) ? 0 : 1;
}

/** One of each thing that only a workspace proves. Ctrl-C deletes what was posted, and ends. */
async function live(channel: string): Promise<number> {
  const { value: config, findings } = complained('Settings', () => parseConfig(process.env));
  if (config === undefined) return told(findings);
  hide = createSecretFilter(secretsOf(config)).hide;
  const before = (await slackFindings(config)).filter(({ ok }) => !ok);
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

process.exit(await main());
