/** Modals and App Homes: a stack of at most three per person, updated by id or external id under a hash. */

import { createHash } from 'node:crypto';
import { validateView, viewProblem } from './block-kit/validate.ts';
import { addProblem, emit } from './changes.ts';
import { echoed } from './echo.ts';
import { stateOf, valuesOf } from './elements.ts';
import { nextId, withIds } from './ids.ts';
import { type Slack, SlackError, type View, type ViewDraft } from './slack.ts';
import { takeTrigger } from './triggers.ts';

const STACK_DEPTH = 3;

/** The person's open modals, the top one last. */
export function stackOf({ stacks }: Slack, user: string): View[] {
  const known = stacks.get(user) ?? [];
  stacks.set(user, known);
  return known;
}

/** An open modal or an App Home, by its id. */
export function findView(slack: Slack, id: string): View | undefined {
  return everyView(slack).find((view) => view.id === id);
}

/** Answers `views.open`: a trigger from outside a modal starts a new stack, from within one it pushes. */
export function openView(slack: Slack, triggerId: string, draft: unknown): View {
  checkedDraft(slack, draft, 'modal');
  const { user, view } = takeTrigger(slack, triggerId);
  if (view === undefined) stackOf(slack, user).length = 0;
  return pushDraft(slack, user, draft);
}

/** Answers `views.push`. */
export function pushView(slack: Slack, triggerId: string, draft: unknown): View {
  checkedDraft(slack, draft, 'modal');
  const { user, view } = takeTrigger(slack, triggerId);
  if (view === undefined || findView(slack, view)?.draft.type !== 'modal') {
    addProblem(slack, 'views.push with a trigger id that does not come from a modal');
    throw new SlackError('invalid_trigger_id');
  }
  return pushDraft(slack, user, draft);
}

/** Pushes onto a person's stack without a trigger: in answer to a submission. */
export function pushDraft(slack: Slack, user: string, draft: unknown): View {
  const modal = checkedDraft(slack, draft, 'modal');
  const stack = stackOf(slack, user);
  if (stack.length >= STACK_DEPTH) {
    addProblem(slack, 'a fourth view was pushed onto a stack of three');
    throw new SlackError('push_limit_reached');
  }
  const view = newView(slack, user, modal, stack.at(-1));
  stack.push(view);
  viewChanged(slack, view);
  return view;
}

/** Answers `views.update`, and submissions that update. */
export function updateView(
  slack: Slack,
  { viewId, externalId, hash }: { viewId?: string; externalId?: string; hash?: string },
  draft: unknown,
): View {
  const mine = everyView(slack).filter(({ app }) => app === slack.app);
  const view = mine.find((each) =>
    viewId !== undefined ? each.id === viewId : externalId !== undefined && each.draft.external_id === externalId,
  );
  const next = checkedDraft(slack, draft, view?.draft.type ?? 'modal');
  if (!view) throw new SlackError('not_found');
  checkHash(view, hash);
  return replaceDraft(slack, view, next);
}

/** Answers `views.publish`. */
export function publishHome(slack: Slack, user: string, draft: unknown, hash?: string): View {
  const next = checkedDraft(slack, draft, 'home');
  const known = slack.homes.get(user);
  if (known) {
    checkHash(known, hash);
    return replaceDraft(slack, known, next);
  }
  const view = newView(slack, user, next);
  slack.homes.set(user, view);
  viewChanged(slack, view);
  return view;
}

/** Takes a modal, and those above it, off its stack. */
export function removeView(slack: Slack, view: View): void {
  const stack = stackOf(slack, view.user);
  const index = stack.indexOf(view);
  if (index < 0) return;
  stack.splice(index);
  viewChanged(slack, view);
}

/** Empties a person's stack; gives the views that were on it. */
export function clearStack(slack: Slack, user: string): View[] {
  const removed = stackOf(slack, user).splice(0);
  emit(slack, { type: 'views', user });
  return removed;
}

/** Tells the listeners that a view is to be looked at again. */
export function viewChanged(slack: Slack, { draft, user }: View): void {
  emit(slack, draft.type === 'home' ? { type: 'home', user } : { type: 'views', user });
}

/** The view as payloads and answers carry it. */
export function viewObject(slack: Slack, view: View): Record<string, unknown> {
  const { draft } = view;
  const { team } = slack.workspace;
  return {
    id: view.id,
    team_id: team.id,
    app_id: slack.app.id,
    app_installed_team_id: team.id,
    bot_id: slack.app.botId,
    type: draft.type,
    title: echoed(draft.title) ?? { type: 'plain_text', text: 'View Title', emoji: true },
    close: echoed(draft.close) ?? null,
    submit: echoed(draft.submit) ?? null,
    blocks: echoed(view.blocks),
    private_metadata: draft.private_metadata ?? '',
    callback_id: draft.callback_id ?? '',
    external_id: draft.external_id ?? '',
    state: echoed(stateOf(slack, view.blocks, view.values)),
    hash: view.hash,
    clear_on_close: draft.clear_on_close ?? false,
    notify_on_close: draft.notify_on_close ?? false,
    submit_disabled: draft.submit_disabled ?? false,
    root_view_id: view.rootId,
    previous_view_id: view.previousId ?? null,
  };
}

function everyView({ stacks, homes }: Slack): View[] {
  return [...[...stacks.values()].flat(), ...homes.values()];
}

function newView(slack: Slack, user: string, draft: ViewDraft, below?: View): View {
  checkExternalId(slack, draft);
  const id = nextId(slack, 'V');
  const blocks = withIds(slack, draft.blocks);
  return {
    id,
    app: slack.app,
    user,
    draft,
    blocks,
    hash: nextHash(slack),
    rootId: below?.rootId ?? id,
    previousId: below?.id,
    errors: {},
    values: valuesOf(blocks),
    history: [],
  };
}

function replaceDraft(slack: Slack, view: View, draft: ViewDraft): View {
  checkExternalId(slack, draft, view);
  view.history.push({ draft: view.draft, blocks: view.blocks });
  view.draft = draft;
  view.blocks = withIds(slack, draft.blocks);
  view.values = valuesOf(view.blocks, view.values);
  view.errors = {};
  view.hash = nextHash(slack);
  viewChanged(slack, view);
  return view;
}

function checkedDraft(slack: Slack, draft: unknown, type: 'modal' | 'home'): ViewDraft {
  const complaints = validateView(draft, type);
  if (complaints.length > 0) {
    addProblem(slack, `view: ${complaints.map((each) => `${each.message} [${each.pointer}]`).join('; ')}`);
    throw new SlackError('invalid_arguments', viewProblem(complaints));
  }
  return draft as ViewDraft;
}

function checkExternalId(slack: Slack, draft: ViewDraft, except?: View): void {
  if (draft.external_id === undefined || draft.external_id === '') return;
  const other = everyView(slack).find((each) => each.draft.external_id === draft.external_id);
  if (other && other !== except) throw new SlackError('duplicate_external_id');
}

function checkHash(view: View, hash: string | undefined): void {
  if (hash !== undefined && hash !== view.hash) throw new SlackError('hash_conflict');
}

function nextHash({ counts, now }: Slack): string {
  counts.hashes += 1;
  const seconds = Math.floor(now().getTime() / 1000);
  return `${seconds}.${createHash('sha256').update(String(counts.hashes)).digest('hex').slice(0, 8)}`;
}
