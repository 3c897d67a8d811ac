/** Says of a finished run what was doubled, missed, silent and false, from the records of Slack and of the platform. */
import type { Delivery } from './stage/door.ts';
import { type Interaction, KINDS, type Kind } from './stage/ledger.ts';
import type { Change } from './stage/platform.ts';
import { quantile, type Shown } from './stage/record.ts';

export interface Evidence {
  interactions: readonly Interaction[];
  changes: readonly Change[];
  shown: readonly Shown[];
  /** Kills of replicas: process and time. */
  kills: readonly { pid: number; at: number }[];
  /** When the store was away. */
  storeAway: readonly { from: number; to: number }[];
  /** The slots that had to be posted: from the first to the last minute, of each subscription. */
  slots: { subscriptions: readonly string[]; from: number; to: number };
}

export interface Verdict {
  doubled: string[];
  missedSlots: string[];
  doubledSlots: string[];
  silent: Interaction[];
  /** Killed within 20 ms of the acknowledgement, and silent. */
  withinGrace: Interaction[];
  /** Silent, killed while the store had been away since before the acknowledgement: nothing could be written down. */
  storeless: Interaction[];
  falsehoods: { interaction: Interaction; text: string; why: string }[];
}

/** What a text says of a change; the words were read off the bot's screen and are the judge's own reading of them. */
export function claimOf(text: string): 'done' | 'not done' | 'open' {
  if (
    /a second time|won’t do it twice|won’t send it twice|didn’t do it again|can’t tell|unknown|not known|nobody knows|may have been|may have taken effect|may not have|cannot be said|being worked on|not yet|probably/i.test(
      text,
    )
  )
    return 'open';
  if (/nothing was (done|changed|sent)|was not (done|sent|changed|made|added|applied|undone)|not done/i.test(text))
    return 'not done';
  if (/^(Done\b|(↩️ )?\S{1,40} (switched force HTTPS|added the variable) )/u.test(text)) return 'done';
  return 'open';
}

/** Everybody in this workspace is a member of it, and those who change something are admins. */
const STRANGER =
  /other (workspaces|organisations)|another workspace|stranger|not a member|guests?\b|may not (run|do|use)|only the role/i;

export function judge(evidence: Evidence): Verdict {
  const { interactions, changes, kills, storeAway } = evidence;
  const silent: Interaction[] = [];
  const withinGrace: Interaction[] = [];
  const storeless: Interaction[] = [];
  for (const one of interactions) {
    if (one.ackedAt === undefined || one.answeredAt !== undefined) continue;
    const first = one.deliveries.find(({ ackAt }) => ackAt === one.ackedAt)!;
    const death = kills.find(({ pid, at }) => pid === first.pid && at >= first.at);
    if (death !== undefined && death.at <= one.ackedAt + 20) withinGrace.push(one);
    else if (death !== undefined && storeAway.some(({ from, to }) => from <= one.ackedAt! + 20 && to >= death.at))
      storeless.push(one);
    else silent.push(one);
  }
  const { missedSlots, doubledSlots } = slotsOf(evidence);
  return {
    doubled: doubledOf(changes, interactions),
    missedSlots,
    doubledSlots,
    silent,
    withinGrace,
    storeless,
    falsehoods: falsehoodsOf(evidence),
  };
}

/** Changes that arrived more than once, that nobody had confirmed, or that were put back without anybody's Undo. */
function doubledOf(changes: readonly Change[], interactions: readonly Interaction[]): string[] {
  const pressed = new Set(
    interactions
      .filter(({ kind }) => kind === 'confirm' || kind === 'undo' || kind === 'cancel')
      .map(({ what, subject }) => `${subject} ${what}`),
  );
  const seen = new Map<string, Change[]>();
  for (const one of changes)
    seen.set(`${one.subject} ${one.value}`, [...(seen.get(`${one.subject} ${one.value}`) ?? []), one]);
  return [...seen.entries()].flatMap(([key, all]) => {
    const { subject, value } = all[0]!;
    const times = all
      .map(
        ({ at, answer, isApplied }) =>
          `${new Date(at).toISOString().slice(11, 23)} ${answer}${isApplied ? ' applied' : ''}`,
      )
      .join(', ');
    const complaints: string[] = [];
    if (all.length > 1) complaints.push(`${key} arrived ${all.length} times: ${times}`);
    if (!pressed.has(`${subject} presses ${value === 'off' ? 'undo' : 'confirm'}`))
      complaints.push(`${key} was asked for by nobody: ${times}`);
    return complaints;
  });
}

/** What became of each slot: how often it was posted, and how late it first was, in milliseconds. */
export function slotsOf({ shown, slots }: Pick<Evidence, 'shown' | 'slots'>): Pick<
  Verdict,
  'missedSlots' | 'doubledSlots'
> & {
  lateness: number[];
} {
  const posts = new Map<string, number[]>();
  for (const { at, via, metadata } of shown) {
    // The details in a thread have a key of their own, which ends in a word.
    const slot = /"slot":"(\d+:[^"]+Z)"/.exec(metadata ?? '')?.[1];
    if (via === 'chat.postMessage' && slot !== undefined) posts.set(slot, [...(posts.get(slot) ?? []), at]);
  }
  const missedSlots: string[] = [];
  for (const subscription of slots.subscriptions)
    for (let at = Math.ceil(slots.from / 60_000) * 60_000; at <= slots.to; at += 60_000) {
      const slot = `${subscription}:${new Date(at).toISOString()}`;
      if (!posts.has(slot)) missedSlots.push(slot);
    }
  return {
    missedSlots,
    doubledSlots: [...posts]
      .filter(([, times]) => times.length > 1)
      .map(([slot, times]) => `${slot} ${times.length} times`),
    lateness: [...posts].map(([slot, times]) => Math.min(...times) - Date.parse(slot.replace(/^[^:]*:/, ''))),
  };
}

function falsehoodsOf({ interactions, changes }: Evidence): Verdict['falsehoods'] {
  const applied = new Set(
    changes
      .filter(({ isApplied }) => isApplied)
      .map(({ subject, value }) => `${subject} ${value === 'off' ? 'off' : 'on'}`),
  );
  const found: Verdict['falsehoods'] = [];
  const told = new Set<string>();
  for (const interaction of interactions) {
    const { kind, subject } = interaction;
    for (const { text, isAnswer, bond } of interaction.seen) {
      // That Slack does not say it is no claim about anybody.
      if (STRANGER.test(text) && !/Slack does(n’t| not) say/.test(text) && kind !== 'home') {
        found.push({ interaction, text, why: 'a member and admin is told otherwise' });
        continue;
      }
      if (!isAnswer || bond !== 'own' || subject === undefined || !['confirm', 'cancel', 'undo'].includes(kind))
        continue;
      // The question of an Undo button is no claim; what is put back is said in so many words.
      const said = text.replace(/[^·]*· Only if nobody has changed it since\./, '');
      const isUndo =
        kind === 'undo' ||
        /(?<!Done and )\bundone\b|\bundo it\b|\bundid\b|not (have )?switch(ed)? back/.test(said) ||
        // Off is only what they are put back to.
        /switched force HTTPS \*?(on → )?off\*? for|Switch force HTTPS \*?off\*? for/.test(said);
      const isDone = applied.has(`${subject} ${isUndo ? 'off' : 'on'}`);
      const claim = claimOf(text);
      // One message may be about several presses of the same change.
      if (told.has(`${subject} ${text}`)) continue;
      told.add(`${subject} ${text}`);
      if (claim === 'done' && !isDone) found.push({ interaction, text, why: 'said to be done, and was not' });
      if (claim === 'not done' && isDone) found.push({ interaction, text, why: 'said not to be done, and was' });
    }
  }
  return found;
}

/** What went on between the acknowledgement of a silent one and the next fifteen seconds, most telling first. */
export function causeOf(
  one: Interaction,
  lives: readonly { name: string; life: { at: number; what: string }[] }[],
): string {
  const acked = one.deliveries.find(({ ackAt }) => ackAt === one.ackedAt);
  const during = (name: string, what: RegExp, from: number, to: number) =>
    lives
      .find((life) => life.name === name)
      ?.life.find((event) => what.test(event.what) && event.at >= one.ackedAt! + from && event.at <= one.ackedAt! + to);
  if (acked === undefined) return 'not acknowledged';
  const kill = during(acked.replica, /^SIGKILL/, -5, 15_000);
  if (kill !== undefined)
    return kill.at - one.ackedAt! < 100 ? 'its process was killed within 100 ms' : 'its process was killed';
  if (during(acked.replica, /^SIGTERM/, -60_000, 15_000) && during(acked.replica, /^end/, 0, 60_000))
    return 'its process was told to stop';
  if (during(acked.replica, /^SIGSTOP/, -5, 15_000)) return 'its process was held up';
  if (during('postgres', /^SIG|^cuts|^is lost/, -20_000, 10_000)) return 'the store was away';
  if (during('faults', /^slack begins/, -15_000, 10_000)) return 'Slack failed';
  if (during('faults', /^platform begins/, -15_000, 10_000)) return 'the platform failed';
  return 'nothing went wrong near it';
}

/** The counts of a run, a line a kind. */
export function table(interactions: readonly Interaction[], verdict: Verdict): string {
  const row = (cells: readonly (string | number)[]) =>
    cells.map((cell, index) => String(cell).padStart(index === 0 ? 8 : 9)).join('');
  const lines = [
    row([
      'kind',
      'sent',
      'acked',
      'not acked',
      'answered',
      'silent',
      'in 20 ms',
      'storeless',
      '> 20 s',
      'p50 ms',
      'p99 ms',
      'ack p99',
    ]),
  ];
  for (const kind of KINDS) lines.push(row(cellsOf(kind, interactions, verdict)));
  return lines.join('\n');
}

function cellsOf(kind: Kind, interactions: readonly Interaction[], verdict: Verdict): (string | number)[] {
  const all = interactions.filter((one) => one.kind === kind);
  const acked = all.filter(({ ackedAt }) => ackedAt !== undefined);
  const answered = acked.filter(({ answeredAt }) => answeredAt !== undefined);
  const times = answered.map(({ answeredAt, ackedAt }) => Math.max(0, answeredAt! - ackedAt!));
  const acks = all
    .flatMap(({ deliveries }) => deliveries)
    .flatMap(({ at, ackAt }: Delivery) => (ackAt === undefined ? [] : [ackAt - at]));
  const of = (list: readonly Interaction[]) => list.filter((one) => one.kind === kind).length;
  return [
    kind,
    all.length,
    acked.length,
    all.length - acked.length,
    answered.length,
    of(verdict.silent),
    of(verdict.withinGrace),
    of(verdict.storeless),
    times.filter((time) => time > 20_000).length,
    Math.round(quantile(times, 0.5)),
    Math.round(quantile(times, 0.99)),
    Math.round(quantile(acks, 0.99)),
  ];
}

/** The different texts that were shown, without names and numbers, most frequent first. */
export function wordings(interactions: readonly Interaction[]): string[] {
  const counts = new Map<string, number>();
  for (const { kind, seen } of interactions)
    for (const { text, isAnswer } of seen) {
      const plain = text
        .split('\n')
        .slice(0, 2)
        .join(' / ')
        .replace(/h\d+-\d\d\.example\.com|CHAOS_\d+_X/g, 'X')
        .replace(/\d+/g, '0')
        .replace(/\b[0-9a-f]{8}\b/g, 'REF')
        .slice(0, 150);
      const key = `${kind.padEnd(8)} ${isAnswer ? ' ' : '…'} ${plain}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  return [...counts].sort(([, a], [, b]) => b - a).map(([key, count]) => `${String(count).padStart(6)} ${key}`);
}
