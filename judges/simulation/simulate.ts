import { AsyncLocalStorage } from 'node:async_hooks';
import { pino } from 'pino';
import { statesIn } from '../../src/changes/change.ts';
import { commandOf } from '../../src/changes/permission.ts';
import { createRunner } from '../../src/jobs.ts';
import type { Catalogue } from '../../src/operations/catalogue.ts';
import { createElsewhere } from '../../src/operations/changes/elsewhere.ts';
import { createTimeLine } from '../../src/operations/changes/time-line.ts';
import { operations as everything } from '../../src/operations/index.ts';
import type { Platform } from '../../src/platform/client.ts';
import { parsePolicy } from '../../src/policy/document.ts';
import { createFixedDirectory } from '../../src/policy/names.ts';
import { createPolicy } from '../../src/policy/policy.ts';
import { Secret } from '../../src/secret.ts';
import { runAction } from '../../src/slack/actions.ts';
import { runCommand } from '../../src/slack/commands.ts';
import { createSecretFilter } from '../../src/slack/out/secrets.ts';
import { doPlannedChange, endExpired, putBack, recoverChange } from '../../src/slack/recover.ts';
import type { Bot, Origin } from '../../src/slack/services.ts';
import { submitView } from '../../src/slack/views.ts';
import { createAudit } from '../../src/store/audit.ts';
import { CHANGE, PLANNED } from '../../src/store/confirmations.ts';
import type { Database } from '../../src/store/database.ts';
import { createJobs, createSelf, type Job } from '../../src/store/jobs.ts';
import { states } from '../../src/store/moves.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { REVERSAL } from '../../src/store/reversals.ts';
import { createSeal } from '../../src/store/seal.ts';
import { createStore } from '../../src/store/store.ts';
import { asProcess } from '../../test/support/as-process.ts';
import { absent, changeServices } from '../../test/support/services.ts';
import { drained, installVirtualTime, type Process, type VirtualTime } from './clock.ts';
import { createGates, FAULTS, type Fault, type Gates } from './gates.ts';
import {
  auditOf,
  createModel,
  DIALS,
  logOf,
  type Model,
  operationsOn,
  turnElsewhere,
  unread,
  zoneOf,
} from './model.ts';
import { type Control, createDesk, type Desk, PEOPLE, posterOn, TEAM } from './people.ts';
import { verdictOf } from './verdict.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** How often a bot looks for what others have left. */
const TICK = 15_000;
const CHANNEL = 'C0OPS';

const POLICY = `
approval:
  - operations: [dial set]
    where: { dial: guarded }
    approvers: { people: [UBEN, UCYD] }
    expires: 1h
    breakGlass: { channel: C0GLASS }
roles:
  all:
    people: [UADA, UBEN, UCYD]
    allow: ['*']
`;

/** How far the store's clock may come to be from the true time, and a bot's, in milliseconds. */
const FARTHEST = 2 * HOUR;
const WRONG_WATCH = 10 * MINUTE;

/** Nobody needs so many for so little: something is done over and over. */
const MOST_STEPS = 40_000;
class RestlessError extends Error {
  override name = 'RestlessError';
}

/** What is simulated. */
export interface Simulation {
  /** From 0 up to, and without, 1: everything that happens by chance. */
  choose: () => number;
  /** How many times somebody does something. */
  actions: number;
  /** How many bots share the store. */
  replicas: number;
  /** How likely it is that something goes wrong where the bot waits. */
  faults: number;
}

/** What came of it. */
export interface Report {
  /** What must not be; nothing is well. */
  problems: string[];
  /** Every single thing that happened, in order: the same for the same choices. */
  trace: string[];
  /** How many days the bots lived through, together. */
  replicaDays: number;
  counts: { changes: number; crashes: number; faults: number; made: number; taken: number; told: number };
}

/** One bot of several, as long as it lives; then another one in its place. */
interface Replica {
  process: Process;
  services: Bot;
  /** Hands a payload on once, as slack.ts does. */
  once(key: string, work: () => Promise<unknown>): Promise<void>;
  recover(): Promise<void>;
  /** It renews its leases, as it does every few seconds: nothing happens in between. */
  beat(): Promise<void>;
  nextTick: number;
}

interface Subject {
  person: string | undefined;
  about: string | undefined;
}

/** Runs it to the end, in virtual time, with the bot's real changes, Slack's side and store. Nothing else may run meanwhile. */
export async function simulate({ choose, actions, replicas: count, faults }: Simulation): Promise<Report> {
  const time = installVirtualTime(choose);
  try {
    return await run(time, { choose, actions, replicas: count, faults });
  } finally {
    time.restore();
  }
}

async function run(time: VirtualTime, { choose, actions, replicas: count, faults: rate }: Simulation): Promise<Report> {
  const started = time.now();
  const trace: string[] = [];
  const counts = { changes: 0, crashes: 0, faults: 0, made: 0, taken: 0, told: 0 };
  const note = (line: string) => void trace.push(`${time.now() - started} ${line}`);
  const subjects = new AsyncLocalStorage<Subject>();
  const apart = <T>(work: () => T): T => subjects.run({ person: undefined, about: undefined }, work);
  const desk = createDesk({
    aboutOf: () => subjects.getStore()?.about,
    personOf: () => subjects.getStore()?.person,
  });
  const model = createModel();
  /** The store's clock is so far ahead. */
  let ahead = 0;
  const database = await openDatabase({ url: ':memory:', clock: () => new Date(time.now() + ahead) });
  let faults = rate;
  /** Whose every call fails for a while. */
  let outage = { of: '', until: 0 };
  const replicas: Replica[] = [];

  function fault(label: string): Fault {
    if (outage.until > time.now() && label.startsWith(outage.of)) {
      counts.faults += 1;
      return choose() < 0.8 ? 'lost before' : 'lost after';
    }
    if (choose() >= faults) return 'none';
    counts.faults += 1;
    return FAULTS[1 + Math.floor(choose() * (FAULTS.length - 1))] ?? 'none';
  }
  function crash(owner: Process): void {
    owner.isAlive = false;
    counts.crashes += 1;
    const index = replicas.findIndex(({ process }) => process === owner);
    note(`bot ${index} dies`);
    time.at(time.now() + 1_000 + Math.floor(choose() * choose() * 20 * MINUTE), () => raise(index));
  }
  function raise(index: number): void {
    // Its clock may be wrong, for as long as it lives.
    const watch = faults > 0 && choose() < 0.3 ? Math.round((choose() - 0.5) * 2 * WRONG_WATCH) : 0;
    note(`bot ${index} starts${watch === 0 ? '' : `, ${watch} ms ahead`}`);
    replicas[index] = startReplica({ time, gates, desk, model, database, watch, apart });
  }
  /** Now and then something goes wrong for longer than one call, or with the time itself. */
  function worsen(): void {
    const chance = choose();
    if (chance < faults) {
      ahead = Math.max(-FARTHEST, Math.min(FARTHEST, ahead + Math.round((choose() - 0.45) * 2 * HOUR)));
      note(`the store's clock is ${ahead} ms ahead`);
      counts.faults += 1;
    } else if (chance < 2 * faults) {
      outage = { of: pick(['store', 'slack', 'platform']), until: time.now() + Math.floor(choose() * choose() * HOUR) };
      note(`${outage.of} fails until ${outage.until - started}`);
    }
  }
  const gates = createGates({ time, choose, fault, crash, trace: note });
  for (let index = 0; index < count; index += 1) raise(index);

  let payloads = 0;
  /** Somebody does something by way of one of the bots, or Slack delivers it to several; while it is down, nothing comes of it. */
  function by(person: string, about: string | undefined, act: (services: Bot) => Promise<unknown>): void {
    payloads += 1;
    const key = `payload ${payloads}`;
    const times = choose() < 0.9 ? 1 : 2 + Math.floor(choose() * 2);
    for (let turn = 0; turn < times; turn += 1) {
      const deliver = () => {
        const replica = replicas[Math.floor(choose() * replicas.length)];
        if (replica?.process.isAlive !== true) return;
        time.within(replica.process, () =>
          subjects.run({ person, about }, () => {
            void replica.once(key, () => act(replica.services));
          }),
        );
      };
      if (turn === 0) deliver();
      else time.at(time.now() + Math.floor(choose() * choose() * 5 * MINUTE), deliver);
    }
  }
  const origin = (person: string): Origin => ({
    userId: person,
    teamId: TEAM,
    place: { channelId: CHANNEL },
    responseUrl: 'https://hooks.example/1',
    triggerId: 'trigger',
  });
  const pick = <T>(items: readonly T[]): T => items[Math.floor(choose() * items.length)]!;

  function type(): void {
    counts.changes += 1;
    const mark = `m${counts.changes}`;
    const kind = choose();
    const isWatched = choose() < 0.5;
    const value = isWatched && choose() < 0.8 ? '3' : pick(['0', '1', '2', '3']);
    const when = `${choose() < 0.3 ? ' --for 30m' : ''}${choose() < 0.3 ? ' --at "in 40m"' : ''}${isWatched ? ' --watch' : ''}`;
    const line =
      kind < 0.7
        ? `dial set ${pick(DIALS)} ${value} ${mark}${when}`
        : kind < 0.85
          ? `counter add ${mark}`
          : `box drop ${mark}`;
    const person = pick(PEOPLE);
    note(`${person} types ${line}`);
    by(person, undefined, (services) => runCommand(services, line, origin(person)));
  }

  function press(): void {
    const recent = desk.controls.slice(-8);
    const control = recent[recent.length - 1 - Math.floor(choose() * choose() * recent.length)];
    if (control === undefined) {
      type();
      return;
    }
    const person = control.owner ?? pick(PEOPLE);
    const times = choose() < 0.15 ? 2 : 1;
    const what = control.kind === 'button' ? control.action : `sends ${control.callback}`;
    note(`${person} ${what} ${times === 2 ? 'twice' : 'once'}`);
    for (let turn = 0; turn < times; turn += 1) use(control, person);
  }

  function use(control: Control, person: string): void {
    if (control.kind === 'button') {
      const about = control.action === 'undo' ? `undo-${control.value}` : control.value;
      by(person, about, (services) =>
        runAction(services, { id: control.action, value: control.value }, origin(person)),
      );
      return;
    }
    const { typedName = '' } = JSON.parse(control.memory) as { typedName?: string };
    by(person, control.confirmation, async (services) => {
      const submission = submitView(
        services,
        {
          id: control.view,
          callback_id: control.callback,
          private_metadata: control.memory,
          values: { name: { name: { value: typedName } }, reason: { reason: { value: 'because' } } },
        },
        { userId: person, teamId: TEAM },
      );
      await submission.work?.();
    });
  }

  /** When a look of a bot could find something, as the store stands. */
  async function nextMatter(): Promise<number | undefined> {
    const { rows } = await database.execute(
      `SELECT min(at) AS at FROM (
         SELECT expires_at AS at FROM confirmations WHERE state IN (${states(...statesIn('asking'))})
         UNION ALL SELECT min(run_at, coalesce(lease_until, run_at)) FROM jobs WHERE body IS NOT NULL)`,
    );
    return rows[0]?.at === null || rows[0]?.at === undefined ? undefined : Number(rows[0].at) - ahead;
  }

  function tick(replica: Replica): void {
    time.within(replica.process, () =>
      apart(() => {
        replica.recover().catch((error: unknown) => note(`a look failed: ${String(error)}`));
      }),
    );
  }

  let steps = 0;
  /** Lets things happen up to a moment. */
  async function until(end: number): Promise<void> {
    for (;;) {
      await drained();
      if (await gates.step()) {
        steps += 1;
        if (steps > MOST_STEPS) throw new RestlessError();
        continue;
      }
      const matter = await nextMatter();
      for (const replica of replicas) {
        // The looks at which nothing can be found are left out.
        const from = Math.max(time.now(), matter ?? Number.POSITIVE_INFINITY);
        if (replica.nextTick < from && Number.isFinite(from)) {
          replica.nextTick += Math.ceil((from - replica.nextTick) / TICK) * TICK;
        }
      }
      const ticks =
        matter === undefined
          ? []
          : replicas
              .filter(({ process }) => process.isAlive)
              .map(({ nextTick, process }) => Math.max(nextTick, process.frozenUntil));
      const moments = [gates.next(), time.next(), ...ticks, end].filter((at) => at !== undefined);
      const next = Math.max(time.now(), Math.min(...moments));
      time.pass(next - time.now());
      if (outage.of !== 'store' || outage.until <= time.now())
        for (const { process, beat } of replicas)
          if (process.isAlive && process.frozenUntil <= time.now()) await beat();
      time.fire();
      for (const replica of replicas) {
        if (!replica.process.isAlive || matter === undefined) continue;
        if (Math.max(replica.nextTick, replica.process.frozenUntil) > time.now()) continue;
        replica.nextTick += TICK;
        tick(replica);
      }
      if (time.now() >= end) return;
    }
  }

  for (let action = 0; action < actions; action += 1) {
    const chance = choose();
    const gap =
      chance < 0.35
        ? choose() * 200
        : chance < 0.75
          ? choose() * 40_000
          : chance < 0.92
            ? choose() * 20 * MINUTE
            : choose() * 6 * HOUR;
    await until(time.now() + Math.floor(gap));
    if (faults > 0) worsen();
    if (choose() < 0.1) turnElsewhere(model, time.now());
    else if (choose() < 0.3) type();
    else press();
  }
  // From now on everything works, and everything has to come to its end.
  faults = 0;
  outage.until = 0;
  note('nothing goes wrong any more');
  const isRestless = await until(time.now() + 30 * HOUR).then(
    () => false,
    (error: unknown) => {
      if (error instanceof RestlessError) return true;
      throw error;
    },
  );

  counts.made = [...model.made.values()].reduce((sum, times) => sum + times, 0);
  counts.told = desk.told.length;
  const taken = await database.execute("SELECT 1 FROM reversals WHERE why IS NOT NULL AND state = 'done'");
  counts.taken = taken.rows.length;
  const problems = [
    ...(isRestless ? ['something is done over and over, and never comes to its end'] : []),
    ...(await verdictOf({ database, model, desk, audit: createAudit(database, SEAL), seal: SEAL, isCalm: rate === 0 })),
  ];
  const { rows } = await database.execute('SELECT number, hash FROM audit_head');
  note(`the audit ends with ${String(rows[0]?.number)} ${String(rows[0]?.hash)}`);
  for (const { person, text, about } of desk.told) trace.push(`${person} was told of ${about ?? 'something'}: ${text}`);
  await database.close();
  return { problems, trace, replicaDays: (replicas.length * (time.now() - started)) / (24 * HOUR), counts };
}

const SEAL = createSeal(Secret.of('the key of all replicas'));

/** A bot as app.ts puts it together, but for what it waits for: that goes through the gates. */
function startReplica({
  time,
  gates,
  desk,
  model,
  database,
  watch,
  apart,
}: {
  time: VirtualTime;
  gates: Gates;
  desk: Desk;
  model: Model;
  database: Database;
  /** How far its own clock is ahead, in milliseconds. */
  watch: number;
  /** Work that nobody does. */
  apart: <T>(work: () => T) => T;
}): Replica {
  const process: Process = { isAlive: true, frozenUntil: 0 };
  const log = pino({ level: 'silent' });
  const now = () => new Date(time.now() + watch);
  const lost = () => new Error('the store did not answer');
  const own = asProcess(database, createSelf(true));
  const gated: Database = {
    ...own,
    execute: (sql, args) => gates.pass(process, `store ${labelOf(sql)}`, () => own.execute(sql, args), lost),
    together: (statements) =>
      gates.pass(process, `store ${labelOf(statements[0]!.sql)}`, () => own.together(statements), lost),
    inTurn: (key, work) => gates.pass(process, `store turn ${key}`, () => own.inTurn(key, work), lost),
    close: async () => undefined,
  };
  const store = { ...createStore(gated, SEAL), close: async () => undefined };
  const operations = operationsOn(model, gates, process, time.now);
  const policy = createPolicy(
    parsePolicy({ text: POLICY, commands: [...operations, ...everything].map(commandOf), admins: [] }),
    createFixedDirectory(),
  );
  const outgoing = desk.outgoing(process, gates, store);
  const ask = <T>(what: string, answer: () => T) => gates.pass(process, `platform ${what}`, answer, unread);
  const platform: Platform = {
    fenced: () => platform,
    accessLogs: {
      query: (zone: number, { from, to, status }: { from: Date; to: Date; status?: unknown }) =>
        ask('log', () => {
          const stretch = { from: from.getTime(), to: to.getTime(), now: time.now() };
          const records = logOf(model, zone, stretch).filter(
            ({ statusCode }) => status === undefined || statusCode > 499,
          );
          return { data: records.reverse(), hasMore: false };
        }),
    },
    userAudit: {
      between: ({ from, to }: { from: Date; to: Date }) =>
        ask('audit', () => ({ entries: auditOf(model, from, to), isCut: false })),
    },
  } as Partial<Record<keyof Platform, unknown>> as Platform;
  const zones = DIALS.map((dial) => ({ Id: zoneOf(dial), Name: dial, Hostnames: [] }));
  const catalogue = {
    ...absent<Catalogue>('a list'),
    zones: async () => ({ items: zones }),
    scripts: async () => ({ items: [] }),
  };
  const elsewhere = createElsewhere({ platform, now });
  const timeLine = createTimeLine({ operations, ...store, catalogue, elsewhere, now });
  const services: Bot = {
    // The operations have a platform of their own.
    ...changeServices({ operations, store, policy, log, now, platform, catalogue, timeLine }),
    hours: async () => ({ hours: {}, at: time.now() }),
    outgoing,
    poster: posterOn(outgoing),
    subscriptions: { list: async () => [], end: async () => false },
    people: {
      find: async (id, teamId) => ({ actor: { id, teamId, kind: 'member' }, locale: 'en-US', timezone: 'UTC' }),
      idOf: (id) => id,
      idsOf: (id) => [id],
    },
    secrets: createSecretFilter([]),
    ...{ running: new Map(), pressed: new Set() },
  };
  const reader = () => ({ locale: 'en-US', timezone: 'UTC', now: now() });
  const kinds = [
    { [CHANGE]: (job: Job) => apart(() => recoverChange(services, job)) },
    {
      [REVERSAL]: (job: Job) => apart(() => putBack(services, job, reader())),
      [PLANNED]: (job: Job) => apart(() => doPlannedChange(services, job, reader())),
    },
  ];
  // Other kinds are done as soon as they are due.
  const jobs = {
    ...store.jobs,
    claim: (limit: number) => store.jobs.claim(limit),
    // The looks of a night in which nothing is due are left out.
    dueIn: async () => ((await store.jobs.dueIn()) > 0 ? Number.POSITIVE_INFINITY : 0),
  };
  const runner = createRunner(jobs, kinds, log);
  const recover = () => endExpired(services).then(runner.tick);
  const once = async (key: string, work: () => Promise<unknown>): Promise<void> => {
    // Who is not told that a payload came to nothing does it again: nothing has begun.
    const isFirst = await store.jobs.add({ kind: 'payload', key }).catch(() => false);
    if (isFirst) await work();
  };
  const beat = () => createJobs(own).beat();
  return { process, services, once, recover, beat, nextTick: time.now() + 1 };
}

const labelOf = (sql: string): string => sql.trim().replaceAll(/\s+/g, ' ').slice(0, 60);
