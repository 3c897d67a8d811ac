import { auditWord, type ChangeState } from '../../src/changes/change.ts';
import type { Audit } from '../../src/store/audit.ts';
import { confirmationOf } from '../../src/store/confirmations.ts';
import type { Database } from '../../src/store/database.ts';
import type { Seal } from '../../src/store/seal.ts';
import type { Model } from './model.ts';
import type { Desk } from './people.ts';

/** What a person reads at the end of something. */
const ENDS = {
  done: /^(?:↩️ Edgewise|(?:↩️ )?<@\w+>) (?!asks|wants|approved|rejected|withdrew)\w+|Done, but Slack|\bDone(, undoing it)?: |Time’s up: I |for you: I |\): I |\bAlready done: |\bDone and undone: |already undone/,
  nothing:
    /Nothing was (done|changed)|\bNot (done|undone)\b|(?:was|did) (?:\*not\*|not) (?:undone|undo|switch)|nothing to undo|\bis already \S+ for\b/,
  unknown:
    /Outcome unknown\b|can’t tell whether|is not known|(?:took|taken) effect|as it did before|[Ll]ook there|Check again in/,
};
type End = keyof typeof ENDS;

/** More often than this nobody needs to hear unasked how one thing ended. */
const MOST_TOLD = 12;

/** Between looking and making there is always a moment, and a bot may be frozen in it: in milliseconds. */
const LOOKED_AT_LEAST = 10 * 60_000;

/** What is wrong with how everything ended; nothing is well. */
export async function verdictOf({
  database,
  model,
  desk,
  audit,
  seal,
  isCalm,
}: {
  database: Database;
  model: Model;
  desk: Desk;
  audit: Audit;
  seal: Seal;
  /** Nothing was held up. */
  isCalm: boolean;
}): Promise<string[]> {
  const problems: string[] = [];
  const { rows } = await database.execute(
    `SELECT confirmations.*, jobs.body AS waits FROM confirmations LEFT JOIN jobs ON jobs.key = 'change:' || id`,
  );
  const opened = new Map(rows.map((row) => [row, confirmationOf(row, seal)]));
  const markOf = (row: Record<string, unknown>) => String(opened.get(row)?.given.mark);
  const marks = new Map(rows.map((row) => [String(row.id), markOf(row)]));
  for (const mark of new Set([...marks.values(), ...model.made.keys()])) {
    // Several people can each take the same thing back: each of their confirmations makes it at most once.
    const states = rows.filter((row) => markOf(row) === mark).map(({ state }) => state);
    const done = states.filter((state) => state === 'done' || state === 'undone').length;
    const most = done + states.filter((state) => state === 'unknown').length;
    const made = model.made.get(mark) ?? 0;
    if (made < done || made > most) problems.push(`${mark} was made ${made} times, by ${states.join(', ')}`);
  }
  for (const row of rows) {
    const before = opened.get(row)?.preview.before;
    const found = model.found.filter(({ mark, at, since }) => mark === markOf(row) && at - since > LOOKED_AT_LEAST);
    const others = rows.filter((other) => markOf(other) === markOf(row)).length;
    for (const { mark, value } of found) {
      if (others === 1 && before?.value !== value)
        problems.push(`${mark} was asked on ${before?.value}, and made on ${value}`);
    }
  }
  const ends = endsIn(desk);
  for (const row of rows) {
    const id = String(row.id);
    const mark = marks.get(id) ?? '';
    const state = String(row.state);
    const isBack = row.undoes !== null;
    const told = ends.filter(
      ({ person, about, written, isOfBack }) =>
        person === row.actor &&
        (about === undefined
          ? written === mark.replace(/u+$/, '') && isOfBack === isBack
          : about === id || (isBack && id.startsWith(`${about}-`))),
    );
    const made = model.made.get(mark) ?? 0;
    const what = `${mark} (${state}${row.outcome === null ? '' : `: ${String(row.outcome)}`})`;
    if (!/^(done|undone|failed|unknown|refused|overtaken|cancelled|rejected|expired)$/.test(state))
      problems.push(`${what} has no end`);
    if (row.waits !== null) problems.push(`${what} is still to be told`);
    // Somebody left a preview: nobody waits for its end.
    const isLeft = state === 'expired' && row.reason === null;
    if (told.length === 0 && !isLeft && !(isBack && isFollowed(row.undoes, rows)))
      problems.push(`${what} ended silent`);
    const unasked = told.filter(({ about }) => about === undefined).length;
    if (unasked > MOST_TOLD) problems.push(`${what} was told ${unasked} times`);
    const says = (end: End) => told.find((one) => one.about === id && one.end === end);
    if (says('done') !== undefined && made === 0) problems.push(`${what} was told as done, and was not made`);
    if (says('nothing') !== undefined && (state === 'done' || state === 'undone')) {
      problems.push(`${what} was told as not done: ${says('nothing')?.text}`);
    }
    if (state !== 'expired' && !(await audit.knows(id, auditWord(state as ChangeState))))
      problems.push(`the audit does not know that ${what}`);
  }
  const reversals = await database.execute(
    `SELECT r.*, c.state AS change FROM reversals r JOIN confirmations c ON c.id = r.confirmation`,
  );
  const { turned } = model;
  for (const { confirmation, state, change, due_in, why } of reversals.rows) {
    const mark = marks.get(String(confirmation));
    if (state === 'claimed') problems.push(`putting back ${mark} has no end`);
    const isMade = change === 'done' || change === 'undone' || change === 'unknown';
    // What may have been put back is told as that, and not tried again.
    if (isMade && due_in !== null && !/^(done|failed|unknown)$/.test(String(state))) {
      problems.push(`${mark} was never put back: ${String(state)}`);
    }
    if (why !== null && state === 'done') {
      const taken = turned.findLast((turn) => turn.mark === `${mark}u`);
      const first = turned.findIndex((turn) => turn.mark === mark);
      const since = turned.slice(first + 1).find(({ zone }) => zone === taken?.zone);
      // Between looking and making there is always a moment.
      if (taken !== undefined && since !== taken && taken.at - since!.at > (isCalm ? 10_000 : LOOKED_AT_LEAST / 2))
        problems.push(`${mark} was taken back, although ${since?.mark ?? 'somebody elsewhere'} came since`);
    }
    if (state === 'done' && (model.made.get(`${mark}u`) ?? 0) === 0)
      problems.push(`${mark} was not put back, but counts as it`);
  }
  const {
    problems: [problem],
  } = await audit.verify();
  if (problem !== undefined) problems.push(`the audit is not intact: entry ${problem.number} is ${problem.what}`);
  return problems;
}

/** Whether another try came after a putting back, or its reversal was ended by one. */
function isFollowed(undoes: unknown, rows: readonly Record<string, unknown>[]): boolean {
  return rows.filter((row) => row.undoes === undoes).length > 1;
}

/** An end that somebody was told of, by which words, and what it was about: the press that it answers, or what the words name. */
interface ToldEnd {
  person: string;
  end: End;
  text: string;
  about: string | undefined;
  written: string | undefined;
  isOfBack: boolean;
}

function endsIn(desk: Desk): ToldEnd[] {
  return desk.told.flatMap(({ person, text, about }) =>
    (Object.keys(ENDS) as End[])
      .filter((end) => ENDS[end].test(text))
      .map((end) => ({
        person,
        end,
        text: text.slice(0, 200),
        about,
        written: /\bm\d+\b/.exec(text)?.[0],
        isOfBack:
          /(?<!Done and |be )\bundone\b|\bundoing\b|nothing to undo|not\*? undo\b|While I watched it|not\*? (?:have )?switch(?:ed)? back/i.test(
            text,
          ),
      })),
  );
}
