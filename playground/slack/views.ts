/** Modals and App Homes: a stack of at most three per person, updated by id or external id under a hash. */

import { createHash } from 'node:crypto';
import { validateView, viewProblem } from './block-kit/validate.ts';
import { type Core, SlackError, withIds } from './core.ts';
import { type Lookups, stateOf, valuesOf } from './elements.ts';
import type { Triggers } from './triggers.ts';
import type { UiBlock, UiText, UiValues } from './ui-types.ts';
import { APP_ID, BOT_ID } from './workspace.ts';

const STACK_DEPTH = 3;

/** What the bot gave for a view. */
export interface ViewDraft {
  type: 'modal' | 'home';
  title?: UiText;
  blocks: UiBlock[];
  submit?: UiText;
  close?: UiText;
  callback_id?: string;
  private_metadata?: string;
  external_id?: string;
  clear_on_close?: boolean;
  notify_on_close?: boolean;
  submit_disabled?: boolean;
}

export interface View {
  id: string;
  user: string;
  draft: ViewDraft;
  blocks: UiBlock[];
  hash: string;
  rootId: string;
  previousId: string | undefined;
  errors: Record<string, string>;
  values: UiValues;
  /** What it showed before, oldest first; its length counts the updates. */
  history: { draft: ViewDraft; blocks: UiBlock[] }[];
}

export interface Views {
  /** The person's open modals, the top one last. */
  stack(user: string): View[];
  home(user: string): View | undefined;
  find(id: string): View | undefined;
  open(triggerId: string, draft: unknown): View;
  push(triggerId: string, draft: unknown): View;
  /** Pushes in answer to a submission: no trigger, the stack of the view that was submitted. */
  pushOnto(view: View, draft: unknown): View;
  update(wanted: { viewId?: string; externalId?: string; hash?: string }, draft: unknown): View;
  publish(user: string, draft: unknown, hash?: string): View;
  close(view: View): void;
  clear(user: string): View[];
  changed(view: View): void;
  /** The view as payloads and answers carry it. */
  payload(view: View, lookups: Lookups): Record<string, unknown>;
}

export function createViews(core: Core, triggers: Triggers): Views {
  const stacks = new Map<string, View[]>();
  const homes = new Map<string, View>();
  let version = 0;

  const stack = (user: string): View[] => {
    const known = stacks.get(user) ?? [];
    stacks.set(user, known);
    return known;
  };
  const find = (id: string): View | undefined =>
    [...[...stacks.values()].flat(), ...homes.values()].find((view) => view.id === id);

  const checked = (draft: unknown, type: 'modal' | 'home'): ViewDraft => {
    const complaints = validateView(draft, type);
    if (complaints.length > 0) {
      core.problem(`view: ${complaints.map((each) => `${each.message} [${each.pointer}]`).join('; ')}`);
      throw new SlackError('invalid_arguments', viewProblem(complaints));
    }
    return draft as ViewDraft;
  };
  const hashed = (): string => {
    version += 1;
    const seconds = Math.floor(core.now().getTime() / 1000);
    return `${seconds}.${createHash('sha256').update(String(version)).digest('hex').slice(0, 8)}`;
  };
  const checkExternalId = (draft: ViewDraft, except?: View): void => {
    if (draft.external_id === undefined || draft.external_id === '') return;
    const other = [...stacks.values(), [...homes.values()]]
      .flat()
      .find((each) => each.draft.external_id === draft.external_id);
    if (other && other !== except) throw new SlackError('duplicate_external_id');
  };
  const made = (user: string, draft: ViewDraft, below?: View): View => {
    checkExternalId(draft);
    const id = core.nextId('V');
    const blocks = withIds(draft.blocks, core);
    return {
      id,
      user,
      draft,
      blocks,
      hash: hashed(),
      rootId: below?.rootId ?? id,
      previousId: below?.id,
      errors: {},
      values: valuesOf(blocks),
      history: [],
    };
  };
  const changed = (view: View): void => {
    core.emit(view.draft.type === 'home' ? { type: 'home', user: view.user } : { type: 'views', user: view.user });
  };
  const put = (user: string, draft: unknown): View => {
    const modal = checked(draft, 'modal');
    const open = stack(user);
    if (open.length >= STACK_DEPTH) {
      core.problem('a fourth view was pushed onto a stack of three');
      throw new SlackError('push_limit_reached');
    }
    const view = made(user, modal, open.at(-1));
    open.push(view);
    changed(view);
    return view;
  };
  const replace = (view: View, draft: ViewDraft): View => {
    checkExternalId(draft, view);
    view.history.push({ draft: view.draft, blocks: view.blocks });
    view.draft = draft;
    view.blocks = withIds(draft.blocks, core);
    view.values = valuesOf(view.blocks, view.values);
    view.errors = {};
    view.hash = hashed();
    changed(view);
    return view;
  };
  const checkHash = (view: View, hash: string | undefined): void => {
    if (hash !== undefined && hash !== view.hash) throw new SlackError('hash_conflict');
  };

  return {
    stack,
    find,
    changed,
    home: (user) => homes.get(user),

    open(triggerId, draft) {
      checked(draft, 'modal');
      const { user, view } = triggers.take(triggerId);
      // A trigger from outside a modal starts a new stack; what was open is gone.
      if (view === undefined) stack(user).length = 0;
      return put(user, draft);
    },

    push(triggerId, draft) {
      checked(draft, 'modal');
      const { user, view } = triggers.take(triggerId);
      if (view === undefined || find(view)?.draft.type !== 'modal') {
        core.problem('views.push with a trigger id that does not come from a modal');
        throw new SlackError('invalid_trigger_id');
      }
      return put(user, draft);
    },

    pushOnto: (view, draft) => put(view.user, draft),

    update({ viewId, externalId, hash }, draft) {
      const all = [...[...stacks.values()].flat(), ...homes.values()];
      const view = all.find((each) =>
        viewId !== undefined ? each.id === viewId : externalId !== undefined && each.draft.external_id === externalId,
      );
      const next = checked(draft, view?.draft.type ?? 'modal');
      if (!view) throw new SlackError('not_found');
      checkHash(view, hash);
      return replace(view, next);
    },

    publish(user, draft, hash) {
      const next = checked(draft, 'home');
      const known = homes.get(user);
      if (known) {
        checkHash(known, hash);
        return replace(known, next);
      }
      const view = made(user, next);
      homes.set(user, view);
      changed(view);
      return view;
    },

    close(view) {
      const open = stack(view.user);
      const index = open.indexOf(view);
      if (index < 0) return;
      open.splice(index);
      changed(view);
    },

    clear(user) {
      const closed = stack(user).splice(0);
      core.emit({ type: 'views', user });
      return closed;
    },

    payload: (view, lookups) => ({
      id: view.id,
      team_id: core.workspace.team.id,
      app_id: APP_ID,
      app_installed_team_id: core.workspace.team.id,
      bot_id: BOT_ID,
      type: view.draft.type,
      title: view.draft.title ?? { type: 'plain_text', text: 'View Title', emoji: true },
      close: view.draft.close ?? null,
      submit: view.draft.submit ?? null,
      blocks: view.blocks,
      private_metadata: view.draft.private_metadata ?? '',
      callback_id: view.draft.callback_id ?? '',
      external_id: view.draft.external_id ?? '',
      state: stateOf(view.blocks, view.values, lookups),
      hash: view.hash,
      clear_on_close: view.draft.clear_on_close ?? false,
      notify_on_close: view.draft.notify_on_close ?? false,
      root_view_id: view.rootId,
      previous_view_id: view.previousId ?? null,
    }),
  };
}
