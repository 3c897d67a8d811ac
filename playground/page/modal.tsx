/** The modal on top of the stack: a form with its errors, or whatever else the bot shows. */
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { UiView } from '../slack/ui-types.ts';
import { Avatar } from './avatar.tsx';
import { Alert } from './blocks/alert.tsx';
import { Blocks } from './blocks/block.tsx';
import { close, submit } from './calls.ts';
import { Dialog } from './dialog.tsx';
import { useDirectory } from './directory.ts';
import { FormContext, useFormOf } from './form.ts';
import { Icon } from './icons.tsx';
import { PlainText } from './text/mrkdwn.tsx';

/** The modal; `depth` is how many are open. */
export function Modal({ view, depth }: { view: UiView; depth: number }) {
  const { me } = useDirectory();
  const [refused, setRefused] = useState<{ hash: string; errors: Record<string, string> }>();
  const [problem, setProblem] = useState('');
  const [isSending, setSending] = useState(false);
  const errors = { ...view.errors, ...(refused?.hash === view.hash ? refused.errors : {}) };
  const at = { view: view.id };
  const { form, values } = useFormOf({ user: me.id, at, surface: 'modal', values: view.values, errors });
  const body = useModalFocus(view, errors);
  const blockIds = new Set(view.blocks.map((block) => block.block_id));
  const homeless = Object.entries(errors).filter(([block]) => !blockIds.has(block));

  async function send(): Promise<void> {
    if (isSending || view.submit === undefined) return;
    setSending(true);
    setProblem('');
    const answer = await submit({ user: me.id, view: view.id, values: values() });
    setSending(false);
    if (!answer.ok) setProblem(answer.error);
    else if (answer.errors) setRefused({ hash: view.hash, errors: answer.errors });
  }

  async function leave(all: boolean): Promise<void> {
    const answer = await close({ user: me.id, view: view.id, ...(all ? { all } : {}) });
    if (!answer.ok) setProblem(answer.error);
  }

  return (
    <Dialog label={view.title} endsAtComposer class={`modal depth-${depth}`} onClose={() => void leave(false)}>
      <form
        class="modal-form"
        data-callback={view.callbackId}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <Head title={view.title} depth={depth} leave={() => void leave(true)} />
        <div ref={body} class="dialog-body" aria-busy={isSending}>
          {homeless.map(([, error]) => (
            <Alert level="error">{error}</Alert>
          ))}
          {problem ? <Alert level="error">{problem}</Alert> : null}
          <FormContext.Provider value={form}>
            <Blocks blocks={view.blocks} />
          </FormContext.Provider>
        </div>
        <Foot view={view} isSending={isSending} leave={() => void leave(false)} />
      </form>
    </Dialog>
  );
}

function Head({ title, depth, leave }: { title: string; depth: number; leave(): void }) {
  const { users, bot } = useDirectory();
  return (
    <header class="dialog-head">
      <Avatar user={users.get(bot.userId)} size={28} />
      <h2>
        <PlainText text={title} />
      </h2>
      {depth > 1 ? <span class="stack-note">{depth} of 3</span> : null}
      <button type="button" class="icon-button" aria-label="Close" onClick={leave}>
        <Icon name="close" />
      </button>
    </header>
  );
}

function Foot({ view, isSending, leave }: { view: UiView; isSending: boolean; leave(): void }) {
  return (
    <footer class="dialog-foot">
      <button type="button" class="button" onClick={leave}>
        <PlainText text={view.close} />
      </button>
      {view.submit === undefined ? null : (
        <button type="submit" class={`button primary ${isSending ? 'busy' : ''}`} aria-busy={isSending}>
          <span class="button-label">
            <PlainText text={view.submit} />
          </span>
        </button>
      )}
    </footer>
  );
}

/** Moves the focus to the first field of a new view, and to the first field with a new error. */
function useModalFocus(view: UiView, errors: Record<string, string>): RefObject<HTMLDivElement | null> {
  const body = useRef<HTMLDivElement>(null);
  const errorKeys = Object.keys(errors).sort().join();

  // A view that opens, or fills in after its loading state, starts at its first field.
  useLayoutEffect(() => {
    const root = body.current;
    if (!root || root.contains(document.activeElement)) return;
    const wanted =
      root.querySelector<HTMLElement>('[data-first-focus]') ??
      root.querySelector<HTMLElement>('input:not([type=hidden]):not([disabled]), textarea, [role=combobox]');
    (wanted ?? root.closest<HTMLElement>('dialog'))?.focus();
    if (!wanted) root.scrollTop = 0;
  }, [view.id, view.hash]);

  useLayoutEffect(() => {
    const first = body.current?.querySelector<HTMLElement>(
      '.has-error input, .has-error textarea, .has-error [role=combobox]',
    );
    first?.focus();
    first?.closest('.block')?.scrollIntoView({ block: 'nearest' });
  }, [errorKeys]);

  return body;
}
