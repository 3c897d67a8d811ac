/** Puts the focus where people type, in the conversation that is open; false where none is. */
export function focusComposer(): boolean {
  const input = document.querySelector<HTMLElement>('.channel .composer textarea');
  input?.focus();
  return input !== null;
}
