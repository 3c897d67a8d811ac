import { randomBytes } from 'node:crypto';
import { type ChangeState, type ChangeTransition, STATES, statesIn, TRANSITIONS } from '../changes/change.ts';
import { currentInteraction } from '../interaction.ts';
import { DAY, MINUTE } from '../time.ts';
import { CAPS, type Counts, countsOf, TooManyError, withinCap } from './caps.ts';
import type { ChannelMoves } from './channel-moves.ts';
import { type Args, AT_ONCE, type Database, type Statement, timeOf } from './database.ts';
import { finishing, keeping, lettingGo } from './jobs.ts';
import { moveChange, reversalStates, states } from './moves.ts';
import { isGenuine, isSent, macOf, placeOf, sentMacOf } from './protection.ts';
import { type Seal, UNSEALED } from './seal.ts';

/** A person has so long to press the button, in milliseconds. */
export const CONFIRMATION_LIFETIME = 15 * MINUTE;
/** An expired one can be asked for again so long, in milliseconds. */
export const ASKED_AGAIN = 7 * DAY;
/** The arguments and the preview after a day. They are not sealed then. */
const EMPTIED = '{}';
/** The outcome of an interrupted change, in words. */
export const NOT_SENT = 'not sent: the bot stopped before the request left';

/** The kind of the job of a change that runs, or of whose outcome nobody knows yet. */
export const CHANGE = 'change';
export const changeKey = (id: string): string => `${CHANGE}:${id}`;
/** Where this process dies, or fails to, another one sees to it that it ends and is known. */
export const keepingChange = (id: string): Statement => keeping(CHANGE, changeKey(id));
/** The row of a person who asked, while it has not expired. */
export const OWN = 'id = :id AND actor = :actor AND team = :team AND expires_at > :now';

/** The circumstances of a change that others have to approve. */
export interface ApprovalAsked {
  /** So many others have to agree, within so many milliseconds. */
  count: number;
  lifetime: number;
  names?: Readonly<Record<string, readonly (readonly string[])[]>>;
  /** The requester's standing in the workspace. */
  kind?: 'member' | 'guest' | 'stranger';
  /** The requester's warnings, as blocks: those who approve read them too. */
  remarks?: unknown;
}

/** A change that was asked for: bound to one person, the resolved ids and the previewed state. */
export interface Confirmation {
  id: string;
  operation: string;
  /** The arguments as texts that resolve to the very same things (ids, file hashes). Sealed in the store: people type secrets. */
  given: Record<string, string>;
  /** It was sealed with another key, or somebody else has written it: what was asked for is not known. */
  unreadable?: true;
  target: string;
  /** The name to type, for a destructive operation. */
  typedName?: string;
  /** The previewed state, to be compared with the state at the time of confirming. */
  preview: { before?: Record<string, unknown> | undefined; after: Record<string, unknown> };
  /** It ended long ago, and its preview is not kept any more: nothing is put back to it. */
  emptied?: true;
  actor: string;
  team: string;
  channel: string;
  thread?: string | undefined;
  state: ChangeState;
  /** The change that this one undoes. */
  undoes?: string;
  /** Its process died before the request left: it is certain that nothing was done. */
  interrupted?: true;
  /** Set when others have to approve it. Sealed in the store, as what was typed is. */
  approval?: ApprovalAsked;
  reason?: string;
  /** It was let through without approval. */
  glassBroken?: boolean;
  post?: { channel: string; ts: string };
  outcome?: string;
  /** The id of the interaction that asked for it, or of the one that ran it. */
  interaction?: string;
  createdAt: Date;
  expiresAt: Date;
}

export interface Asked
  extends Pick<
    Confirmation,
    'operation' | 'given' | 'target' | 'preview' | 'actor' | 'team' | 'channel' | 'typedName' | 'thread' | 'approval'
  > {
  /** An attempt to undo another change, counted from 1. */
  undoes?: string;
  attempt?: number;
}

/** The confirmations; each step is one statement. */
export interface Confirmations {
  /**
   * Stores it as asked, or as drafted when it needs approval. An attempt to undo something exists once. Throws TooManyError when its
   * actor has too many that nobody has answered.
   */
  create(asked: Asked): Promise<Confirmation>;
  read(id: string): Promise<Confirmation | undefined>;
  /** How many were asked of others, or approved, and not run: of a person, and of everybody. */
  waiting(actor: { id: string; teamId: string }): Promise<Counts>;
  /** For the person who asked, before the expiry, or where a stopped process gave its claim away. Undefined: others were first. */
  claim(id: string, actor: { id: string; teamId: string }): Promise<Confirmation | undefined>;
  /** Written before the request leaves. False: the claim is no longer ours. */
  send(id: string): Promise<boolean>;
  /** How many claims this process has of whose end nobody was told. */
  held(): number;
  /** Gives away all claims of which nothing was sent: this process does nothing more with them, and says nothing of them. */
  handOver(): Promise<void>;
  isHandedOver(id: string): boolean;
  /** False: it has come to another end already. */
  settle(id: string, state: Ending, outcome: string): Promise<boolean>;
  /** Another change has undone it. */
  undone(id: string): Promise<void>;
  /** By the person who asked. */
  cancel(id: string, actor: { id: string; teamId: string }): Promise<boolean>;
  /** The person knows how it stands: nobody else has to say it. */
  notified(id: string): Promise<void>;
  /**
   * For whoever has its job: ends what its process has left. Undefined: there is nothing of which somebody still has to know. It is
   * tried for a day.
   */
  left(id: string): Promise<Confirmation | undefined>;
  /** Empties the arguments and the preview of what ended more than a day ago, or expired a week ago, and drops it after a month. The audit remembers. */
  forget(keptFor?: number): Promise<void>;
  /** Ends what is past its expiry; each is handed out once. */
  expire(): Promise<Confirmation[]>;
  /** Ends what nobody has confirmed yet, for a reason; each is handed out once. Puttings back go on. */
  withdraw(whose: Withdrawn, why: string): Promise<Confirmation[]>;
  /** How many wait for their requester, and how many for others. */
  open(): Promise<{ confirmation: number; approval: number }>;
}

/** Those that were asked for in a channel, or all. */
export type Withdrawn = { channel: string } | 'all';

const ENDINGS = { done: 'finish', failed: 'fail', unknown: 'lose', refused: 'refuse', overtaken: 'overtake' } as const;

/** An end that the process with the claim can write down. */
export type Ending = keyof typeof ENDINGS;

export function createConfirmations(
  database: Database,
  seal: Seal = UNSEALED,
  { idsOf }: Pick<ChannelMoves, 'idsOf'> = { idsOf: (id) => [id] },
): Confirmations {
  const found = async (sql: string, args: Parameters<Database['execute']>[1] = {}): Promise<Confirmation[]> =>
    (await database.execute(sql, args)).rows.map((row) => confirmationOf(row, seal));
  /** A step, and the job of the change with it. */
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
  /** The same step of many; nobody is told of a row that the bot has not written. */
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
  /** Claims of this process that have come to no end yet, or to one of which nobody was told; and those that it gave away. */
  const [held, handedOver] = [new Set<string>(), new Set<string>()];
  return {
    async create(asked) {
      const columns = columnsOf(asked, await timeOf(database), seal);
      return (await found(INSERT, columns))[0] ?? tooMany(database, asked);
    },
    async waiting({ id: actor, teamId: team }) {
      const { rows } = await database.execute(`SELECT ${COUNTED(states('waiting', 'approved'))}`, { actor, team });
      return countsOf(rows[0]);
    },
    read: async (id) => (await found('SELECT * FROM confirmations WHERE id = :id', { id }))[0],
    async claim(id, { id: actor, teamId: team }) {
      const own = { id, where: ' AND actor = :actor AND team = :team' };
      const interaction = currentInteraction()?.id ?? null;
      const taken =
        (await kept('claim', 'interaction = coalesce(:interaction, interaction)', {
          ...own,
          where: `${own.where} AND expires_at > :now`,
          args: { actor, team, interaction },
        })) ??
        // An attempt to undo is followed by another one, as after a death.
        (await kept('takeOver', '', { ...own, where: `${own.where} AND undoes IS NULL`, args: { actor, team } }));
      if (taken !== undefined) held.add(id);
      return taken;
    },
    async send(id) {
      return !handedOver.has(id) && moves('send', 'sent_mac = :sent', id, { sent: sentMacOf(seal, id) });
    },
    held: () => held.size,
    async handOver() {
      for (const id of held) {
        handedOver.add(id);
        const given = await kept('handOver', '', { id, job: lettingGo(changeKey(id)) });
        if (given === undefined) handedOver.delete(id);
      }
    },
    isHandedOver: (id) => handedOver.has(id),
    settle: (id, state, outcome) => moves(ENDINGS[state], 'outcome = :outcome', id, { outcome }),
    undone: async (id) => void (await moves('undo', '', id)),
    async cancel(id, { id: actor, teamId: team }) {
      const own = { where: ' AND actor = :actor AND team = :team', args: { actor, team } };
      return (await kept('cancel', '', { id, ...own })) !== undefined;
    },
    async notified(id) {
      held.delete(id);
      const { sql, args = {} } = finishing(changeKey(id));
      await database.execute(sql, args);
    },
    async left(id) {
      const { abandon, doubt } = TRANSITIONS;
      const [ended] = await found(
        `UPDATE confirmations SET outcome = CASE WHEN state IN (${states(...abandon.from)}) THEN :notSent ELSE outcome END,
           state = CASE WHEN state IN (${states(...abandon.from)}) THEN '${abandon.to}'
             WHEN state IN (${states(...doubt.from)}) THEN '${doubt.to}' ELSE state END
         WHERE id = :id AND (state IN (${states(...statesIn('running'))}) OR expires_at > :now - ${DAY}) RETURNING *`,
        { id, notSent: NOT_SENT },
      );
      const isOpen = ended?.state === 'drafted' || ended?.state === 'asked';
      return isOpen || ended?.unreadable === true ? undefined : ended;
    },
    forget: (keptFor = 30 * DAY) => forgetChanges(database, keptFor),
    expire() {
      const why = `CASE WHEN state IN (${states('waiting')}) THEN 'not approved in time'
        WHEN state IN (${states('approved')}) THEN 'approved, and not run in time' ELSE 'not confirmed in time' END`;
      return each('expire', `outcome = ${why}`, 'expires_at <= :now', {});
    },
    withdraw: (whose, why) => {
      const where = whose === 'all' ? '1 = 1' : 'channel IN LIST(:channels)';
      const args = whose === 'all' ? {} : { channels: JSON.stringify(idsOf(whose.channel)) };
      return each('withdraw', 'outcome = :why', `${where} AND undoes IS NULL`, { why, ...args });
    },
    async open() {
      const { rows } = await database.execute(OPEN);
      return { confirmation: Number(rows[0]?.confirmation), approval: Number(rows[0]?.approval) };
    },
  };
}

async function tooMany(database: Database, { actor, team }: Asked): Promise<never> {
  const { rows } = await database.execute(`SELECT ${QUESTIONS}`, { actor, team });
  withinCap('questions', countsOf(rows[0]));
  throw new TooManyError('There were too many changes at once.', { hint: 'Repeat the command.' });
}

/** Empties what was typed, and drops old rows with all that hangs on them. */
async function forgetChanges(database: Database, keptFor: number): Promise<void> {
  const over = `state IN (${states(...statesIn('over'))}) AND created_at < :now`;
  await inParts(database, 'DELETE FROM confirmations', `${over} - ${keptFor}`);
  for (const table of ['approvals', 'approval_copies', 'reversals'])
    await database.execute(`DELETE FROM ${table} WHERE confirmation NOT IN (SELECT id FROM confirmations)`);
  const isGone = `CASE WHEN state IN (${states('expired')}) THEN expires_at < :now - ${ASKED_AGAIN} ELSE ${over} - ${DAY} END`;
  // Until it is put back, or cannot be any more, it is compared with its preview.
  const isOpen = `id IN (SELECT confirmation FROM reversals WHERE state IN (${reversalStates('claimed')})
        OR (state IN (${reversalStates('open')}) AND (due_at IS NOT NULL OR undo_until > :now)))`;
  await inParts(
    database,
    `UPDATE confirmations SET given = '${EMPTIED}', preview = CASE WHEN ${isOpen} THEN preview ELSE '${EMPTIED}' END`,
    `${isGone} AND (given <> '${EMPTIED}' OR (preview <> '${EMPTIED}' AND NOT ${isOpen}))`,
  );
}

async function inParts(database: Database, change: string, where: string): Promise<void> {
  const sql = `${change} WHERE id IN (SELECT id FROM confirmations WHERE ${where} LIMIT ${AT_ONCE})`;
  while ((await database.execute(sql)).changed === AT_ONCE) await new Promise(setImmediate);
}

/** Those of a person and of everybody that stand so. An undo counts for nobody. */
const COUNTED = (standing: string) =>
  `count(CASE WHEN actor = :actor AND team = :team THEN 1 END) AS own, count(*) AS "all" FROM confirmations
   WHERE state IN (${standing}) AND undoes IS NULL AND expires_at > :now`;
const QUESTIONS = COUNTED(states('asked', 'drafted'));

const OPEN = `SELECT count(CASE WHEN state IN (${states('asked', 'drafted', 'approved')}) THEN 1 END) AS confirmation,
    count(CASE WHEN state IN (${states('waiting')}) THEN 1 END) AS approval
  FROM confirmations WHERE state IN (${states('asked', 'drafted', 'approved', 'waiting')}) AND expires_at > :now`;
const INSERT = `INSERT INTO confirmations (id, operation, given, target, typed_name, preview, actor, team, channel, thread, state,
    approval, undoes, interaction, created_at, expires_at, mac)
  SELECT :id, :operation, :given, :target, :typed_name, :preview, :actor, :team, :channel, :thread, :state,
    :approval, :undoes, :interaction, :created_at, :created_at + :lifetime, :mac
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
  };
  const interaction = currentInteraction()?.id ?? null;
  return { ...row, interaction, lifetime: CONFIRMATION_LIFETIME, mac: macOf(seal, 'confirmations', row) };
}

/** An attempt to undo a change, counted from 1, has one id for every replica: so it exists once. */
export const attemptId = (undoes: string, attempt: number): string =>
  `undo-${undoes}${attempt === 1 ? '' : `-${attempt}`}`;

export const SENT: readonly ChangeState[] = ['sent', 'done', 'undone', 'unknown'];

/** The bot itself has sent it, or not, as the row says. */
function isProven(row: Record<string, unknown>, seal: Seal): boolean {
  if (!seal.keyed) return true;
  const state = String(row.state) as ChangeState;
  return SENT.includes(state) ? isSent(seal, row) : STATES[state]?.stage === 'over' || isNull(row.sent_mac);
}

export function confirmationOf(row: Record<string, unknown>, seal: Seal): Confirmation {
  const id = String(row.id);
  const state = String(row.state) as ChangeState;
  const sealed = (column: string) => seal.read(String(row[column]), placeOf('confirmations', column, id));
  const isEmptied = row.given === EMPTIED && STATES[state]?.stage === 'over';
  const given = (isEmptied ? {} : sealed('given')) as Confirmation['given'] | undefined;
  const isOver = STATES[state]?.stage === 'over';
  const emptied = row.preview === EMPTIED && isOver;
  const preview = (emptied ? { after: {} } : sealed('preview')) as Confirmation['preview'] | undefined;
  const asked = isNull(row.approval) ? undefined : sealed('approval');
  const approval = (
    isNull(row.approval) ? undefined : (asked ?? { count: 1, lifetime: 0 })
  ) as Confirmation['approval'];
  const isSealed = given !== undefined && preview !== undefined && (asked !== undefined || isNull(row.approval));
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
    ...(isNull(row.undoes) ? {} : { undoes: String(row.undoes) }),
    ...(row.outcome === NOT_SENT ? { interrupted: true } : {}),
    ...(row.outcome === null ? {} : { outcome: String(row.outcome) }),
    ...(approval === undefined ? {} : { approval }),
    ...(isNull(row.reason) ? {} : { reason: String(row.reason) }),
    ...(row.glass_broken === 1 ? { glassBroken: true } : {}),
    ...(isNull(row.post_ts) ? {} : { post: { channel: String(row.post_channel), ts: String(row.post_ts) } }),
    ...(/^[0-9a-f]{8}$/.test(String(row.interaction)) ? { interaction: String(row.interaction) } : {}),
    createdAt: new Date(Number(row.created_at)),
    expiresAt: new Date(Number(row.expires_at)),
  };
}

function isNull(value: unknown): boolean {
  return value === null || value === undefined;
}
