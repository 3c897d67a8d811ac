/** The line that is being written in a composer: its text, its files, and how it is sent. */
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { UiChannel, UiFile } from '../slack/ui-types.ts';
import { sendText, upload } from './calls.ts';
import { useUiState } from './workspace.ts';

/** Lines that were sent from this page, newest last: ArrowUp in an empty composer brings them back. */
const history: string[] = [];

/** A line that is being written, and the ways to change and send it. */
export interface Draft {
  input: RefObject<HTMLTextAreaElement | null>;
  text: string;
  caret: number;
  files: UiFile[];
  /** How many lines are on their way: a slow answer does not keep the next line back. */
  sending: number;
  error: string;
  /** How many lines back the one stands that was brought back; 0 for a new one. */
  recalled: number;
  /** Puts a line into the composer, with the caret at its end. */
  write(line: string, caret?: number): void;
  /** The person typed. */
  type(text: string, caret: number): void;
  setCaret(caret: number): void;
  attach(chosen: FileList | null | undefined): Promise<void>;
  detach(id: string): void;
  send(): Promise<void>;
  /** Brings back an earlier line (1) or a later one (-1); false when there is none. */
  recall(step: number): boolean;
}

interface DraftOptions {
  channel: UiChannel;
  thread: string | undefined;
  onSent: (() => void) | undefined;
}

/** A new draft for a conversation or a thread. */
export function useDraft({ channel, thread, onSent }: DraftOptions): Draft {
  const { user } = useUiState();
  const input = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState('');
  const [caret, setCaret] = useState(0);
  const [files, setFiles] = useState<UiFile[]>([]);
  const [sending, setSending] = useState(0);
  const [error, setError] = useState('');
  const [recalled, setRecalled] = useState(0);
  const moveTo = useRef<number | undefined>(undefined);

  // Before the next key: a frame later, what is typed meanwhile would stand behind the caret.
  useLayoutEffect(() => {
    if (moveTo.current === undefined) return;
    input.current?.setSelectionRange(moveTo.current, moveTo.current);
    moveTo.current = undefined;
  });

  function write(next: string, at = next.length): void {
    setText(next);
    setCaret(at);
    setError('');
    moveTo.current = at;
    input.current?.focus();
  }

  function type(next: string, at: number): void {
    moveTo.current = undefined;
    setText(next);
    setCaret(at);
    setRecalled(0);
    setError('');
  }

  async function attach(chosen: FileList | null | undefined): Promise<void> {
    setError('');
    for (const file of [...(chosen ?? [])]) {
      const answer = await upload(user.id, file);
      if (answer.ok) setFiles((now) => [...now, answer.file]);
      else setError(`${file.name}: ${answer.error}`);
    }
    input.current?.focus();
  }

  async function send(): Promise<void> {
    const line = text.trim();
    if (line === '' && files.length === 0) return;
    if (line) history.push(line);
    setSending((now) => now + 1);
    type('', caret);
    setFiles([]);
    input.current?.focus();
    onSent?.();
    const ids = files.map(({ id }) => id);
    const request = { user: user.id, channel: channel.id, text: line };
    const answer = await sendText({ ...request, ...(thread ? { thread } : {}), ...(ids.length ? { files: ids } : {}) });
    setSending((now) => now - 1);
    if (answer.ok) return;
    setError(answer.error);
    // A line that could not be sent is not lost, unless something new was begun.
    setText((now) => now || text);
    setFiles((now) => (now.length ? now : files));
  }

  function recall(step: number): boolean {
    const isPossible = step > 0 ? history.length > 0 && (text === '' || recalled > 0) : recalled > 0;
    if (!isPossible) return false;
    const next = Math.max(0, Math.min(history.length, recalled + step));
    setRecalled(next);
    write(next === 0 ? '' : (history[history.length - next] ?? ''));
    return true;
  }

  const detach = (id: string) => setFiles(files.filter((file) => file.id !== id));
  const shown = { input, text, caret, files, sending, error, recalled };
  return { ...shown, write, type, setCaret, attach, detach, send, recall };
}
