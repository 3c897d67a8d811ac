/** Where a person types: messages, slash commands with suggestions, mentions, files. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { UiChannel, UiFile } from '../slack/ui-types.ts';
import { sendText, upload } from './calls.ts';
import { reveal, useListKeys } from './elements/keys.ts';
import { sizeOf } from './files.tsx';
import { Icon } from './icons.tsx';
import { type Suggestion, suggestionsFor } from './suggestions.ts';
import { titleOf, useSnapshot, useUiState } from './workspace.ts';

interface ComposerProps {
  channel: UiChannel;
  thread?: string;
  /** Takes the focus when it is first drawn. */
  focused?: boolean;
  onSent?(): void;
}

/** Lines that were sent from this page, newest last: ArrowUp in an empty composer brings them back. */
const history: string[] = [];

/** The page's own way to put a line into the composer: the chips of things to try. */
export const tryEvent = 'edgewise-try';

const tallest = 240;

export function Composer({ channel, thread, focused = false, onSent }: ComposerProps) {
  const { hints } = useSnapshot();
  const state = useUiState();
  const input = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState('');
  const [caret, setCaret] = useState(0);
  const [files, setFiles] = useState<UiFile[]>([]);
  /** How many lines are on their way: a slow answer does not keep the next line back. */
  const [sending, setSending] = useState(0);
  const [error, setError] = useState('');
  const [dismissed, setDismissed] = useState('');
  const [recalled, setRecalled] = useState(0);

  const isCommand = text.startsWith('/') && !thread;
  const offered =
    dismissed === text ? undefined : suggestionsFor({ text, caret, thread: thread !== undefined, state, hints });
  const list = offered?.list ?? [];
  const keys = useListKeys(
    list.length,
    (index) => list[index] && take(list[index]),
    () => setDismissed(text),
    offered?.eager ? 0 : -1,
  );

  // another list begins at its beginning
  useEffect(() => keys.setActive(offered?.eager ? 0 : -1), [text]);

  useLayoutEffect(() => {
    if (focused && innerWidth > 480) input.current?.focus();
  }, [channel.id, thread]);

  // the height follows the text
  useLayoutEffect(() => {
    const element = input.current;
    if (!element) return;
    element.style.height = 'auto';
    element.style.height = `${Math.min(element.scrollHeight, tallest)}px`;
  }, [text]);

  useEffect(() => {
    if (thread) return undefined;
    const take = (event: Event) => write((event as CustomEvent<string>).detail);
    addEventListener(tryEvent, take);
    return () => removeEventListener(tryEvent, take);
  }, [thread]);

  function write(next: string, at = next.length): void {
    setText(next);
    setCaret(at);
    setError('');
    requestAnimationFrame(() => {
      input.current?.focus();
      input.current?.setSelectionRange(at, at);
    });
  }

  function take(suggestion: Suggestion): void {
    const next = text.slice(0, suggestion.from) + suggestion.insert + text.slice(suggestion.to);
    write(next, suggestion.from + suggestion.insert.length);
  }

  async function attach(chosen: FileList | null | undefined): Promise<void> {
    setError('');
    for (const file of [...(chosen ?? [])]) {
      const answer = await upload(state.user.id, file);
      if (answer.ok) setFiles((now) => [...now, answer.file]);
      else setError(`${file.name}: ${answer.error}`);
    }
    input.current?.focus();
  }

  async function send(): Promise<void> {
    const line = text.trim();
    if (line === '' && files.length === 0) return;
    if (line) history.push(line);
    setRecalled(0);
    setSending((now) => now + 1);
    setError('');
    const before = { text, files };
    setText('');
    setFiles([]);
    onSent?.();
    const answer = await sendText({
      user: state.user.id,
      channel: channel.id,
      text: line,
      ...(thread ? { thread } : {}),
      ...(files.length ? { files: files.map(({ id }) => id) } : {}),
    });
    setSending((now) => now - 1);
    if (answer.ok) return;
    setError(answer.error);
    // A line that could not be sent is not lost, unless something new was begun.
    setText((now) => now || before.text);
    setFiles((now) => (now.length ? now : before.files));
  }

  function recall(step: number): void {
    const next = Math.max(0, Math.min(history.length, recalled + step));
    setRecalled(next);
    write(next === 0 ? '' : (history[history.length - next] ?? ''));
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.isComposing) return;
    if (list.length > 0) {
      if (event.key === 'Tab' && !event.shiftKey) {
        event.preventDefault();
        const suggestion = list[Math.max(0, keys.active)];
        if (suggestion) take(suggestion);
        return;
      }
      const isRecall = recalled > 0 && event.key.startsWith('Arrow');
      if (!isRecall && keys.onKeyDown(event)) return;
    }
    if (event.key === 'Enter' && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      void send();
    } else if (event.key === 'ArrowUp' && history.length > 0 && (text === '' || recalled > 0)) {
      event.preventDefault();
      recall(1);
    } else if (event.key === 'ArrowDown' && recalled > 0) {
      event.preventDefault();
      recall(-1);
    }
  }

  const name = thread ? 'Reply…' : `Message ${titleOf(channel)}`;
  const listId = thread ? 'suggestions-thread' : 'suggestions-main';
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping a file is a second way; the button below is the first
    <div
      class="composer-frame"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void attach(event.dataTransfer?.files);
      }}
    >
      {offered && (list.length > 0 || offered.usage) ? (
        <div class="suggestions">
          {offered.usage ? (
            <div class="suggestions-usage">
              <code>{offered.usage.line}</code>
              <span>{offered.usage.summary}</span>
            </div>
          ) : null}
          {list.length > 0 ? (
            <>
              <div class="suggestions-title">{offered.title}</div>
              <div id={listId} role="listbox" aria-label="Suggestions" class="suggestions-list" tabindex={-1}>
                {list.map((suggestion, index) => (
                  // biome-ignore lint/a11y/useFocusableInteractive: the composer keeps the focus and names the active option
                  // biome-ignore lint/a11y/useKeyWithClickEvents: as above
                  <div
                    id={`${listId}-${index}`}
                    role="option"
                    aria-selected={index === keys.active}
                    class={`suggestion ${index === keys.active ? 'active' : ''}`}
                    ref={index === keys.active ? reveal : null}
                    onPointerMove={() => keys.setActive(index)}
                    onPointerDown={(event) => event.preventDefault()}
                    onClick={() => take(suggestion)}
                  >
                    <span class="suggestion-words">
                      <b>{suggestion.words}</b> {suggestion.usage}
                    </span>
                    <span class="suggestion-summary">{suggestion.summary}</span>
                  </div>
                ))}
              </div>
              <div class="suggestions-keys" aria-hidden="true">
                <kbd>↑</kbd>
                <kbd>↓</kbd> to choose <kbd>Tab</kbd> to complete <kbd>Enter</kbd> to{' '}
                {keys.active < 0 ? 'send' : 'take'} <kbd>Esc</kbd> to close
              </div>
            </>
          ) : null}
        </div>
      ) : null}
      <div class={`composer ${isCommand ? 'is-command' : ''}`}>
        {files.length > 0 ? (
          <div class="composer-files">
            {files.map((file) => (
              <div class="file-chosen">
                <Icon name="file" size={18} />
                <span class="file-name">{file.name}</span>
                <span class="file-size">{sizeOf(file.size)}</span>
                <button
                  type="button"
                  class="icon-button"
                  aria-label={`Remove ${file.name}`}
                  onClick={() => setFiles(files.filter(({ id }) => id !== file.id))}
                >
                  <Icon name="close" size={14} />
                </button>
              </div>
            ))}
          </div>
        ) : null}
        <textarea
          ref={input}
          rows={1}
          aria-label={name}
          placeholder={name}
          value={text}
          spellcheck={!isCommand}
          autocomplete="off"
          aria-autocomplete="list"
          {...(list.length > 0 ? { 'aria-controls': listId } : {})}
          {...(keys.active >= 0 ? { 'aria-activedescendant': `${listId}-${keys.active}` } : {})}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setCaret(event.currentTarget.selectionStart ?? 0);
            setRecalled(0);
            setError('');
          }}
          onSelect={(event) => setCaret(event.currentTarget.selectionStart ?? 0)}
          onKeyDown={onKeyDown}
          onPaste={(event) => {
            if (event.clipboardData?.files.length) {
              event.preventDefault();
              void attach(event.clipboardData.files);
            }
          }}
        />
        <div class="composer-bar">
          <label class="icon-button" title="Attach a file">
            <input
              class="visually-hidden"
              type="file"
              multiple
              aria-label="Attach a file"
              onChange={(event) => {
                const element = event.currentTarget;
                void attach(element.files).then(() => {
                  element.value = '';
                });
              }}
            />
            <Icon name="plus" size={18} />
          </label>
          {thread ? null : (
            <button
              type="button"
              class="icon-button"
              aria-label="Start a slash command"
              title="Slash command"
              onClick={() => write(`${state.commands[0]?.command ?? '/'} `)}
            >
              <Icon name="slash" size={18} />
            </button>
          )}
          <button
            type="button"
            class="icon-button"
            aria-label={`Mention ${state.bot.name}`}
            title={`Mention @${state.bot.name}`}
            onClick={() => write(`${text}${text && !text.endsWith(' ') ? ' ' : ''}@${state.bot.name} `)}
          >
            <Icon name="at" size={18} />
          </button>
          <span class="composer-gap" />
          <button
            type="button"
            class={`send ${text.trim() || files.length ? 'ready' : ''}`}
            aria-label="Send"
            title="Send (Enter)"
            aria-busy={sending > 0}
            disabled={text.trim() === '' && files.length === 0}
            onClick={() => void send()}
          >
            {sending > 0 && text === '' ? <span class="spinner" /> : <Icon name="send" size={18} />}
          </button>
        </div>
      </div>
      {error ? (
        <p class="failure" role="alert">
          <Icon name="warning" size={16} /> {error}
        </p>
      ) : null}
    </div>
  );
}
