import { existsSync, readFileSync, rmSync } from 'node:fs';
import { cancel, intro, log, outro } from '@clack/prompts';
import { environmentSchema } from '../config.ts';
import { toRun } from '../own-name.ts';
import { hideShapes } from '../secret-shapes.ts';
import { settingsOf } from '../setting-checks.ts';
import { reasonFor } from './doctor/finding.ts';
import { FILES, readSettings, withSettings, writeWhole } from './setup/env-file.ts';
import {
  chooseAdmins,
  chooseReports,
  connectPlatform,
  connectSlack,
  finish,
  makeApp,
  type Setup,
  StoppedError,
} from './setup/steps.ts';

/** Answers are kept in a draft until all are given, so a stopped setup continues from there. Exit code 130: stopped. */
async function main(): Promise<number> {
  const said = Object.keys(environmentSchema.shape).map((name) => [name, process.env[name]]);
  const draft = readSettings(FILES.draft);
  const known: Setup['known'] = { ...settingsOf(Object.fromEntries(said)), ...readSettings(FILES.settings), ...draft };
  const answers: Record<string, string> = { ...draft };
  const keep = (name: string, value: string) => {
    if (value === '') return;
    known[name] = value;
    answers[name] = value;
    writeWhole(FILES.draft, withSettings('', answers));
  };
  const setup: Setup = { known, keep };
  // Ctrl-C, or no terminal.
  const stopped = new Promise<never>((_, reject) => {
    process.once('SIGINT', () => reject(new StoppedError()));
    process.stdin.once('end', () => {
      log.warn(`Nobody answers here. Run it in a terminal, or write ${FILES.settings} as .env.example shows.`);
      reject(new StoppedError());
    });
  });
  try {
    intro(
      `This writes ${FILES.settings}, for this user alone. Ctrl-C stops it; ${toRun('setup')} continues from there.`,
    );
    await Promise.race([walk(setup), stopped]);
  } catch (error) {
    if (!(error instanceof StoppedError)) {
      log.error(hideShapes(reasonFor(error)));
      return 1;
    }
    const kept = existsSync(FILES.draft)
      ? ` Your answers are in ${FILES.draft}: ${toRun('setup')} continues from there.`
      : '';
    cancel(`Stopped. ${FILES.settings} is as it was.${kept}`);
    return 130;
  }
  const before = existsSync(FILES.settings) ? readFileSync(FILES.settings, 'utf8') : '';
  writeWhole(FILES.settings, withSettings(before, answers));
  rmSync(FILES.draft, { force: true });
  outro(
    `${FILES.settings} is written. Next:\n  ${toRun('doctor').padEnd(19)} looks at all of it once more\n  ${toRun('start').padEnd(19)} runs the bot; then type ${known.EDGEWISE_COMMAND ?? '/edge'} help in Slack`,
  );
  return 0;
}

async function walk(setup: Setup): Promise<void> {
  const mode = await makeApp(setup);
  const bot = await connectSlack(setup, mode);
  await chooseAdmins(setup, bot);
  await connectPlatform(setup);
  await chooseReports(setup);
  finish(setup);
}

process.exit(await main());
