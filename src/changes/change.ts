/*
 * The life of a change on one screen: its states, and who moves it from which to which. The store's statements, the database's
 * trigger and the diagram in docs/architecture.md are made from these tables.
 */

/** People decide on it, a process has it, or it has ended. */
export type Stage = 'asking' | 'running' | 'over';

/** Who moves a change. The holder is the process with the claim. Any process may end what a dead one left. */
type Mover = 'requester' | 'approver' | 'holder' | 'any process' | 'clock';

interface State {
  stage: Stage;
  means: string;
  /** The audit’s word for it, if that differs. */
  audited?: string;
}

/** Leads from each state of `from` to `to`. An empty `from` is the beginning. */
interface Transition<S extends string> {
  from: readonly S[];
  to: S;
  by: Mover;
  when: string;
}

export const STATES = {
  drafted: { stage: 'asking', means: 'It was shown, and needs the approval of others.' },
  asked: { stage: 'asking', means: 'It was shown, and its requester can confirm it.' },
  waiting: { stage: 'asking', means: 'Others were asked to approve it.' },
  approved: { stage: 'asking', means: 'Enough others agreed, or it was let through without: it can be run.' },
  planned: { stage: 'asking', means: 'It was confirmed, for the time of `--at`.' },
  claimed: { stage: 'running', means: 'A process has it and looks once more; nothing was sent.' },
  sent: { stage: 'running', means: 'The request may be out.' },
  done: { stage: 'over', means: 'The platform did it.' },
  undone: { stage: 'over', means: 'It was done, and undone by a second change.', audited: 'done' },
  failed: { stage: 'over', means: 'It was not done: the policy, the platform or the end of a process was in the way.' },
  unknown: { stage: 'over', means: 'It was sent, and nobody knows what the platform did.' },
  refused: { stage: 'over', means: 'It was not done: its command or its arguments cannot be read any more.' },
  overtaken: { stage: 'over', means: 'It was not done: the state is not the one shown any more.', audited: 'refused' },
  rejected: { stage: 'over', means: 'One of the others said no.' },
  cancelled: { stage: 'over', means: 'Its requester does not want it any more.' },
  expired: { stage: 'over', means: 'Nobody decided or confirmed it in time.' },
  withdrawn: { stage: 'over', means: 'It was not done: its channel or the app is gone.' },
} as const satisfies Record<string, State>;

export type ChangeState = keyof typeof STATES;

const UNCONFIRMED = ['drafted', 'asked', 'waiting', 'approved'] as const;
const ASKING = [...UNCONFIRMED, 'planned'] as const;

/** The database refuses every other transition. */
export const TRANSITIONS = {
  ask: { from: [], to: 'asked', by: 'requester', when: 'Its preview is shown.' },
  draft: { from: [], to: 'drafted', by: 'requester', when: 'The same, where others have to approve it.' },
  request: { from: ['drafted'], to: 'waiting', by: 'requester', when: 'Ask for approval is pressed.' },
  approve: { from: ['waiting'], to: 'approved', by: 'approver', when: 'Enough of them said yes, and nobody no.' },
  reject: { from: ['waiting'], to: 'rejected', by: 'approver', when: 'One of them says no.' },
  breakGlass: { from: ['drafted', 'waiting'], to: 'approved', by: 'requester', when: 'It is announced.' },
  claim: { from: ['asked', 'approved'], to: 'claimed', by: 'requester', when: 'The one press that counts.' },
  plan: { from: ['asked', 'approved'], to: 'planned', by: 'requester', when: 'That press, with `--at`.' },
  begin: { from: ['planned'], to: 'claimed', by: 'clock', when: 'The time of `--at` has come.' },
  send: { from: ['claimed'], to: 'sent', by: 'holder', when: 'Before the request leaves.' },
  finish: { from: ['sent', 'unknown'], to: 'done', by: 'holder', when: 'The platform says yes, even if late.' },
  fail: { from: ['claimed', 'sent', 'unknown'], to: 'failed', by: 'holder', when: 'Policy or platform says no.' },
  lose: { from: ['sent', 'unknown'], to: 'unknown', by: 'holder', when: 'The answer is lost.' },
  refuse: { from: ['claimed'], to: 'refused', by: 'holder', when: 'Its command or the key of the store is gone.' },
  overtake: { from: ['claimed'], to: 'overtaken', by: 'holder', when: 'The preview is another one than was shown.' },
  abandon: { from: ['claimed'], to: 'failed', by: 'any process', when: 'Its process died before the request left.' },
  doubt: { from: ['sent'], to: 'unknown', by: 'any process', when: 'Its process died after the request had left.' },
  stand: {
    from: ['claimed'],
    to: 'approved',
    by: 'holder',
    when: 'The platform cannot be read now, or its process stops.',
  },
  postpone: { from: ['claimed'], to: 'planned', by: 'holder', when: 'The same, with `--at`.' },
  retry: { from: ['claimed'], to: 'asked', by: 'holder', when: 'The same, where nobody had to approve it.' },
  undo: { from: ['done'], to: 'undone', by: 'holder', when: 'The second change is done.' },
  cancel: { from: ASKING, to: 'cancelled', by: 'requester', when: 'Cancel is pressed.' },
  expire: { from: UNCONFIRMED, to: 'expired', by: 'clock', when: 'Its time is over.' },
  withdraw: {
    from: ASKING,
    to: 'withdrawn',
    by: 'any process',
    when: 'Slack says that the channel or the app is gone.',
  },
} as const satisfies Record<string, Transition<ChangeState>>;

export type ChangeTransition = keyof typeof TRANSITIONS;

/** A reversal is the way to undo a change. */
export const REVERSAL_STATES = {
  kept: 'Written down before the change leaves.',
  open: 'The change was made, or may have been: it can be undone.',
  claimed: 'It is being undone by a change of its own.',
  done: 'It was undone.',
  failed: 'It was not undone, and is not tried any more.',
  unknown: 'It may have been undone, and is not tried any more.',
} as const satisfies Record<string, string>;

export const REVERSAL_TRANSITIONS = {
  keep: { from: [], to: 'kept', by: 'holder', when: 'Before the request of the change leaves.' },
  open: { from: ['kept'], to: 'open', by: 'holder', when: 'The change is done or unknown.' },
  claim: { from: ['open'], to: 'claimed', by: 'requester', when: 'Undo is pressed.' },
  due: { from: ['open'], to: 'claimed', by: 'clock', when: 'The time of --for is over.' },
  hasten: { from: ['open'], to: 'open', by: 'any process', when: 'The zone fails more while --watch lasts.' },
  resume: { from: ['claimed'], to: 'claimed', by: 'any process', when: 'The process that undid it died.' },
  finish: { from: ['claimed'], to: 'done', by: 'holder', when: 'It is undone.' },
  reopen: { from: ['claimed'], to: 'open', by: 'holder', when: 'Nothing was done, and there is time.' },
  close: { from: ['claimed'], to: 'failed', by: 'holder', when: 'It cannot be undone, or it is too late.' },
  lose: { from: ['claimed'], to: 'unknown', by: 'holder', when: 'The answer to its undo is lost.' },
} as const satisfies Record<string, Transition<keyof typeof REVERSAL_STATES>>;

export type ReversalTransition = keyof typeof REVERSAL_TRANSITIONS;

export const statesIn = (stage: Stage): ChangeState[] =>
  (Object.keys(STATES) as ChangeState[]).filter((state) => STATES[state].stage === stage);

export const isRunnable = (state: ChangeState): boolean => TRANSITIONS.claim.from.some((one) => one === state);

export const auditWord = (state: ChangeState): string => (STATES[state] as State).audited ?? state;
