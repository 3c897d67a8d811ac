import { randomBytes } from 'node:crypto';
import { type ChangeState, type ChangeTransition, STATES, statesIn, TRANSITIONS } from '../changes/change.ts';
import { currentInteraction } from '../interaction.ts';
import { DAY, MINUTE } from '../time.ts';
import { CAPS, countsOf, TooManyError, withinCap } from './caps.ts';
import type { ChannelMoves } from './channel-moves.ts';
import { type Args, AT_ONCE, type Database, type Statement, timeOf } from './database.ts';
import { finishing, keeping } from './jobs.ts';
import { moveChange, reversalStates, states } from './moves.ts';
import { isGenuine, isSent, macOf, placeOf, sentMacOf } from './protection.ts';
import { type Seal, UNSEALED } from './seal.ts';

/** In milliseconds. How long the button works. */
export const CONFIRMATION_LIFETIME = 15 * MINUTE;
/** In milliseconds. How long an expired change can be asked for again. */
export const ASKED_AGAIN = 7 * DAY;
/** What replaces the arguments and the preview a day after a change has ended, or a week after its expiry. It is not sealed. */
const EMPTIED = '{}';
/** The outcome of an interrupted change. */
export const NOT_SENT = 'Edgewise stopped before it was sent';

/** The kind of a change’s job: while it runs, and until its requester knows the outcome. */
export const CHANGE = 'change';
export const changeKey = (id: string): string => `${CHANGE}:${id}`;
/** If this process dies or fails, another one ends the change and tells its outcome. */
export const keepingChange = (id: string): Statement => keeping(CHANGE, changeKey(id));
/** The requester’s unexpired row. */
export const OWN = 'id = :id AND actor = :actor AND team = :team AND expires_at > :now';
/** Nobody can confirm a change after the time for which it was asked. */
export const expiryIn = (lifetime: string): string =>
  `CASE WHEN due_at < :now + ${lifetime} THEN due_at ELSE :now + ${lifetime} END`;

/** The kind of the job that does a planned change. */
export const PLANNED = 'planned';
export const plannedKey = (id: string): string => `${PLANNED}:${id}`;

/** What the approval of a change needs. */
export interface ApprovalAsked {
  /** How many others have to agree, and within how many milliseconds. */
  count: number;
  lifetime: number;
  /** What the requester was in the workspace. */
  kind?: 'member' | 'guest' | 'stranger';
  /** The requester’s warnings as blocks, which approvers read too. */
  remarks?: unknown;
}

type Fields = Record<string, unknown>;

/** A change that was asked for: one person, resolved ids, and the previewed state. */
export interface Confirmation {
  id: string;
  operation: string;
  /** The arguments as texts that resolve to the same things again (ids, file hashes). Sealed, because people type secrets. */
  given: Record<string, string>;
  /** Sealed with another key, or written by somebody else, so what was asked for is unknown. */
  unreadable?: true;
  target: string;
  typedName?: string;
  /** The state that was shown. It is compared again at the confirmation. */
  preview: {
    before?: Fields | undefined;
    after: Fields;
    worsens?: string | undefined;
    agent?: true | undefined;
    /** What it and its undo name, for the policy. */
    names?: Readonly<Record<string, readonly (readonly string[])[]>> | undefined;
  };
  /** With `--at`: when it is done, if it was confirmed before. */
  due?: Date;
  /** It ended long ago and its preview was emptied, so it cannot be undone. */
  emptied?: true;
  actor: string;
  team: string;
  channel: string;
  thread?: string | undefined;
  state: ChangeState;
  /** The change that this one undoes. */
  undoes?: string;
  /** Its process died before the request left, so certainly nothing was done. */
  interrupted?: true;
  /** Set if others have to approve it. Sealed like the arguments. */
  approval?: ApprovalAsked | undefined;
  reason?: string;
  glassBroken?: boolean;
  post?: { channel: string; ts: string };
  outcome?: string;
  /** The interaction that asked for it, or that ran it. */
  interaction?: string;
  createdAt: Date;
  /** Once it has ended, when that was. */
  expiresAt: Date;
}

export interface Asked
  extends Pick<
    Confirmation,
    'operation' | 'given' | 'target' | 'preview' | 'actor' | 'team' | 'channel' | 'typedName' | 'thread' | 'approval'
  > {
  /** An attempt to undo that change, counted from 1. */
  undoes?: string;
  attempt?: number;
  due?: Date | undefined;
}

/** The changes asked for in a channel, or all. */
export type Withdrawn = { channel: string } | 'all';

const ENDINGS = { done: 'finish', failed: 'fail', unknown: 'lose', refused: 'refuse', overtaken: 'overtake' } as const;

/** Ends that the holder of the claim can store. */
export type Ending = keyof typeof ENDINGS;

/** Each step is one statement. */
export type Confirmations = ReturnType<typeof createConfirmations>;

export function createConfirmations(
  database: Database,
  seal: Seal = UNSEALED,
  { idsOf }: Pick<ChannelMoves, 'idsOf'> = { idsOf: (id) => [id] },
) {
  const found = async (sql: string, args: Parameters<Database['execute']>[1] = {}): Promise<Confirmation[]> =>
    (await database.execute(sql, args)).rows.map((row) => confirmationOf(row, seal));
  /** One step, together with the job of the change. */
  const kept = async (
    name: ChangeTransition,
    set: string,
    {
      id,
      where = '',
      args = {},
      job = keepingChange(id),
    }: { id: string; where?: string; args?: Args; job?: Statement },
  ): Promise<Confirmation | undefined> => {
    const move = { sql: moveChange(name, set, `id = :id${where}`), args: { id, ...args } };
    const [moved] = await database.together([move, job]);
    return moved?.rows.map((row) => confirmationOf(row, seal))[0];
  };
  const moves = async (name: ChangeTransition, set: string, id: string, args = {}): Promise<boolean> =>
    (await found(moveChange(name, set, 'id = :id'), { id, ...args })).length === 1;
  /** The same step for many. Rows that the bot did not write are not returned. */
  const each = async (name: ChangeTransition, set: string, which: string, args: Args): Promise<Confirmation[]> => {
    const where = ` AND ${which}`;
    const { rows } = await database.execute(
      `SELECT id FROM confirmations WHERE state IN (${states(...TRANSITIONS[name].from)})${where}`,
      args,
    );
    const moved: (Confirmation | undefined)[] = [];
    for (const { id } of rows) moved.push(await kept(name, set, { id: String(id), where, args }));
    return moved.filter((one) => one !== undefined && one.unreadable !== true) as Confirmation[];
  };
  /** Claims of this process that have not ended or were not told, and claims that it gave away. */
  const [held, handedOver] = [new Set<string>(), new Set<string>()];
  const stand = async ({ id, due, approval }: Confirmation, left: number): Promise<boolean> => {
    const name = due !== undefined ? 'postpone' : approval !== undefined ? 'stand' : 'retry';
    const job: Statement = { ...finishing(changeKey(id)), follows: true };
    const stood = await kept(name, '', { id, where: ` AND expires_at > :now + ${left}`, job });
    if (stood !== undefined) held.delete(id);
    return stood !== undefined;
  };
  return {
    /**
     * Stores a change as asked, or as drafted if it needs approval. The same attempt to undo is stored once. Throws TooManyError if
     * its actor has too many unanswered ones.
     */
    async create(asked: Asked) {
      const columns = columnsOf(asked, await timeOf(database), seal);
      const [made] = await found(INSERT, columns);
      if (made !== undefined) return made;
      const { actor, team } = asked;
      const { rows } = await database.execute(`SELECT ${QUESTIONS}`, { actor, team });
      withinCap('questions', countsOf(rows[0]));
      throw new TooManyError('There were too many changes at once.', { hint: 'Repeat the command.' });
    },
    /** How many wait for approval or are approved and not run, or are planned: of this person, and of everybody. */
    async waiting({ id: actor, teamId: team }: { id: string; teamId: string }) {
      const standing = states('waiting', 'approved', 'planned');
      const { rows } = await database.execute(`SELECT ${COUNTED(standing)}`, { actor, team });
      return countsOf(rows[0]);
    },
    read: async (id: string) => (await found('SELECT * FROM confirmations WHERE id = :id', { id }))[0],
    /** For the requester, before it expires. Undefined: somebody else was first. */
    async claim(id: string, { id: actor, teamId: team }: { id: string; teamId: string }) {
      const taken = await kept('claim', 'interaction = coalesce(:interaction, interaction)', {
        id,
        where: ' AND actor = :actor AND team = :team AND expires_at > :now AND due_at IS NULL',
        args: { actor, team, interaction: currentInteraction()?.id ?? null },
      });
      if (taken !== undefined) held.add(id);
      return taken;
    },
    /** For the requester, instead of a claim, if it was asked for with `--at`. */
    plan: (id: string, { id: actor, teamId: team }: { id: string; teamId: string }) =>
      kept('plan', `expires_at = due_at + ${CONFIRMATION_LIFETIME}`, {
        id,
        where: ' AND actor = :actor AND team = :team AND expires_at > :now AND due_at > :now',
        args: { actor, team },
      }),
    /** For the holder of its job: the claim of a planned change at its time. */
    async begin(id: string) {
      const taken = await kept('begin', '', { id, where: ' AND due_at <= :now' });
      if (taken !== undefined) held.add(id);
      return taken;
    },
    /** Milliseconds until a planned change is due. Undefined: it is not planned. */
    async plannedIn(id: string) {
      const sql = `SELECT due_at - :now AS due_in FROM confirmations WHERE id = :id AND state IN (${states('planned')})`;
      const { rows } = await database.execute(sql, { id });
      return rows[0] && Math.max(0, Number(rows[0].due_in));
    },
    /** All planned changes, soonest first. */
    planned: () => found(`SELECT * FROM confirmations WHERE state IN (${states('planned')}) ORDER BY due_at`, {}),
    /** Stored before the request leaves. False: the claim is lost. */
    async send(id: string) {
      return !handedOver.has(id) && moves('send', 'sent_mac = :sent', id, { sent: sentMacOf(seal, id) });
    },
    /** How many claims this process has whose outcome was not told. */
    held: () => held.size,
    /** What was claimed and not sent stands as before, for any process. This one does nothing more with it. */
    async handOver() {
      for (const id of held) {
        const [claimed] = await found('SELECT * FROM confirmations WHERE id = :id', { id });
        handedOver.add(id);
        if (claimed === undefined || !(await stand(claimed, 0))) handedOver.delete(id);
      }
    },
    isHandedOver: (id: string) => handedOver.has(id),
    /** Nothing was sent: it stands as before its claim. False: there is no minute left to try again. */
    stand: (confirmation: Confirmation) => stand(confirmation, MINUTE),
    /** False: it has already ended otherwise. */
    settle: (id: string, state: Ending, outcome: string) =>
      moves(ENDINGS[state], 'outcome = :outcome', id, { outcome }),
    undone: async (id: string) => void (await moves('undo', '', id)),
    /** For the requester. */
    async cancel(id: string, { id: actor, teamId: team }: { id: string; teamId: string }) {
      const own = { where: ' AND actor = :actor AND team = :team', args: { actor, team } };
      return (await kept('cancel', '', { id, ...own })) !== undefined;
    },
    /** The requester knows how it stands, so its job is done. */
    async notified(id: string) {
      held.delete(id);
      const { sql, args = {} } = finishing(changeKey(id));
      await database.execute(sql, args);
    },
    /** For the holder of its job: ends what its process left. Undefined: nobody has to be told. It is tried for a day. */
    async endLeft(id: string) {
      const { abandon, doubt } = TRANSITIONS;
      const [ended] = await found(
        `UPDATE confirmations SET outcome = CASE WHEN state IN (${states(...abandon.from)}) THEN :notSent ELSE outcome END,
           expires_at = CASE WHEN state IN (${states(...statesIn('running'))}) THEN :now ELSE expires_at END,
           state = CASE WHEN state IN (${states(...abandon.from)}) THEN '${abandon.to}'
             WHEN state IN (${states(...doubt.from)}) THEN '${doubt.to}' ELSE state END
         WHERE id = :id AND (state IN (${states(...statesIn('running'))}) OR expires_at > :now - ${DAY}) RETURNING *`,
        { id, notSent: NOT_SENT },
      );
      const isOpen = ended?.state === 'drafted' || ended?.state === 'asked';
      return isOpen || ended?.unreadable === true ? undefined : ended;
    },
    /** Ends expired changes, or one of them, and returns each once. */
    expire(id?: string) {
      const why = `CASE WHEN state IN (${states('waiting')}) THEN 'not approved in time'
        WHEN state IN (${states('approved')}) THEN 'approved, and not run in time' ELSE 'not confirmed in time' END`;
      const one = id === undefined ? {} : { id };
      return each('expire', `outcome = ${why}`, `expires_at <= :now${id === undefined ? '' : ' AND id = :id'}`, one);
    },
    /** Ends unconfirmed changes, and returns each once. Undos go on. */
    withdraw: (whose: Withdrawn, why: string) => {
      const where = whose === 'all' ? '1 = 1' : 'channel IN LIST(:channels)';
      const args = whose === 'all' ? {} : { channels: JSON.stringify(idsOf(whose.channel)) };
      return each('withdraw', 'outcome = :why', `${where} AND undoes IS NULL`, { why, ...args });
    },
  };
}

/** Empties what was typed, and removes old rows with everything that refers to them. Not as long as a change can be undone. */
export async function forgetChanges(database: Database, keptFor: number): Promise<void> {
  const isOpen = `id IN (SELECT confirmation FROM reversals WHERE state IN (${reversalStates('claimed')})
        OR (state IN (${reversalStates('open')}) AND (due_at IS NOT NULL OR undo_until > :now)))`;
  const isOver = `state IN (${states(...statesIn('over'))}) AND NOT ${isOpen} AND expires_at < :now`;
  await inParts(database, 'DELETE FROM confirmations', `${isOver} - ${keptFor}`);
  for (const table of ['approvals', 'approval_copies', 'reversals'])
    await database.execute(`DELETE FROM ${table} WHERE confirmation NOT IN (SELECT id FROM confirmations)`);
  await inParts(
    database,
    `UPDATE confirmations SET given = '${EMPTIED}', preview = '${EMPTIED}'`,
    `${isOver} - CASE WHEN state IN (${states('expired')}) THEN ${ASKED_AGAIN} ELSE ${DAY} END AND preview <> '${EMPTIED}'`,
  );
}

async function inParts(database: Database, change: string, where: string): Promise<void> {
  const sql = `${change} WHERE id IN (SELECT id FROM confirmations WHERE ${where} LIMIT ${AT_ONCE})`;
  while ((await database.execute(sql)).changed === AT_ONCE) await new Promise(setImmediate);
}

/** How many are in these states: of one person, and of everybody. Undos do not count. */
const COUNTED = (standing: string) =>
  `count(CASE WHEN actor = :actor AND team = :team THEN 1 END) AS own, count(*) AS "all" FROM confirmations
   WHERE state IN (${standing}) AND undoes IS NULL AND expires_at > :now`;
const QUESTIONS = COUNTED(states('asked', 'drafted'));

const INSERT = `INSERT INTO confirmations (id, operation, given, target, typed_name, preview, actor, team, channel, thread, state,
    approval, undoes, interaction, created_at, expires_at, due_at, mac)
  SELECT :id, :operation, :given, :target, :typed_name, :preview, :actor, :team, :channel, :thread, :state,
    :approval, :undoes, :interaction, :created_at, :expires_at, :due_at, :mac
  FROM (SELECT ${QUESTIONS}) AS open
  WHERE :undoes IS NOT NULL OR (open.own < ${CAPS.questions.person} AND open."all" < ${CAPS.questions.all})
  ON CONFLICT (id) DO UPDATE SET id = excluded.id
  RETURNING *`;

function columnsOf(asked: Asked, now: number, seal: Seal) {
  const { undoes, attempt = 1 } = asked;
  const id = undoes === undefined ? randomBytes(12).toString('base64url') : attemptId(undoes, attempt);
  const sealed = (column: string, value: unknown) => seal.write(value, placeOf('confirmations', column, id));
  const row = {
    id,
    operation: asked.operation,
    given: sealed('given', asked.given),
    target: asked.target,
    typed_name: asked.typedName ?? null,
    preview: sealed('preview', asked.preview),
    actor: asked.actor,
    team: asked.team,
    channel: asked.channel,
    thread: asked.thread ?? null,
    state: (asked.approval === undefined ? TRANSITIONS.ask : TRANSITIONS.draft).to,
    approval: asked.approval === undefined ? null : sealed('approval', asked.approval),
    undoes: undoes ?? null,
    created_at: now,
    due_at: asked.due?.getTime() ?? null,
  };
  const interaction = currentInteraction()?.id ?? null;
  const expires_at = Math.min(now + CONFIRMATION_LIFETIME, row.due_at ?? Number.POSITIVE_INFINITY);
  return { ...row, interaction, expires_at, mac: macOf(seal, 'confirmations', row) };
}

/** All replicas give an attempt to undo the same id, so it exists once. */
export const attemptId = (undoes: string, attempt: number): string =>
  `undo-${undoes}${attempt === 1 ? '' : `-${attempt}`}`;

export const SENT: readonly ChangeState[] = ['sent', 'done', 'undone', 'unknown'];

/** Whether it was sent, by its state, agrees with `sent_mac`, which only the bot can write. */
function isProven(row: Record<string, unknown>, seal: Seal): boolean {
  if (!seal.keyed) return true;
  const state = String(row.state) as ChangeState;
  return SENT.includes(state) ? isSent(seal, row) : STATES[state]?.stage === 'over' || row.sent_mac === null;
}

export function confirmationOf(row: Record<string, unknown>, seal: Seal): Confirmation {
  const id = String(row.id);
  const state = String(row.state) as ChangeState;
  const isOver = STATES[state]?.stage === 'over';
  const emptied = isOver && row.preview === EMPTIED;
  const sealed = <T>(column: string): T | undefined =>
    seal.read(String(row[column]), placeOf('confirmations', column, id)) as T | undefined;
  const given = isOver && row.given === EMPTIED ? {} : sealed<Confirmation['given']>('given');
  const preview = emptied ? { after: {} } : sealed<Confirmation['preview']>('preview');
  const asked = row.approval === null ? null : sealed<ApprovalAsked>('approval');
  const isSealed = given !== undefined && preview !== undefined && asked !== undefined;
  const isReadable = isSealed && isGenuine(seal, 'confirmations', row) && isProven(row, seal);
  return {
    id,
    operation: String(row.operation),
    given: given ?? {},
    ...(isReadable ? {} : { unreadable: true }),
    target: String(row.target),
    ...(row.typed_name === null ? {} : { typedName: String(row.typed_name) }),
    preview: preview ?? { after: {} },
    ...(emptied ? { emptied: true } : {}),
    actor: String(row.actor),
    team: String(row.team),
    channel: String(row.channel),
    ...(row.thread === null ? {} : { thread: String(row.thread) }),
    state,
    ...(row.undoes === null ? {} : { undoes: String(row.undoes) }),
    ...(row.due_at === null ? {} : { due: new Date(Number(row.due_at)) }),
    ...(row.outcome === NOT_SENT ? { interrupted: true } : {}),
    ...(row.outcome === null ? {} : { outcome: String(row.outcome) }),
    ...(asked === null ? {} : { approval: asked ?? { count: 1, lifetime: 0 } }),
    ...(row.reason === null ? {} : { reason: String(row.reason) }),
    ...(row.glass_broken === 1 ? { glassBroken: true } : {}),
    ...(row.post_ts === null ? {} : { post: { channel: String(row.post_channel), ts: String(row.post_ts) } }),
    ...(/^[0-9a-f]{8}$/.test(String(row.interaction)) ? { interaction: String(row.interaction) } : {}),
    createdAt: new Date(Number(row.created_at)),
    expiresAt: new Date(Number(row.expires_at)),
  };
}
