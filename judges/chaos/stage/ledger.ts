/** Every interaction with its whole history: what was sent to whom, what the person was shown since, and when that was an answer. */
import type { Delivery } from './door.ts';
import type { Shown } from './record.ts';

export const KINDS = [
  'read',
  'preview',
  'confirm',
  'cancel',
  'undo',
  'form',
  'submit',
  'home',
  'mention',
  'message',
] as const;
export type Kind = (typeof KINDS)[number];

/** Something that a person did once. */
export interface Interaction {
  id: number;
  kind: Kind;
  person: string;
  /** What was typed or pressed. */
  what: string;
  at: number;
  channel: string;
  /** The hostname or variable that it is about, which is nobody else's. */
  subject?: string;
  responseId?: string;
  triggerId?: string;
  viewId?: string;
  /** Of the message that was written, or on which a button was pressed. */
  ts?: string;
  deliveries: Delivery[];
  /** When the first acknowledgement with 200 was here. */
  ackedAt?: number;
  /** `bond`: whether it is surely about this interaction, or is told to the person who did nothing else since. */
  seen: { at: number; via: string; text: string; isAnswer: boolean; bond: 'own' | 'person' }[];
  answeredAt?: number;
  answer?: Shown;
  /** The answer, if it is not surely about this interaction. */
  lent?: Shown | undefined;
}

export interface Ledger {
  all: Interaction[];
  begin(fields: Omit<Interaction, 'id' | 'at' | 'deliveries' | 'seen'>): Interaction;
  /** Writes down what came of a delivery. */
  delivered(interaction: Interaction, delivery: Delivery): void;
  /** Gives what is shown to those whom it is an answer for. */
  take(shown: Shown): void;
  /** The answer, as soon as it is there; undefined after `limit` milliseconds. */
  answerOf(interaction: Interaction, limit: number): Promise<Shown | undefined>;
}

export function createLedger(): Ledger {
  const all: Interaction[] = [];
  const waiting = new Map<Interaction, (shown: Shown) => void>();
  const subjects = new Map<string, Set<string>>();
  const latest = new Map<string, Interaction>();
  const answer = (one: Interaction, shown: Shown) => {
    one.answeredAt = shown.at;
    one.answer = shown;
    waiting.get(one)?.(shown);
  };
  /** Of several that are open, a message without a name is the answer to the oldest. */
  const openOf = ({ at }: Shown, person: string | undefined) =>
    all
      .slice(-3_000)
      .find(
        (one) =>
          one.person === person &&
          one.at <= at &&
          one.ackedAt !== undefined &&
          one.answeredAt === undefined &&
          one.kind !== 'home',
      );
  return {
    all,
    begin: (fields) => {
      const one: Interaction = { id: all.length + 1, at: Date.now(), deliveries: [], seen: [], ...fields };
      all.push(one);
      latest.set(one.person, one);
      if (one.subject !== undefined) subjects.set(one.person, (subjects.get(one.person) ?? new Set()).add(one.subject));
      return one;
    },
    delivered: (one, delivery) => {
      one.deliveries.push(delivery);
      if (delivery.status === 200 && delivery.ackAt !== undefined)
        one.ackedAt = Math.min(one.ackedAt ?? Infinity, delivery.ackAt);
    },
    take: (shown) => {
      // Newest first: of two that could be meant, it is the later one.
      const recent = all.slice(-3_000).reverse();
      const open = openOf(shown, shown.person);
      for (const one of recent) {
        const bond = bondOf(one, shown, subjects.get(one.person));
        if (bond === undefined || (bond === 'person' && (open ?? latest.get(one.person)) !== one)) continue;
        const isAnswer = answers(one.kind, shown);
        one.seen.push({ at: shown.at, via: shown.via, text: shown.text.slice(0, 2_000), isAnswer, bond });
        if (!isAnswer) continue;
        if (one.answeredAt === undefined) {
          if (bond === 'person') one.lent = shown;
          answer(one, shown);
        } else if (bond === 'own' && one.lent !== undefined) {
          // Of two presses of one button: what the person was told before was the answer to the other.
          const next = openOf(one.lent, one.person);
          if (next?.kind === one.kind && next.subject === one.subject) answer(next, one.lent);
          one.lent = undefined;
        }
      }
    },
    answerOf: (one, limit) => {
      if (one.answer !== undefined) return Promise.resolve(one.answer);
      return new Promise((resolve) => {
        const timer = setTimeout(() => end(undefined), limit);
        const end = (shown: Shown | undefined) => {
          clearTimeout(timer);
          waiting.delete(one);
          resolve(shown);
        };
        waiting.set(one, end);
      });
    },
  };
}

/** Says that the answer is still to come: README.md has the rule. */
function isPlaceholder({ text, viewId, via }: Pick<Shown, 'text' | 'viewId' | 'via'>): boolean {
  const parts = text.split(' · ');
  // A Home tab ends with buttons, such as *End …*.
  const said = viewId === undefined || via === 'views.publish' ? parts[0] : parts.at(-1);
  if (/takes a moment/.test(said ?? '') || parts.some((part) => part === 'Check progress')) return true;
  return /…\s*$/.test(said ?? '') || parts.some((part) => /^(One moment|Working|Loading) …$/.test(part));
}

function answers(kind: Kind, shown: Shown): boolean {
  if (kind === 'home') return shown.via === 'views.publish' && !isPlaceholder(shown);
  if (shown.viewId !== undefined && shown.inputs.length > 0) return true;
  return !isPlaceholder(shown);
}

/** How what is shown belongs to an interaction: by its response URL, trigger, view, thread or subject; or by its person. */
function bondOf(one: Interaction, shown: Shown, others: ReadonlySet<string> | undefined): 'own' | 'person' | undefined {
  if (shown.at < one.at) return undefined;
  const own = (isOwn: boolean) => (isOwn ? 'own' : undefined);
  if (one.kind === 'home') return own(shown.via === 'views.publish' && shown.person === one.person);
  if (shown.via === 'views.publish') return undefined;
  if (shown.responseId !== undefined) return own(shown.responseId === one.responseId);
  if (shown.viewId !== undefined)
    return own(shown.viewId === one.viewId || (shown.triggerId !== undefined && shown.triggerId === one.triggerId));
  const isOthers = shown.person !== undefined && shown.person !== one.person;
  if (one.subject !== undefined && !isOthers && hasWord(shown.text, one.subject)) return 'own';
  if (one.ts !== undefined && (shown.thread === one.ts || shown.ts === one.ts)) return 'own';
  if (shown.person !== one.person) return undefined;
  // A message to the person: theirs, unless it speaks of another change of theirs.
  return [...(others ?? [])].some((other) => hasWord(shown.text, other)) ? undefined : 'person';
}

const hasWord = (text: string, word: string): boolean =>
  text.includes(word) && new RegExp(`(?<![\\w-])${word.replaceAll('.', '\\.')}(?![\\w-])`).test(text);

/** The whole history of one, as lines. */
export function historyOf(
  one: Interaction,
  lives: readonly { name: string; life: { at: number; what: string }[] }[],
): string {
  const time = (at: number) => new Date(at).toISOString().slice(11, 23);
  const lines = [
    `#${one.id} ${one.kind} by ${one.person} in ${one.channel}: ${one.what}`,
    `  ${time(one.at)} sent`,
    ...one.deliveries.map(
      ({ at, ackAt, replica, pid, status, retry }) =>
        `  ${time(at)} to ${replica || 'nobody'} (pid ${pid})${retry === undefined ? '' : ` as retry ${retry}`}: ${status}${ackAt === undefined ? '' : ` after ${ackAt - at} ms`}`,
    ),
    ...one.seen.map(
      ({ at, via, text, isAnswer }) =>
        `  ${time(at)} ${isAnswer ? 'shown' : 'shown (no answer)'} by ${via}: ${text.replaceAll('\n', ' / ').slice(0, 200)}`,
    ),
    ...lives.flatMap(({ name, life }) =>
      life
        .filter(({ at }) => at > one.at - 3_000 && at < Math.min(one.answeredAt ?? Infinity, one.at + 15_000) + 500)
        .filter(
          () => name === 'postgres' || name === 'faults' || one.deliveries.some(({ replica }) => replica === name),
        )
        .map(({ at, what }) => `  ${time(at)} … ${name}: ${what}`),
    ),
  ];
  return lines
    .sort((a, b) => (a.startsWith('#') ? -1 : b.startsWith('#') ? 1 : a.slice(2, 14).localeCompare(b.slice(2, 14))))
    .join('\n');
}
