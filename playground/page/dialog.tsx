/** A window over the page: the browser's own modal dialog, with its focus kept inside. */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { focusComposer } from './focus.ts';

interface DialogProps {
  label: string;
  /** The next thing to do afterwards is to type. */
  endsAtComposer?: boolean;
  class?: string;
  onClose(): void;
  children: ComponentChildren;
}

const focusable =
  'a[href], button:not([disabled]), input:not([disabled]), select:not([disabled]), textarea:not([disabled]), [tabindex="0"]';

/** A dialog over the page that keeps the focus inside. */
export function Dialog({ label, endsAtComposer = false, class: name = '', onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);

  useLayoutEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      dialog.current?.close();
      if (endsAtComposer && !before?.closest('.composer') && focusComposer()) return;
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'Escape') {
      event.preventDefault();
      event.stopPropagation();
      onClose();
    }
    if (event.key !== 'Tab' || !dialog.current) return;
    const stops = [...dialog.current.querySelectorAll<HTMLElement>(focusable)].filter((each) => each.checkVisibility());
    const [first, last] = [stops[0], stops.at(-1)];
    const from = document.activeElement;
    if (event.shiftKey && (from === first || from === dialog.current)) last?.focus();
    else if (!event.shiftKey && from === last) first?.focus();
    else return;
    event.preventDefault();
  }

  return (
    <dialog
      ref={dialog}
      class={`dialog ${name}`}
      aria-label={label}
      tabindex={-1}
      onKeyDown={onKeyDown}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      {children}
    </dialog>
  );
}
