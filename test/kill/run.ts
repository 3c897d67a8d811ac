import type { Phase } from './proxy.ts';
import type { Ready, Scenario } from './scenarios.ts';
import type { World } from './world.ts';

/** One run: a scenario, and where the bot dies in it. Without a death the steps are only counted. */
export interface Run {
  scenario: Scenario;
  death?: { step: number; phase: Phase };
}

/** What came of a run. */
export interface Result {
  scenario: string;
  step: number;
  phase: Phase | 'none';
  /** Whether it came as far as its death. */
  wasKilled: boolean;
  /** What the bot asked for, from the press on, as far as it got. */
  steps: readonly string[];
  /** How it ended for the person: `done`, `nothing`, `unknown`, or what the scenario has instead. */
  end: string;
  /** What must not be; nothing is well. */
  problems: string[];
  /** What was said, where something is not well. */
  said: readonly string[];
}

/** What a person reads at the end. */
const ENDS = {
  done: /New tokens? for|Done\. It is in the channel|Done, but Slack|(?<!Nothing )\bwas done\.|(?<!whether )it took effect\.|: .{0,200} was put back\./,
  nothing: /Nothing was (done|changed)|probably did not take effect|was not done|\*not\* put back/,
  unknown: /outcome is unknown|is not known|does not show whether/,
};
type End = keyof typeof ENDS;

/** How often a person presses on, or a bot is started again, until something has come to its end. */
const ROUNDS = 6;
/** For how long the bot must ask for nothing to count as idle, in milliseconds of real time. */
const QUIET = 1_500;
const QUIET_BEFORE_DEATH = 3_000;

/** Carries a run out in a world whose bot is up, and leaves it with its bot up. */
export async function carryOut(world: World, { scenario, death }: Run): Promise<Result> {
  const { slack, proxy, bot, platform } = world;
  await tidied(world);
  const ready = await scenario.prepare(world);
  await slack.idle();
  const from = platform.requests.length;
  const said = slack.outgoing.length;
  proxy.count(death === undefined ? undefined : { ...death, kill: () => bot.kill() });
  if (ready.press === 'start') await bot.start();
  else await ready.press().catch(unlessDead(world));
  await settled(world, death !== undefined);
  const steps = [...proxy.steps];
  const endOf = () => read(textsSince(world, said), ready);

  const wasKilled = proxy.isDead;
  // Where it did not come as far as its death, it is not to die later.
  if (!wasKilled) proxy.count();
  if (wasKilled) {
    await bot.gone();
    await revived(world);
  }
  for (let round = 1; endOf().length === 0 && round <= ROUNDS; round += 1) {
    if (!(await ready.again().catch(() => false))) await expired(world);
    await settled(world, false);
  }

  const ends = endOf();
  const problems = [...(await problemsOf(world, ready, from, ends)), ...slack.problems.splice(0)];
  return {
    scenario: scenario.name,
    step: death?.step ?? 0,
    phase: death?.phase ?? 'none',
    wasKilled,
    steps,
    end: ends.join(' and ') || 'silence',
    problems,
    said: problems.length === 0 ? [] : textsSince(world, said),
  };
}

/** No view stands open, and nothing is left of the run before. */
async function tidied({ slack }: World): Promise<void> {
  for (const name of ['ada', 'ben']) {
    const person = slack.person(name);
    for (let views = 0; views < 3; views += 1) {
      try {
        await person.expectNoModal();
        break;
      } catch {
        await (await person.expectModal(/./)).close({ all: true });
      }
    }
  }
  slack.problems.splice(0);
}

/** A press that a dying bot does not acknowledge is no mistake of the test. */
const unlessDead =
  ({ proxy }: World) =>
  (error: unknown): void => {
    if (!proxy.isDead) throw error;
  };

/** The bot is dead, or has nothing under way: where it is to die, it is waited for longer. */
async function settled({ slack, proxy }: World, isDying: boolean): Promise<void> {
  await proxy.quiet(isDying ? QUIET_BEFORE_DEATH : QUIET);
  await slack.idle();
}

/** The bot comes back on the same store, long enough later for the leases of the dead one to have run out. */
async function revived(world: World): Promise<void> {
  world.proxy.count();
  await world.age();
  const state = await world.bot.start();
  if (state === 'ended') throw new Error(`the bot did not come back:\n${world.bot.lines().join('\n')}`);
  await world.slack.idle();
}

/** Nobody presses anything any more. */
async function expired(world: World): Promise<void> {
  world.bot.kill();
  await world.bot.gone();
  await world.database.execute(
    "UPDATE confirmations SET expires_at = :now - 1 WHERE state IN ('drafted', 'waiting', 'asked')",
  );
  await revived(world);
}

/** What was said to somebody since the `from`-th message; the card of an approval is everybody's. */
function textsSince({ slack }: World, from: number): string[] {
  return slack.outgoing
    .slice(from)
    .filter(({ method, error }) => error === undefined && method !== 'chat.update' && method !== 'ack')
    .map(({ body }) => JSON.stringify(body).replaceAll('\\n', '\n'));
}

function read(texts: readonly string[], { ends }: Ready): string[] {
  if (ends !== undefined && texts.some((text) => ends.test(text))) return ['as it should'];
  return (Object.keys(ENDS) as End[]).filter((end) => texts.some((text) => ENDS[end].test(text)));
}

async function problemsOf(world: World, ready: Ready, from: number, ends: readonly string[]): Promise<string[]> {
  const requests = world
    .writes(from)
    .filter(ready.isChange ?? (() => true))
    .map(({ method, path, body }) => `${method} ${path} ${JSON.stringify(body)}`);
  const writes = ready.made === undefined ? requests : [...requests, ...(await ready.made())];
  const distinct = new Set(writes);
  const { rows } = await world.database.execute(
    'SELECT id, state, outcome, lease_until FROM confirmations WHERE id = :id OR id LIKE :id || :more',
    { id: ready.id, more: '-%' },
  );
  const problems: string[] = [];
  if (distinct.size !== writes.length) problems.push(`applied more than once: ${writes.join('; ')}`);
  if (distinct.size > ready.writes) problems.push(`applied more than was asked: ${writes.join('; ')}`);
  if (ends.length === 0) problems.push('nobody was told how it ended');
  if (ends.includes('done') && distinct.size !== ready.writes) problems.push(`told “done” of ${distinct.size} writes`);
  if (ends.includes('nothing') && distinct.size > 0) problems.push(`told “nothing was done” of ${writes.join('; ')}`);
  for (const row of rows) {
    const { id, state } = row;
    if (state === 'claimed' || state === 'sent') problems.push(`${id} is still ${state}`);
    if (row.lease_until !== null) problems.push(`${id} (${state}) waits for somebody to be told`);
    const isEnd = /^(done|failed|unknown|refused|cancelled|rejected)$/.test(String(state));
    if (isEnd && !(await world.audit.knows(String(id), String(state)))) {
      problems.push(`the audit does not know that ${id} is ${state}`);
    }
  }
  if (rows.length === 0) problems.push(`the store does not know ${ready.id}`);
  const { problem } = await world.audit.verify();
  if (problem !== undefined) problems.push(`the audit is not whole: entry ${problem.number} is ${problem.what}`);
  return problems;
}
