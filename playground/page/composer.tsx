/** The composer, where a person types: messages, slash commands with suggestions, mentions, files. */
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import type { UiChannel } from '../slack/ui-types.ts';
import { type Draft, useDraft } from './draft.ts';
import { useListKeys } from './elements/keys.ts';
import { ChosenFile } from './files.tsx';
import { Icon } from './icons.tsx';
import { SuggestionList } from './suggestion-list.tsx';
import { type Offer, type Suggestion, suggestionsFor } from './suggestions.ts';
import { titleOf, useUiState } from './workspace.ts';

interface ComposerProps {
  channel: UiChannel;
  thread?: string;
  /** Takes the focus when it is first drawn. */
  focused?: boolean;
  onSent?(): void;
}

/** The page's own way to put a line into the composer: the chips of things to try. */
export const tryEvent = 'edgewise-try';

const tallest = 240;

/** The composer of a conversation or a thread. */
export function Composer({ channel, thread, focused = false, onSent }: ComposerProps) {
  const draft = useDraft({ channel, thread, onSent });
  const { text, files, error } = draft;
  const { offer, keys, take } = useSuggestions(draft, thread !== undefined);
  const listId = thread ? 'suggestions-thread' : 'suggestions-main';
  useInputLayout(draft, `${channel.id} ${thread ?? ''}`, focused);

  useEffect(() => {
    if (thread) return undefined;
    const write = (event: Event) => draft.write((event as CustomEvent<string>).detail);
    addEventListener(tryEvent, write);
    return () => removeEventListener(tryEvent, write);
  }, [thread]);

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping a file is a second way; the button below is the first
    <div
      class="composer-frame"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void draft.attach(event.dataTransfer?.files);
      }}
    >
      {offer && (offer.list.length > 0 || offer.usage) ? (
        <SuggestionList id={listId} offer={offer} active={keys.active} setActive={keys.setActive} take={take} />
      ) : null}
      <div class={`composer ${text.startsWith('/') && !thread ? 'is-command' : ''}`}>
        {files.length > 0 ? (
          <div class="composer-files">
            {files.map((file) => (
              <ChosenFile name={file.name} size={file.size} remove={() => draft.detach(file.id)} />
            ))}
          </div>
        ) : null}
        <Input
          draft={draft}
          name={thread ? 'Reply…' : `Message ${titleOf(channel)}`}
          isCommand={text.startsWith('/') && !thread}
          listId={offer && offer.list.length > 0 ? listId : undefined}
          active={keys.active}
          onKeyDown={(event) => {
            if (!event.isComposing && !keys.onKeyDown(event)) sendOrRecall(draft, event);
          }}
        />
        <Bar draft={draft} inThread={thread !== undefined} />
      </div>
      {error ? (
        <p class="failure" role="alert">
          <Icon name="warning" size={16} /> {error}
        </p>
      ) : null}
    </div>
  );
}

interface Suggestions {
  offer: Offer | undefined;
  keys: { active: number; setActive(index: number): void; onKeyDown(event: KeyboardEvent): boolean };
  take(suggestion: Suggestion): void;
}

/** The suggestions for the draft; Tab takes one, arrows choose, Escape puts them away until the text changes. */
function useSuggestions(draft: Draft, isThread: boolean): Suggestions {
  const state = useUiState();
  const { text, caret, recalled } = draft;
  const [dismissed, setDismissed] = useState('');
  const offer = dismissed === text ? undefined : suggestionsFor({ text, caret, thread: isThread, state });
  const list = offer?.list ?? [];
  const first = offer?.eager ? 0 : -1;

  function take({ from, to, insert }: Suggestion): void {
    draft.write(text.slice(0, from) + insert + text.slice(to), from + insert.length);
  }

  const keys = useListKeys(
    list.length,
    (index) => list[index] && take(list[index]),
    () => setDismissed(text),
    first,
  );

  // Another list begins at its beginning, before the next key is looked at.
  useLayoutEffect(() => keys.setActive(first), [text]);

  function onKeyDown(event: KeyboardEvent): boolean {
    if (list.length === 0) return false;
    if (event.key === 'Tab' && !event.shiftKey) {
      event.preventDefault();
      const suggestion = list[Math.max(0, keys.active)];
      if (suggestion) take(suggestion);
      return true;
    }
    const isRecall = recalled > 0 && event.key.startsWith('Arrow');
    return !isRecall && keys.onKeyDown(event);
  }

  return { offer, keys: { active: keys.active, setActive: keys.setActive, onKeyDown }, take };
}

function sendOrRecall(draft: Draft, event: KeyboardEvent): void {
  if (event.key === 'Enter' && !event.shiftKey && !event.altKey) {
    event.preventDefault();
    void draft.send();
  } else if (event.key === 'ArrowUp' || event.key === 'ArrowDown') {
    if (draft.recall(event.key === 'ArrowUp' ? 1 : -1)) event.preventDefault();
  }
}

/** Gives the input the focus in a new conversation, and the height of its text. */
function useInputLayout({ input, text }: Draft, conversation: string, isFocused: boolean): void {
  useLayoutEffect(() => {
    if (isFocused && innerWidth > 480) input.current?.focus();
  }, [conversation]);

  useLayoutEffect(() => {
    const element = input.current;
    if (!element) return;
    element.style.height = 'auto';
    element.style.height = `${Math.min(element.scrollHeight, tallest)}px`;
  }, [text]);
}

interface InputProps {
  draft: Draft;
  name: string;
  isCommand: boolean;
  /** The list of suggestions, when there is one. */
  listId: string | undefined;
  active: number;
  onKeyDown(event: KeyboardEvent): void;
}

function Input({ draft, name, isCommand, listId, active, onKeyDown }: InputProps) {
  return (
    <textarea
      ref={draft.input}
      rows={1}
      aria-label={name}
      placeholder={name}
      value={draft.text}
      spellcheck={!isCommand}
      autocomplete="off"
      aria-autocomplete="list"
      {...(listId ? { 'aria-controls': listId } : {})}
      {...(active >= 0 ? { 'aria-activedescendant': `${listId}-${active}` } : {})}
      onInput={({ currentTarget: { value, selectionStart } }) => draft.type(value, selectionStart ?? 0)}
      onSelect={(event) => draft.setCaret(event.currentTarget.selectionStart ?? 0)}
      onKeyDown={onKeyDown}
      onPaste={(event) => {
        if (event.clipboardData?.files.length) {
          event.preventDefault();
          void draft.attach(event.clipboardData.files);
        }
      }}
    />
  );
}

/** The buttons under the line: attach, slash command, mention, send. */
function Bar({ draft, inThread }: { draft: Draft; inThread: boolean }) {
  const { commands, bot } = useUiState();
  const { text, files, sending } = draft;
  const isReady = text.trim() !== '' || files.length > 0;
  return (
    <div class="composer-bar">
      <label class="icon-button" title="Attach a file">
        <input
          class="visually-hidden"
          type="file"
          multiple
          aria-label="Attach a file"
          onChange={(event) => {
            const element = event.currentTarget;
            void draft.attach(element.files).then(() => {
              element.value = '';
            });
          }}
        />
        <Icon name="plus" size={18} />
      </label>
      {inThread ? null : (
        <button
          type="button"
          class="icon-button"
          aria-label="Start a slash command"
          title="Slash command"
          onClick={() => draft.write(`${commands[0]?.command ?? '/'} `)}
        >
          <Icon name="slash" size={18} />
        </button>
      )}
      <button
        type="button"
        class="icon-button"
        aria-label={`Mention ${bot.name}`}
        title={`Mention @${bot.name}`}
        onClick={() => draft.write(`${text}${text && !text.endsWith(' ') ? ' ' : ''}@${bot.name} `)}
      >
        <Icon name="at" size={18} />
      </button>
      <span class="composer-gap" />
      <button
        type="button"
        class={`send ${isReady ? 'ready' : ''}`}
        aria-label="Send"
        title="Send (Enter)"
        aria-busy={sending > 0}
        disabled={!isReady}
        onClick={() => void draft.send()}
      >
        {sending > 0 && text === '' ? <span class="spinner" /> : <Icon name="send" size={18} />}
      </button>
    </div>
  );
}
