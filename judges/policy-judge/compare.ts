/** The policy beside the judge: where the two say something else, and the smallest policy with which they still do. */

import { commandOf } from '../../src/changes/permission.ts';
import { operations } from '../../src/operations/index.ts';
import { parsePolicy } from '../../src/policy/document.ts';
import { FileError } from '../../src/policy/lines.ts';
import type { Directory } from '../../src/policy/names.ts';
import { createPolicy, type Decision, mayApprove, type Policy, type PolicyActor } from '../../src/policy/policy.ts';
import { type Question, type Scenario, scenarioOf } from './generate.ts';
import {
  judge,
  mayVote,
  mistakesOf,
  type NeededApproval,
  type Person,
  type Surroundings,
  type Verdict,
} from './model.ts';
import { reachedBy, rightHolders, ruleLinesOf } from './reasons.ts';
import type { Trait } from './spellings.ts';
import { textOf, type WrittenText } from './text.ts';
import type { WrittenFile } from './written.ts';

/** What the two say, where it is not the same. `kind` names the sort of difference. */
export interface Difference {
  kind: string;
  judge: unknown;
  code: unknown;
}

/** A difference with all that it takes to see it. */
export interface Finding extends Difference {
  trait: string;
  seed: number;
  file: WrittenFile;
  around: Surroundings;
  question: Question | undefined;
}

const commands = operations.map(commandOf);

function directoryOf({ groups, channels, known }: Surroundings): Directory {
  return {
    group: (reference) => groups[reference],
    person: (id) => id,
    channel: (reference) => (reference.startsWith('#') ? channels[reference] : reference),
    knows: (id) => known.includes(id),
  };
}

/** Who somebody is to the policy: all but members and guests are strangers. */
function actorOf({ id, kind, deactivated }: Person): PolicyActor {
  return { id, kind: deactivated || (kind !== 'member' && kind !== 'guest') ? 'stranger' : kind };
}

/** The policy of the bot for the file, or the mistakes for which it does not start. */
function policyOf({ text }: WrittenText, around: Surroundings): Policy | string {
  try {
    return createPolicy(
      parsePolicy({ text, file: 'policy.yml', commands, admins: around.admins }),
      directoryOf(around),
    );
  } catch (error) {
    if (error instanceof FileError) return error.message;
    throw error;
  }
}

function linesIn(words: string): number[] {
  return [...words.matchAll(/\bline (\d+)/g)].map(([, line]) => Number(line));
}

/** Everybody who could approve, as a member and as a guest. */
function votes(ids: readonly string[], may: (person: Person) => boolean): string {
  const kinds = ['member', 'guest'] as const;
  return ids.flatMap((id) => kinds.filter((kind) => may({ id, kind })).map((kind) => `${kind} ${id}`)).join(', ');
}

function approvalDifferences(
  needed: NeededApproval,
  asked: NonNullable<Decision['approval']>,
  { lines }: WrittenText,
  { person, voter }: Question,
): Difference[] {
  const wanted = needed.each.map(({ entry }) => lines.get(`approval.${entry}`) as number);
  const cited = linesIn(asked.rule);
  if (cited.length === 0 || cited.some((line) => !wanted.includes(line))) {
    return [{ kind: 'another approval', judge: wanted, code: asked.rule }];
  }
  const ids = [...new Set(['U0NOBODY001', ...asked.approvers, ...needed.each.flatMap(({ approvers }) => approvers)])];
  const pairs: [string, unknown, unknown][] = [
    [
      'who approves',
      votes(ids, (one) => mayVote(needed, one, person)),
      votes(ids, (one) => mayApprove(asked, actorOf(one), actorOf(person)).allowed),
    ],
    ['how many approve', needed.count, asked.count],
    ['time to approve', needed.minutes * 60_000, asked.expires],
    ['reason', needed.reason, asked.reason],
    ['break-glass', needed.breakGlass, asked.breakGlass?.channel],
    ['vote', mayVote(needed, voter, person), mayApprove(asked, actorOf(voter), actorOf(person)).allowed],
  ];
  return pairs
    .filter(([, one, other]) => one !== other)
    .map(([kind, one, other]) => ({ kind, judge: one, code: other }));
}

/** The reasons that are given: lines of rules that were about it, people who may, places where it may be done. */
function reasonDifferences(
  scenario: Scenario,
  text: WrittenText,
  question: Question,
  verdict: Verdict,
  decision: Decision,
) {
  const found: Difference[] = [];
  const about = ruleLinesOf(scenario, text, question);
  const cited = linesIn(decision.rule);
  if (cited.some((line) => !about.includes(line))) {
    found.push({ kind: 'cites a line that is not about it', judge: about, code: decision.rule });
  }
  if (decision.whom.length > 0) {
    const may = rightHolders(scenario, question);
    if (decision.whom.some((id) => !may.includes(id))) {
      found.push({ kind: 'names somebody who may not', judge: may, code: decision.whom });
    }
  }
  if (decision.where.length > 0 || verdict.refused === 'place' || verdict.refused === 'external') {
    const { id } = question.place;
    const { channels } = scenario.around;
    const reached = reachedBy(scenario, question).filter((place) => place !== id && channels[place] !== id);
    if (decision.where.some((place) => !reached.includes(place))) {
      found.push({ kind: 'names a place where it may not be done', judge: reached, code: decision.where });
    }
    const named = Object.keys(scenario.file.channels ?? {});
    const answers = verdict.refused === 'external' ? reached : reached.filter((place) => named.includes(place));
    if (!verdict.allowed && decision.where.length === 0 && answers.length > 0) {
      found.push({ kind: 'names no place where it may be done', judge: reached, code: decision.rule });
    }
  }
  return found;
}

/** All differences about one question. */
function differencesOf(scenario: Scenario, text: WrittenText, policy: Policy, question: Question): Difference[] {
  const { person, place, ask } = question;
  const verdict = judge(scenario.file, scenario.around, person, place, ask);
  const where = { channelId: place.id, external: place.external ?? false };
  const decision = policy.decide({ name: ask.command }, actorOf(person), where, ask.things);
  if (verdict.allowed !== decision.allowed) {
    return [
      {
        kind: verdict.allowed ? 'refused by the code alone' : 'allowed by the code alone',
        judge: verdict,
        code: decision,
      },
    ];
  }
  if (verdict.tentative !== decision.tentative) return [{ kind: 'tentative', judge: verdict, code: decision }];
  const found = reasonDifferences(scenario, text, question, verdict, decision);
  if (verdict.tentative) return found;
  if (verdict.approval === undefined || decision.approval === undefined) {
    if (verdict.approval === decision.approval) return found;
    const kind = verdict.approval ? 'no approval by the code alone' : 'approval by the code alone';
    return [...found, { kind, judge: verdict, code: decision }];
  }
  return [...found, ...approvalDifferences(verdict.approval, decision.approval, text, question)];
}

/** The differences about the file itself: one of the two would not start with it. */
function mistakeDifference(file: WrittenFile, policy: Policy | string): Difference | undefined {
  const mistakes = mistakesOf(file);
  const complains = typeof policy === 'string';
  if (complains === mistakes.length > 0) return undefined;
  const kind = complains ? 'mistake to the code alone' : 'mistake to the judge alone';
  return { kind, judge: mistakes, code: complains ? policy : 'starts' };
}

/** A change of the file that only the policy gets to read: what the comparison has to notice. */
export type Spoil = (file: WrittenFile) => WrittenFile;

/** Every difference of a scenario; `decided` counts the questions that both have answered. */
function compare(trait: string, seed: number, scenario: Scenario, spoil: Spoil = (file) => file) {
  const { file, around, questions } = scenario;
  const text = textOf(spoil(file));
  const policy = policyOf(text, around);
  const mistake = mistakeDifference(file, policy);
  if (mistake) return { findings: [{ ...mistake, trait, seed, file, around, question: undefined }], decided: 1 };
  if (typeof policy === 'string') return { findings: [], decided: 1 };
  const findings: Finding[] = questions.flatMap((question) =>
    differencesOf(scenario, text, policy, question).map((one) => ({ ...one, trait, seed, file, around, question })),
  );
  return { findings, decided: questions.length };
}

type Entries = NonNullable<WrittenFile['approval']>;

/** The file without one of its parts, each way once. */
function* smaller(file: WrittenFile): Generator<WrittenFile> {
  const { roles = {}, channels = {}, approval = [] } = file;
  for (const [name, role] of Object.entries(roles)) {
    const { [name]: _gone, ...rest } = roles;
    yield { ...file, roles: rest };
    const { people, groups, ...bare } = role;
    if (people && groups) {
      yield { ...file, roles: { ...roles, [name]: { ...bare, people } } };
      yield { ...file, roles: { ...roles, [name]: { ...bare, groups } } };
    }
    for (const allow of smallerLists(role.allow)) yield { ...file, roles: { ...roles, [name]: { ...role, allow } } };
  }
  for (const [name, gate] of Object.entries(channels)) {
    const { [name]: _gone, ...rest } = channels;
    yield { ...file, channels: rest };
    for (const allow of smallerLists(gate.allow)) yield { ...file, channels: { ...channels, [name]: { allow } } };
  }
  for (const fewer of smallerLists(approval, 0)) yield { ...file, approval: fewer as Entries };
}

/** The list without one of its entries, or with one that says less. */
function* smallerLists<T>(list: readonly T[], least = 1): Generator<T[]> {
  for (const [index, entry] of list.entries()) {
    if (list.length > least) yield list.filter((_, other) => other !== index);
    if (typeof entry !== 'object' || entry === null) continue;
    for (const key of ['except', 'effect', 'operations', 'where', 'count', 'expires', 'reason', 'breakGlass']) {
      const fewer = Object.fromEntries(Object.entries(entry).filter(([name]) => name !== key));
      const speaks = 'operations' in fewer || 'effect' in fewer;
      if (key in entry && speaks) yield list.map((one, other) => (other === index ? (fewer as T) : one));
    }
  }
}

/** The smallest file with which the two still differ in the same way. */
export function minimised(finding: Finding): Finding {
  const questions = finding.question ? [finding.question] : [];
  for (const file of smaller(finding.file)) {
    const scenario = { file, around: finding.around, questions };
    let same: Finding | undefined;
    try {
      same = compare(finding.trait, finding.seed, scenario).findings.find(({ kind }) => kind === finding.kind);
    } catch {
      continue; // A role that is gone was named by an approval.
    }
    if (same) return minimised(same);
  }
  return finding;
}

/** Seeds from `from` on with these traits, until so many decisions were compared. */
export function run(
  trait: string,
  traits: readonly Trait[],
  { from, decisions, spoil }: { from: number; decisions: number; spoil?: Spoil },
) {
  const SIZE = 100;
  const findings: Finding[] = [];
  let decided = 0;
  for (let seed = from; decided < decisions; seed += 1) {
    const one = compare(trait, seed, scenarioOf(seed, traits, SIZE), spoil);
    decided += one.decided;
    findings.push(...one.findings);
  }
  return { findings, decided };
}

/** The finding in full, for people. */
export function inWords(finding: Finding): string {
  const { kind, trait, seed, file, around, question, judge: judged, code } = finding;
  return [
    `${kind} (${trait}, seed ${seed})`,
    textOf(file).text.replace(/^/gm, '    '),
    `  around   ${JSON.stringify(around)}`,
    `  question ${JSON.stringify(question)}`,
    `  judge    ${JSON.stringify(judged)}`,
    `  code     ${JSON.stringify(code)}`,
  ].join('\n');
}
