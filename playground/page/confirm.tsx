/** Slack's confirm dialog: asked by the page before it tells the bot anything. */
import type { ConfirmationDialog } from '@slack/types';
import { type ComponentChildren, createContext } from 'preact';
import { useContext, useState } from 'preact/hooks';
import { Dialog } from './dialog.tsx';
import { Icon } from './icons.tsx';
import { Mrkdwn, PlainText } from './text/mrkdwn.tsx';

type Ask = (question: ConfirmationDialog | undefined) => Promise<boolean>;

const AskContext = createContext<Ask>(async () => true);

/** Asks, and says what the person chose; without a question it is a yes. */
export const useAsk = () => useContext(AskContext);

/** Lets everything inside ask by a confirm dialog. */
export function ConfirmProvider({ children }: { children: ComponentChildren }) {
  const [open, setOpen] = useState<{ question: ConfirmationDialog; answer(yes: boolean): void }>();
  const ask: Ask = (question) =>
    question ? new Promise((resolve) => setOpen({ question, answer: resolve })) : Promise.resolve(true);

  function answer(yes: boolean): void {
    setOpen(undefined);
    open?.answer(yes);
  }

  return (
    <AskContext.Provider value={ask}>
      {children}
      {open ? (
        <Dialog label={open.question.title?.text ?? 'Confirm'} class="confirm" onClose={() => answer(false)}>
          <header class="dialog-head">
            <h2>
              <PlainText text={open.question.title?.text ?? 'Are you sure?'} />
            </h2>
            <button type="button" class="icon-button" aria-label="Close" onClick={() => answer(false)}>
              <Icon name="close" />
            </button>
          </header>
          <div class="dialog-body text">
            {open.question.text?.type === 'mrkdwn' ? (
              <Mrkdwn text={open.question.text.text} />
            ) : (
              <PlainText text={open.question.text?.text ?? ''} />
            )}
          </div>
          <footer class="dialog-foot">
            <button type="button" class="button" onClick={() => answer(false)}>
              <PlainText text={open.question.deny?.text ?? 'No'} />
            </button>
            <button
              type="button"
              class={`button ${open.question.style === 'danger' ? 'danger' : 'primary'}`}
              onClick={() => answer(true)}
            >
              <PlainText text={open.question.confirm?.text ?? 'Yes'} />
            </button>
          </footer>
        </Dialog>
      ) : null}
    </AskContext.Provider>
  );
}
