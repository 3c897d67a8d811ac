/**
 * `npm run check -- store [--seconds 5,30,60] [--only hung]`: a bot as a process of its own, people who do something all the
 * time, and a store that hangs, is slow, is away, full, failing over, or held by another program. In how many milliseconds people hear of it,
 * what they read, how much memory it costs, and how soon it is over.
 */
import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createBotProcess, freePort } from '../playground/launcher/bot-process.ts';
import { startPlatformSimulator } from '../playground/platform/simulator.ts';
import { type SlackEmulator, startSlackEmulator } from '../playground/slack/emulator.ts';
import type { Card } from '../playground/slack/people/person.ts';
import { CONFIRM } from '../test/support/changes.ts';
import { FULL, type Postgres, PROMOTED, READ_ONLY, ROOM, startPostgres } from '../test/support/postgres.ts';

const { values } = parseArgs({ options: { seconds: { type: 'string' }, only: { type: 'string' } } });
const DURATIONS = (values.seconds ?? '5,30,60').split(',').map(Number);
const PEOPLE = Array.from({ length: 20 }, (_, index) => `person${index + 1}`);
/** Each person does something this often, in milliseconds: ten things a second together. */
const EVERY = 2_000;
/** Somebody who hears nothing for so long, in milliseconds, has heard nothing. */
const NEVER = 12_000;
const HEARD_WITHIN = 3_000;
/** In megabytes. */
const MOST_GROWTH = 20;
const INSIDE = 'Something went wrong inside Edgewise.';

/** A trouble of a store: `begin` returns how it is ended. */
interface Trouble {
  name: string;
  begin(): Promise<() => Promise<void>>;
  /** It goes on answering, late: what is sent may be done. */
  isSlow?: boolean;
}

/** A bot on one store, and its troubles. */
interface Stage {
  engine: string;
  slack: SlackEmulator;
  writes(): number;
  pid(): number;
  troubles: Trouble[];
  /** Hostnames whose setting can be changed. */
  hosts: { Value: string; ForceSSL: boolean }[];
  close(): Promise<void>;
}

/** One thing that somebody did, and what they heard. */
interface Heard {
  milliseconds: number;
  words: string;
}

async function startStage(engine: 'a server' | 'embedded'): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'edgewise-check-store-'));
  const postgres = engine === 'a server' ? await startPostgres() : undefined;
  const platform = await startPlatformSimulator();
  const slack = await startSlackEmulator({ patience: NEVER, workspace: { users: PEOPLE.map((name) => ({ name })) } });
  const port = await freePort();
  const file = join(folder, 'edgewise.db');
  const bot = createBotProcess({
    port,
    logFile: join(folder, 'bot.log'),
    onExit: (reason) => console.log(`the bot ${reason}`),
    environment: {
      ...platform.environment,
      ...slack.environment,
      STORE_URL: postgres?.url ?? `file:${file}`,
      EDGEWISE_ADMINS: slack.person('ada').id,
      EDGEWISE_ENCRYPTION_KEY: 'a key for this check only',
    },
  });
  await bot.start();
  slack.deliverTo({ eventsUrl: `http://127.0.0.1:${port}/slack/events` });
  return {
    engine,
    slack,
    writes: () => platform.writes().length,
    pid: () => bot.pid ?? 0,
    troubles:
      postgres === undefined
        ? [held(file), fullDisk(() => bot.pid!)]
        : [
            hung(postgres),
            slow(postgres),
            away(postgres),
            said('full', postgres, FULL, ROOM),
            said('failing over', postgres, READ_ONLY, PROMOTED),
          ],
    hosts: platform.account.zones
      .flatMap(({ Hostnames }) => Hostnames)
      .filter((host) => host.HasCertificate && !host.IsSystemHostname),
    async close() {
      await bot.stop();
      await Promise.all([slack.close(), platform.close(), postgres?.close()]);
      rmSync(folder, { recursive: true });
    },
  };
}

const hung = (postgres: Postgres): Trouble => ({
  name: 'hung',
  async begin() {
    postgres.signal('SIGSTOP');
    return async () => postgres.signal('SIGCONT');
  },
});

/** It answers for a twentieth of a second, and then not for seven tenths. */
const slow = (postgres: Postgres): Trouble => ({
  name: 'slow',
  isSlow: true,
  async begin() {
    let goesOn = true;
    const turns = (async () => {
      while (goesOn) {
        postgres.signal('SIGSTOP');
        await pause(700);
        postgres.signal('SIGCONT');
        await pause(50);
      }
    })();
    return async () => {
      goesOn = false;
      await turns;
    };
  },
});

const away = (postgres: Postgres): Trouble => ({
  name: 'away',
  async begin() {
    await postgres.stop('immediate');
    return () => postgres.start();
  },
});

/** What the server says to each write. */
const said = (name: string, postgres: Postgres, begin: string[], end: string[]): Trouble => ({
  name,
  async begin() {
    await postgres.run(...begin);
    return () => postgres.run(...end);
  },
});

/** No file of the bot grows. */
const fullDisk = (pid: () => number): Trouble => {
  const most = (bytes: string) => execFileSync('prlimit', [`--pid=${pid()}`, `--fsize=${bytes}:`]);
  return {
    name: 'full',
    async begin() {
      most('1');
      return async () => void most('unlimited');
    },
  };
};

/** Another process has the write lock of the file. */
const held = (file: string): Trouble => ({
  name: 'locked',
  async begin() {
    const holder: ChildProcess = fork(fileURLToPath(new URL('./store-holder.mjs', import.meta.url)), [file]);
    await once(holder, 'message');
    return async () => {
      const ended = once(holder, 'exit');
      holder.kill('SIGKILL');
      await ended;
    };
  },
});

const megabytesOf = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

/** People who do one thing after the other, until they are stopped. */
function populate({ slack, pid }: Stage) {
  const heard: Heard[] = [];
  let isOver = false;
  let peak = 0;
  const watching = setInterval(() => {
    peak = Math.max(peak, megabytesOf(pid()));
  }, 250);
  const live = async (name: string, index: number) => {
    await pause((EVERY * index) / PEOPLE.length);
    for (let round = index; !isOver; round += 1) {
      const begun = performance.now();
      heard.push(await doSomething(slack, name, round));
      await pause(Math.max(0, EVERY - (performance.now() - begun)));
    }
  };
  const lives = PEOPLE.map(live);
  return {
    heard,
    peak: () => peak,
    async end() {
      isOver = true;
      await Promise.all(lives);
      clearInterval(watching);
    },
  };
}

/** A command, a message or a look at the Home tab. */
async function doSomething(slack: SlackEmulator, name: string, round: number): Promise<Heard> {
  const person = slack.person(name);
  const here = person.in('@edgewise');
  const begun = performance.now();
  const after = (words: string) => ({ milliseconds: performance.now() - begun, words });
  here.readAll();
  if (round % 3 === 0) {
    const before = slack.outgoing.length;
    const isPublished = () =>
      slack.outgoing
        .slice(before)
        .findLast(
          ({ method, body }) => method === 'views.publish' && (body as { user_id: string }).user_id === person.id,
        );
    await person.openHome();
    while (isPublished() === undefined && performance.now() - begun < NEVER) await pause(10);
    return after(firstLine(JSON.stringify(isPublished()?.body ?? '')));
  }
  await here.type(round % 3 === 1 ? '/edge zone show shop' : 'zone show shop');
  return here.expectMessage(/\S/).then(
    ({ text }) => after(firstLine(text)),
    () => after(''),
  );
}

/** The sentence about the store, or that it was answered. */
function firstLine(text: string): string {
  const trouble =
    /Something went wrong inside Edgewise\.|(Edgewise (cannot reach|may not)|Another program has locked|[^."]*Edgewise’s own store)[^.]*\./.exec(
      text,
    );
  return trouble?.[0].trim() ?? (text.length > 2 ? 'answered' : '');
}

/** Ada confirms changes, and submits a form, in the midst of it. Returns what she reads at once, and what came of it in the end. */
async function confirmMeanwhile(stage: Stage, seconds: number) {
  const ada = stage.slack.person('ada');
  const ops = ada.in('#ops');
  const previews: Card[] = [];
  for (const { Value, ForceSSL } of stage.hosts.slice(0, 3)) {
    await ops.type(`/edge ssl force ${Value} ${ForceSSL ? 'off' : 'on'}`);
    previews.push(await ops.expectMessage(/Force HTTPS:/));
  }
  const heard: Heard[] = [];
  return {
    heard,
    async press() {
      for (const preview of previews) {
        await pause((seconds * 1_000) / 5);
        const begun = performance.now();
        ops.readAll();
        await preview.click(CONFIRM);
        // Beside the preview, or in its place.
        const { text } = await Promise.any([ops.expectMessage(/\S/), preview.expectChange(/\S/)]).catch(() => ({
          text: '',
        }));
        heard.push({ milliseconds: performance.now() - begun, words: firstLine(text) });
      }
    },
    /** What stands is cancelled: one person may have so many questions open. */
    async end() {
      for (const preview of previews) await preview.click('Cancel').catch(() => undefined);
      await stage.slack.idle();
    },
  };
}

const percentile = (all: readonly number[], part: number) =>
  Math.round(all.toSorted((a, b) => a - b)[Math.min(all.length - 1, Math.floor(all.length * part))] ?? 0);

/** One trouble for so many seconds. Returns what is wrong. */
async function measure(stage: Stage, trouble: Trouble, seconds: number): Promise<string[]> {
  const { engine, slack, writes } = stage;
  const people = populate(stage);
  await pause(6_000);
  const before = people.peak();
  const ada = await confirmMeanwhile(stage, seconds);
  const writesBefore = writes();
  const ordinary = people.heard.length;
  const end = await trouble.begin();
  await Promise.all([ada.press(), pause(seconds * 1_000)]);
  const sent = writes() - writesBefore;
  const during = people.heard.length;
  await end();
  const over = performance.now();
  let recovery = 0;
  for (let round = 1; recovery === 0; round += 3)
    if ((await doSomething(slack, 'ben', round)).words === 'answered') recovery = performance.now() - over;
    else await pause(100);
  await people.end();
  await ada.end();
  const heard = [...people.heard.slice(ordinary, during), ...ada.heard];
  const times = heard.map(({ milliseconds }) => milliseconds);
  const counts = new Map<string, number>();
  for (const { words: said } of heard) counts.set(said, (counts.get(said) ?? 0) + 1);
  const growth = people.peak() - before;
  console.log(
    `| ${engine} | ${trouble.name} | ${seconds} s | ${heard.length} | ${percentile(times, 0.5)} | ${percentile(times, 0.99)} | ${percentile(times, 1)} | ${[...counts].map(([said, count]) => `${said || 'nothing'} (${count})`).join(' ')} | ${Math.round(before)} → ${Math.round(people.peak())} MB | ${Math.round(recovery)} | ${sent} |`,
  );
  const limit = engine === 'embedded' ? Number.POSITIVE_INFINITY : HEARD_WITHIN;
  return [
    ...(heard.some(({ words: said }) => said === '') ? ['somebody heard nothing'] : []),
    ...(heard.some(({ words: said }) => said === INSIDE) ? [`somebody read “${INSIDE}”`] : []),
    ...(Math.max(...times) > limit ? [`somebody heard it after ${percentile(times, 1)} ms`] : []),
    ...(growth > MOST_GROWTH ? [`it grew by ${Math.round(growth)} MB`] : []),
    ...(sent > 0 && trouble.isSlow !== true ? [`${sent} requests were sent without the store’s word`] : []),
  ].map((wrong) => `${engine}, ${trouble.name} for ${seconds} s: ${wrong}`);
}

const faults: string[] = [];
console.log(
  '| store | trouble | for | things done | heard after, p50 ms | p99 | most | what was read | memory | recovery ms | sent |',
);
console.log('|---|---|---|---|---|---|---|---|---|---|---|');
for (const engine of ['a server', 'embedded'] as const) {
  const stage = await startStage(engine);
  const warming = populate(stage);
  // As long as the longest trouble: what so many answers cost a store that is well is none of its memory.
  await pause(1_000 * Math.max(20, ...DURATIONS));
  await warming.end();
  for (const trouble of stage.troubles.filter(({ name }) => values.only === undefined || values.only === name))
    for (const seconds of DURATIONS) faults.push(...(await measure(stage, trouble, seconds)));
  await stage.close();
}
for (const fault of faults) console.log(fault);
process.exit(faults.length === 0 ? 0 : 1);
