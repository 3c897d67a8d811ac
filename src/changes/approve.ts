import { BUTTONS, button } from '../blocks/buttons.ts';
import { actions, type Message, message, note, section } from '../blocks/message.ts';
import { code, join, mrkdwn, ruleWords, user, type Words, written } from '../blocks/mrkdwn.ts';
import type { Actor } from '../operations/context.ts';
import type { AnyOperation, State } from '../operations/operation.ts';
import { type ApprovalRule, mayApprove, type Policy } from '../policy/policy.ts';
import type { Verdict } from '../store/approvals.ts';
import type { Confirmation } from '../store/confirmations.ts';
import type { Store } from '../store/store.ts';
import { changesOf } from './preview-message.ts';
import type { Steps } from './services.ts';

/** What comes of asking for an approval, of a verdict, or of breaking the glass. Messages for whom is said by their names. */
export type Approved =
  | { kind: 'refused'; message: Message }
  /** It waits: the card is for the channel, and the approvers are told. */
  | {
      kind: 'waiting';
      confirmation: Confirmation;
      card: Message;
      approvers: readonly string[];
      message: Message;
      breakGlass: boolean;
    }
  /** It was decided: the card is brought up to date, and the requester is told, with a Run button when it may be run. */
  | {
      kind: 'decided';
      confirmation: Confirmation;
      card: Message;
      message: Message;
      requester: Message;
      runnable: boolean;
    }
  /** Let through without approval: said in the channel that the policy names, before anything is let through. */
  | {
      kind: 'glass';
      confirmation: Confirmation;
      card: Message;
      announcement: Message;
      channel: string;
      message: Message;
    };

/** Approval by somebody else: N of those whom the policy names, never the requester, never somebody of another workspace. */
export interface Approving {
  request(id: string, actor: Actor, reason: string): Promise<Approved>;
  /** Why this person cannot decide it; undefined: they can. */
  refusal(id: string, approver: Actor): Promise<Message | undefined>;
  vote(id: string, approver: Actor, verdict: Verdict['verdict'], reason: string): Promise<Approved>;
  /** `announce` has to succeed first: what nobody reads is not let through. */
  breakGlass(
    id: string,
    actor: Actor,
    reason: string,
    announce: (channel: string, text: Message) => Promise<void>,
  ): Promise<Approved>;
  /** Whether the policy wants to know why, before anybody is asked. */
  needsReason(id: string): Promise<boolean>;
  /** Goes on with what a process that died had left waiting, asked or rejected: says what nobody was told, decides what was voted. */
  resume(confirmation: Confirmation): Promise<Approved>;
  /** The one message in the channel, as it stands. */
  card(confirmation: Confirmation): Promise<Message>;
}

const refused = (...parts: Words[]): Extract<Approved, { kind: 'refused' }> => ({
  kind: 'refused',
  message: message(...parts),
});
const GONE = 'This does not wait for an approval any more.';

export function createApproving({ store, steps, policy }: { store: Store; steps: Steps; policy: Policy }): Approving {
  const { operationNamed, known, audit } = steps;

  const ruleOf = (confirmation: Confirmation): ApprovalRule | undefined =>
    policy.approvalFor({ name: confirmation.operation }, confirmation.approval?.names);

  /** Whether the one who asked may still, as the policy and its groups are now. */
  const requesterMay = ({ operation, actor, channel, approval }: Confirmation) =>
    policy.decide(
      { name: operation },
      { id: actor, kind: approval?.kind ?? 'member' },
      { channelId: channel },
      approval?.names,
    );

  async function record(
    confirmation: Confirmation,
    operation: AnyOperation,
    actor: Actor,
    outcome: string,
    detail: string,
    rule?: string,
  ) {
    const { channel, target, given, preview, id } = confirmation;
    await audit({ operation, actor, channel, target, given, outcome, detail, rule, preview, confirmation: id });
  }

  async function card(confirmation: Confirmation): Promise<Message> {
    const { operation, target, preview, reason, id, state, approval } = confirmation;
    const summary = operationNamed(operation)?.summary ?? operation;
    const verdicts = await store.approvals.verdicts(id);
    const said = verdicts.map(
      ({ approver, verdict, reason: why }) =>
        mrkdwn`${verdict === 'approved' ? '✅' : '❌'} ${user(approver)} ${verdict}${why === undefined ? '' : `: ${why}`}`,
    );
    return message(
      section(mrkdwn`${user(confirmation.actor)} asks to: *${summary}*\n${code(target)}`),
      Object.keys(preview.after).length > 0 &&
        section(changesOf(preview.before as State | undefined, preview.after as State)),
      state === 'waiting' && (approval?.remarks as Message | undefined),
      // Where it was let through, the reason stands below, with that.
      reason !== undefined && reason !== '' && confirmation.glassBroken !== true && section(mrkdwn`*Why:* ${reason}`),
      said.length > 0 && section(join(said, '\n')),
      confirmation.given.for !== undefined &&
        note(mrkdwn`Put back by itself after ${confirmation.given.for}, if nothing has changed by then.`),
      section(standingWords(confirmation, needsOf(ruleOf(confirmation), confirmation.actor, verdicts))),
      state === 'waiting' &&
        actions(button(BUTTONS.approve, id), button(BUTTONS.reject, id), button(BUTTONS.lookCloser, id)),
    );
  }

  async function request(id: string, actor: Actor, reason: string): Promise<Approved> {
    const found = await known(id);
    if (found === undefined) return refused('This is not known any more.', 'Repeat the command.');
    const { confirmation: drafted, operation } = found;
    const rule = ruleOf(drafted);
    if (rule?.reason === 'required' && reason.trim() === '')
      return refused('A reason is needed: the approvers read it.');
    const waiting = await store.approvals.request(
      id,
      actor,
      reason.trim(),
      drafted.approval?.lifetime ?? rule?.expires ?? 0,
    );
    if (waiting === undefined) return refused('This cannot be asked for any more.', 'Repeat the command.');
    await record(waiting, operation, actor, 'waiting', reason.trim(), rule?.rule);
    steps.recorded(id);
    return toBePosted(waiting);
  }

  async function toBePosted(waiting: Confirmation): Promise<Approved> {
    const rule = ruleOf(waiting);
    const verdicts = await store.approvals.verdicts(waiting.id);
    return {
      kind: 'waiting',
      confirmation: waiting,
      card: await card(waiting),
      approvers: (rule?.approvers ?? []).filter((approver) => approver !== waiting.actor),
      breakGlass: rule?.breakGlass?.id !== undefined,
      message: message(
        mrkdwn`${what(waiting)} waits for ${written(needsOf(rule, waiting.actor, verdicts))}. You are told as soon as it is decided.`,
      ),
    };
  }

  /** What waits, for one who may decide it; else why they cannot. */
  async function decidable(id: string, approver: Actor) {
    const found = await known(id);
    if (found?.confirmation.state !== 'waiting') return refused(GONE);
    const { confirmation, operation } = found;
    const rule = ruleOf(confirmation);
    if (rule === undefined)
      return refused('The policy asks nobody to approve this any more.', 'Whoever asked can repeat the command.');
    const right = mayApprove(rule, approver, { id: confirmation.actor });
    if (right.allowed) return { kind: 'decidable' as const, confirmation, operation, rule };
    await record(confirmation, operation, approver, 'forbidden', `may not approve: ${right.rule}`, rule.rule);
    return refused(ruleWords(`You cannot decide this: ${right.rule}.`));
  }

  async function vote(id: string, approver: Actor, verdict: Verdict['verdict'], reason: string): Promise<Approved> {
    const found = await decidable(id, approver);
    if (found.kind !== 'decidable') return found;
    const { confirmation, operation, rule } = found;
    const still = requesterMay(confirmation);
    if (verdict === 'approved' && !still.allowed) {
      return refused(
        mrkdwn`${user(confirmation.actor)} may not run ${code(operation.name)} on ${code(confirmation.target)} any more: ${ruleWords(still.rule)}.`,
        'Nothing was approved. You can reject it.',
      );
    }
    await store.approvals.hold(id);
    const isNew = await store.approvals.note(id, approver, verdict, reason.trim());
    if (!isNew) {
      const noted = (await store.approvals.verdicts(id)).find((one) => one.approver === approver.id);
      // The same again: what died after the verdict was noted is gone on with.
      if (noted === undefined || noted.verdict !== verdict)
        return refused(noted === undefined ? GONE : 'You have decided this already.');
    }
    if (isNew) await record(confirmation, operation, approver, verdict, reason.trim(), rule.rule);
    else await complete(confirmation);
    const decided = await conclude(confirmation, rule);
    steps.recorded(id);
    if (decided !== undefined) return decided;
    if (!isNew) return refused('You have decided this already.');
    const present = (await store.confirmations.read(id)) ?? confirmation;
    return {
      kind: 'waiting',
      confirmation: present,
      card: await card(present),
      approvers: [],
      breakGlass: false,
      message: message(
        mrkdwn`Noted. ${what(present)} needs ${written(needsOf(rule, present.actor, await store.approvals.verdicts(id)))}.`,
      ),
    };
  }

  /** Decides by what was voted so far. Undefined: it takes more, or it is decided already. */
  async function conclude(confirmation: Confirmation, rule: ApprovalRule | undefined): Promise<Approved | undefined> {
    const { id } = confirmation;
    const verdicts = await store.approvals.verdicts(id);
    const no = verdicts.find(({ verdict }) => verdict === 'rejected');
    const why = no?.reason === undefined ? '' : `: ${no.reason}`;
    const decided =
      no === undefined
        ? await store.approvals.pass(id, rule?.count ?? 0, rule?.expires ?? confirmation.approval?.lifetime ?? 0)
        : await store.approvals.reject(id, `${no.approver} rejected it${why}`);
    return decided === undefined ? undefined : decision(decided);
  }

  /** What a decision comes to, for the one who decided and the one who asked. */
  async function decision(confirmation: Confirmation): Promise<Approved> {
    const verdicts = await store.approvals.verdicts(confirmation.id);
    const no = verdicts.find(({ verdict }) => verdict === 'rejected');
    const runnable = confirmation.state === 'asked';
    const deciders = no === undefined ? verdicts : [no];
    const who =
      deciders.length === 0
        ? 'Nobody'
        : join(
            deciders.map(({ approver }) => user(approver)),
            ' and ',
          );
    return {
      kind: 'decided',
      confirmation,
      card: await card(confirmation),
      message: message(
        runnable
          ? mrkdwn`Approved: ${what(confirmation)}. ${user(confirmation.actor)} can run it now.`
          : mrkdwn`Rejected: ${what(confirmation)}. Nothing was done.`,
      ),
      requester: runnable
        ? message(
            confirmation.glassBroken === true
              ? mrkdwn`${what(confirmation)} was let through without approval.`
              : mrkdwn`${who} approved ${what(confirmation)}. What is there now is read again when you run it.`,
          )
        : message(
            mrkdwn`${who} rejected ${what(confirmation)}. Nothing was done.`,
            no?.reason !== undefined && note(no.reason),
          ),
      runnable,
    };
  }

  async function resume(confirmation: Confirmation): Promise<Approved> {
    await complete(confirmation);
    steps.recorded(confirmation.id);
    if (confirmation.state !== 'waiting') return decision(confirmation);
    return (await conclude(confirmation, ruleOf(confirmation))) ?? toBePosted(confirmation);
  }

  /** Writes down what a process that died had not written: who asked, and who said what. */
  async function complete(confirmation: Confirmation): Promise<void> {
    const { id, actor, team, reason = '', glassBroken } = confirmation;
    const operation = operationNamed(confirmation.operation);
    if (operation === undefined) return;
    const rule = ruleOf(confirmation)?.rule;
    const happened = [
      { by: actor, outcome: 'waiting', why: reason, is: glassBroken !== true },
      ...(await store.approvals.verdicts(id)).map(({ approver, verdict, reason: why = '' }) => ({
        by: approver,
        outcome: verdict as string,
        why,
        is: true,
      })),
      { by: actor, outcome: 'break-glass', why: reason, is: glassBroken === true },
    ];
    for (const { by, outcome, why, is } of happened) {
      if (!is || (await store.audit.knows(id, outcome, by))) continue;
      await record(confirmation, operation, { id: by, teamId: team, kind: 'member' }, outcome, why, rule);
    }
  }

  async function breakGlass(
    id: string,
    actor: Actor,
    reason: string,
    announce: (channel: string, text: Message) => Promise<void>,
  ): Promise<Approved> {
    const found = await known(id);
    if (found === undefined || found.confirmation.actor !== actor.id)
      return refused('This is not known any more.', 'Repeat the command.');
    const { confirmation: drafted, operation } = found;
    const rule = ruleOf(drafted);
    const channel = rule?.breakGlass?.id;
    if (rule?.breakGlass === undefined || channel === undefined) {
      return refused(`The policy lets nobody do this without approval (${rule?.rule ?? 'no rule'}).`);
    }
    if (reason.trim() === '') return refused('A reason is needed: everybody reads it.');
    if (drafted.state !== 'drafted' && drafted.state !== 'waiting') return refused(GONE);
    const announcement = message(
      mrkdwn`🚨 ${user(actor.id)} does this *without approval*: ${code(drafted.operation)} on ${code(drafted.target)}`,
      // Who reads it there has not seen the preview.
      Object.keys(drafted.preview.after).length > 0 &&
        section(changesOf(drafted.preview.before as State | undefined, drafted.preview.after as State)),
      section(mrkdwn`*Why:* ${reason.trim()}`),
      note(ruleWords(`${rule.rule}.`)),
    );
    await announce(channel, announcement);
    const open = await store.approvals.breakGlass(id, actor, reason.trim());
    if (open === undefined) return refused(GONE);
    await record(open, operation, actor, 'break-glass', reason.trim(), rule.rule);
    steps.recorded(id);
    return {
      kind: 'glass',
      confirmation: open,
      card: await card(open),
      announcement,
      channel,
      message: message(mrkdwn`You can run ${what(open)} now, without approval. ${written(`<#${channel}>`)} reads why.`),
    };
  }

  return {
    async needsReason(id) {
      const confirmation = await store.confirmations.read(id);
      return confirmation !== undefined && ruleOf(confirmation)?.reason === 'required';
    },
    request,
    async refusal(id, approver) {
      const found = await decidable(id, approver);
      return found.kind === 'refused' ? found.message : undefined;
    },
    vote,
    breakGlass,
    resume,
    card,
  };
}

/** What was asked for, in words. */
const what = ({ operation, target }: Confirmation) => mrkdwn`${code(operation)} on ${code(target)}`;

/** How many more of whom, and who that is when they are few. */
function needsOf(rule: ApprovalRule | undefined, requester: string, verdicts: readonly Verdict[]): string {
  if (rule === undefined) return 'nobody any more';
  const yes = verdicts.filter(({ verdict }) => verdict === 'approved').map(({ approver }) => approver);
  const left = `${rule.count - yes.length}${yes.length === 0 ? '' : ' more'}`;
  const others = rule.approvers.filter((id) => id !== requester && !yes.includes(id));
  if (rule.anybody || others.length === 0 || others.length > 5) return `${left} of ${rule.who}`;
  return `${left} of ${others.map((id) => `<@${id}>`).join(', ')}`;
}

function standingWords(confirmation: Confirmation, words: string | undefined): Words {
  switch (confirmation.state) {
    case 'waiting':
      return mrkdwn`⏳ Needs ${written(words ?? 'an approval')}.`;
    case 'asked':
    case 'claimed':
    case 'sent':
      return confirmation.glassBroken === true
        ? mrkdwn`🚨 Let through *without approval*: ${confirmation.reason ?? ''}`
        : mrkdwn`*Approved.* ${user(confirmation.actor)} can run it.`;
    case 'done':
      return '✅ Done.';
    case 'rejected':
      return '❌ Rejected. Nothing was done.';
    case 'expired':
      return 'Expired. Nothing was done.';
    case 'cancelled':
      return 'Cancelled by the requester. Nothing was done.';
    case 'unknown':
      return 'How it ended is not known.';
    default:
      return `Not done: ${confirmation.outcome ?? confirmation.state}.`;
  }
}
