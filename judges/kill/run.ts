import { setTimeout } from 'node:timers/promises';
import { auditWord, type ChangeState, statesIn } from '../../src/changes/change.ts';
import { states } from '../../src/store/moves.ts';
import type { Phase } from './proxy.ts';
import type { Ready, Scenario } from './scenarios.ts';
import type { World } from './world.ts';

/** One run: a scenario, and what goes wrong in it, and where. Without a fault the steps are only counted. */
export interface Run {
  scenario: Scenario;
  fault?: { step: number; phase: Phase };
}

/** What came of a run. */
export interface Result {
  scenario: string;
  step: number;
  phase: Phase | 'none';
  /** Whether it came as far as its fault. */
  wasHit: boolean;
  /** What the bot asked for, from the press on, as far as it got. */
  steps: readonly string[];
  /** How it ended for the person: `done`, `nothing`, `unknown`, or what the scenario has instead. */
  end: string;
  /** What must not be; nothing is well. */
  problems: string[];
  /** What was said, where something is not well. */
  said: readonly string[];
}

/** The channel is told what Ada has done, and nobody tells her once more. */
const ANNOUNCED = /^(?:↩️ Edgewise|(?:↩️ )?<@U0ADA000001>) (?!(?:asks|wants)\b)/;
/** What a person reads at the end. */
const ENDS = {
  done: /"delete_original":true|"text":"(?:↩️ Edgewise|(?:↩️ )?<@U0ADA000001>) (?!(?:asks|wants)\b)|New tokens? for|It was created, but I couldn’t show it|✅ Done by |Done\. It is in the channel|Done, but Slack|\bDone(, undoing it)?: |(?:Time’s up|for you|worse \(.*\)): I |(?<!whether )it took effect\./,
  nothing:
    /Nothing was (done|changed)|probably did not take effect|may still be working on it|\bNot (done|undone)\b|(?:was|did) (?:\*not\*|not) (?:undone|undo|switch)/,
  unknown:
    /Outcome unknown\b|can’t tell whether|may have taken effect|(?<!present state |protects )is not known\b(?! any more)|does not show whether/,
};
type End = keyof typeof ENDS;

/** What it has to say where what was made was a secret that nobody saw. */
const NOBODY_SAW = /any new one is lost|nobody saw|couldn’t show it to you/;

/** What is said where what is there now is neither the state from before nor quite the one that was asked for. */
const LOOKED_AT = /I looked again: |The platform now shows/;

/** How often a person presses on, or a bot is started again, until something has come to its end. */
const ROUNDS = 6;
/** For how long the bot must ask for nothing to count as idle before it has said the end, in milliseconds of real time. */
const QUIET = 5_000;
const QUIET_AFTER_REPEATS = 300;

/** Carries a run out in a world whose bot is up, and leaves it with its bot up. */
export async function carryOut(world: World, { scenario, fault }: Run): Promise<Result> {
  const { slack, proxy, bot, platform } = world;
  const began = Date.now();
  const ready = await prepared(world, scenario);
  const from = platform.requests.length;
  const said = slack.outgoing.length;
  const delivered = slack.deliveries.length;
  proxy.count(fault === undefined ? undefined : { ...fault, kill: () => bot.kill() });
  if (ready.press === 'start') await bot.start();
  else await ready.press().catch(unlessDead(world));
  const endOf = () => read(textsSince(world, said, began), ready);
  const isOver = () => endOf().length > 0;
  await settled(world, QUIET, isOver);
  const steps = [...proxy.steps];
  const { wasHit, isDead } = proxy;

  // Where it did not come as far as its fault, nothing is to go wrong later.
  if (!isDead) proxy.count();
  let left: string | undefined;
  if (isDead) {
    await bot.gone();
    await answered(world);
    left = (await rowsOf(world, ready)).at(-1)?.state ?? 'nothing';
    await revived(world);
  }
  for (let round = 1; round <= ROUNDS && !isOver(); round += 1) {
    if (ready.maySayNothing?.((await rowsOf(world, ready)).at(-1)?.state) === true) break;
    // Somebody who presses on and hears that it is being done is told the end when the lease is over.
    const isPressed = round % 2 === 1 && (await ready.again().catch(() => false));
    // Whoever came back may be doing what the dead one had taken.
    if (!isPressed && round > 1) await expired(world, ready);
    await settled(world, QUIET, isOver);
  }
  // A lost answer of the store may leave something for whoever looks when the lease is over.
  if (!isDead && (await rowsOf(world, ready)).some(({ isLeased }) => isLeased)) await restarted(world);
  // Whoever came back may still be telling what others have begun to tell.
  await settled(world, QUIET, isOver);

  const problems = slack.problems.splice(0);
  const ends = endOf();
  const texts = textsSince(world, said, began);
  // Before everything comes again: what was never begun may be begun by that.
  const maySayNothing = ready.maySayNothing?.((await rowsOf(world, ready)).at(-1)?.state) === true;
  await repeated(world, delivered);
  problems.push(...(await problemsOf(world, ready, { from, ends, texts, left, maySayNothing })));
  return {
    scenario: scenario.name,
    step: fault?.step ?? 0,
    phase: fault?.phase ?? 'none',
    wasHit,
    steps,
    end: ends.join(' and ') || 'silence',
    problems,
    said: problems.length === 0 ? [] : texts,
  };
}

/** Statements beside the one of the fault were under way when the bot died: the store still carries them out. */
async function answered({ database }: World): Promise<void> {
  for (let looks = 0; looks < 5; looks += 1) {
    await setTimeout(20);
    const { rows } = await database.execute(
      `SELECT count(*) AS active FROM pg_stat_activity
       WHERE state <> 'idle' AND datname = current_database() AND pid <> pg_backend_pid()`,
    );
    if (Number(rows[0]?.active) > 0) looks = 0;
  }
}

/** Everything of a scenario but its press: throws where it does not come so far. */
export async function prepared(world: World, scenario: Scenario): Promise<Ready> {
  await tidied(world);
  const ready = await scenario.prepare(world);
  await world.slack.idle();
  await world.settle();
  return ready;
}

/** No view stands open, and nothing is left of the run before. */
async function tidied({ slack }: World): Promise<void> {
  for (const name of ['ada', 'ben', 'cyd']) {
    const person = slack.person(name);
    // A card of an earlier run that nobody pressed is not taken for one of this run.
    for (const id of slack.workspace.channels.keys()) person.in(id).readAll();
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

/** The bot is dead, or has asked for nothing for so long. */
async function settled({ slack, proxy }: World, quiet: number, isOver?: () => boolean): Promise<void> {
  await proxy.quiet(quiet, isOver);
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

/** Another process, later: it looks at what was left, as the one that lives does every few seconds. */
async function restarted(world: World): Promise<void> {
  world.bot.kill();
  await world.bot.gone();
  await revived(world);
}

/** Nobody presses anything any more, and the bot is another process. */
async function expired(world: World, ready: Ready): Promise<void> {
  world.bot.kill();
  await world.bot.gone();
  for (const { id } of await rowsOf(world, ready)) {
    await world.database.execute(
      `UPDATE confirmations SET expires_at = :now - 1 WHERE id = :id AND state IN (${states(...statesIn('asking'))})`,
      { id },
    );
  }
  await revived(world);
}

/** Everything that Slack has delivered since then comes twice more, byte for byte. */
async function repeated(world: World, from: number): Promise<void> {
  for (const delivery of world.slack.deliveries.slice(from)) await world.slack.redeliver(2, delivery);
  await settled(world, QUIET_AFTER_REPEATS);
}

/** A confirmation as it is stored. */
interface Row {
  id: string;
  state: string;
  isLeased: boolean;
}

/** The confirmation that a run is about, and those by which something was tried again; the oldest first. */
async function rowsOf(world: World, { id }: Ready): Promise<Row[]> {
  const known = typeof id === 'string' ? id : await id();
  if (known === undefined) return [];
  const { rows } = await world.database.execute(
    `SELECT id, state, jobs.body AS lease FROM confirmations LEFT JOIN jobs ON jobs.key = 'change:' || id
     WHERE id = :id OR id LIKE :id || :more ORDER BY created_at, id`,
    { id: known, more: '-%' },
  );
  return rows.map((row) => ({ id: String(row.id), state: String(row.state), isLeased: row.lease !== null }));
}

/**
 * What Ada, who asked for it, was told since the `from`-th message: by a message, or by an edit of one of this run (since
 * `began`, in milliseconds). Of what stands in a channel only that counts which names her as the one who did it.
 */
function textsSince({ slack }: World, from: number, began: number): string[] {
  const ada = slack.person('ada').id;
  const direct = slack.workspace.directMessage(ada).id;
  const isForAda = (method: string, body: unknown): boolean => {
    const { user, channel, ts, text } = body as { user?: string; channel?: string; ts?: string; text?: string };
    if (method === 'chat.postEphemeral') return user === ada;
    if (method === 'chat.postMessage') return channel === direct || channel === ada || ANNOUNCED.test(text ?? '');
    if (method === 'chat.update') return channel === direct && 1000 * Number(ts) >= began;
    return method !== 'ack';
  };
  return slack.outgoing
    .slice(from)
    .filter(({ method, body, error }) => error === undefined && isForAda(method, body))
    .map(({ body }) => JSON.stringify(body).replaceAll('\\n', '\n'));
}

function read(texts: readonly string[], { ends }: Ready): string[] {
  if (ends !== undefined && texts.some((text) => ends.test(text))) return ['as it should'];
  return (Object.keys(ENDS) as End[]).filter((end) => texts.some((text) => ENDS[end].test(text)));
}

/** Where a process that died left a confirmation: what may be told of it then. */
const TOLD_OF: Readonly<Record<string, RegExp>> = {
  done: /done/,
  failed: /nothing/,
  refused: /nothing/,
  cancelled: /nothing/,
  expired: /nothing/,
};
/** States in which nothing has been sent: everybody can tell. */
const BEFORE_SENDING = /^(nothing|drafted|waiting|asked|claimed)$/;

async function problemsOf(
  world: World,
  ready: Ready,
  {
    from,
    ends,
    texts,
    left,
    maySayNothing,
  }: {
    from: number;
    ends: readonly string[];
    texts: readonly string[];
    left: string | undefined;
    maySayNothing: boolean;
  },
): Promise<string[]> {
  const requests = world
    .writes(from)
    .filter(ready.isChange ?? (() => true))
    .map(({ method, path, body }) => `${method} ${path} ${JSON.stringify(body)}`);
  const writes = ready.made === undefined ? requests : [...requests, ...(await ready.made())];
  const distinct = new Set(writes);
  const rows = await rowsOf(world, ready);
  const problems: string[] = [];
  if (distinct.size !== writes.length) problems.push(`applied more than once: ${writes.join('; ')}`);
  if (distinct.size > ready.writes) problems.push(`applied more than was asked: ${writes.join('; ')}`);
  if (ends.length === 0 && !maySayNothing) problems.push('nobody was told how it ended');
  const isPart = ready.part !== undefined && texts.some((text) => ready.part?.test(text));
  if (ends.includes('done') && distinct.size !== ready.writes && !isPart)
    problems.push(`told “done” of ${distinct.size} writes`);
  if (ends.includes('nothing') && distinct.size > 0) problems.push(`told “nothing was done” of ${writes.join('; ')}`);
  if (ends.includes('unknown')) {
    if (left !== undefined && BEFORE_SENDING.test(left)) problems.push(`told “unknown” of what was left as ${left}`);
    const isLookedAt = ends.length > 1 || texts.some((text) => LOOKED_AT.test(text));
    const { advice } = ready;
    if (ends.length === 1 && advice !== undefined && !texts.some((text) => advice.test(text)))
      problems.push('told “unknown” without what to do then');
    if (ready.isShown === true && !isLookedAt) problems.push('told “unknown” of what the platform shows');
  }
  const wanted = left === undefined || ready.ends !== undefined ? undefined : TOLD_OF[left];
  if (wanted !== undefined && ends.length > 0 && (ends.includes('unknown') || !ends.some((end) => wanted.test(end)))) {
    problems.push(`told “${ends.join(' and ')}” of what was left as ${left}`);
  }
  if (ready.secret !== undefined && distinct.size > 0) {
    const isLost = texts.some((text) => NOBODY_SAW.test(text));
    if (!isLost && !texts.some((text) => ready.secret?.test(text))) {
      problems.push('a secret was made and neither shown nor said to be lost');
    }
  }
  for (const { id, state, isLeased } of rows) {
    if (state === 'claimed' || state === 'sent') problems.push(`${id} is still ${state}`);
    if (isLeased) problems.push(`${id} (${state}) waits for somebody to be told`);
    const isEnd = /^(done|undone|failed|unknown|refused|overtaken|cancelled|rejected)$/.test(state);
    if (isEnd && !(await world.audit.knows(id, auditWord(state as ChangeState))))
      problems.push(`the audit does not know that ${id} is ${state}`);
  }
  // Where nothing was begun, nothing is stored; whoever was told nothing else has to be found there.
  const isBegun = ready.maySayNothing?.(undefined) !== true && ends.some((end) => end !== 'nothing');
  if (rows.length === 0 && isBegun) problems.push('the store does not know it');
  const {
    problems: [problem],
  } = await world.audit.verify();
  if (problem !== undefined) problems.push(`the audit is not intact: entry ${problem.number} is ${problem.what}`);
  return problems;
}
