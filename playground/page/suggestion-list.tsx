/** The suggestions over the composer, and the one command that is being typed. */
import { reveal } from './elements/keys.ts';
import type { Offer, Suggestion } from './suggestions.ts';

interface SuggestionListProps {
  id: string;
  offer: Offer;
  /** The index of the active suggestion; -1 for none. */
  active: number;
  setActive(index: number): void;
  take(suggestion: Suggestion): void;
}

/** The suggestions that are offered. */
export function SuggestionList({ id, offer, active, setActive, take }: SuggestionListProps) {
  const { list, usage, title } = offer;
  return (
    <div class="suggestions">
      {usage ? (
        <div class="suggestions-usage">
          <code>{usage.line}</code>
          <span>{usage.summary}</span>
        </div>
      ) : null}
      {list.length > 0 ? (
        <>
          <div class="suggestions-title">{title}</div>
          <div id={id} role="listbox" aria-label="Suggestions" class="suggestions-list" tabindex={-1}>
            {list.map((suggestion, index) => (
              // biome-ignore lint/a11y/useFocusableInteractive: the composer keeps the focus and names the active option
              // biome-ignore lint/a11y/useKeyWithClickEvents: as above
              <div
                id={`${id}-${index}`}
                role="option"
                aria-selected={index === active}
                class={`suggestion ${index === active ? 'active' : ''}`}
                ref={index === active ? reveal : null}
                onPointerMove={() => setActive(index)}
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
            <kbd>↓</kbd> to choose <kbd>Tab</kbd> to complete <kbd>Enter</kbd> to {active < 0 ? 'send' : 'take'}{' '}
            <kbd>Esc</kbd> to close
          </div>
        </>
      ) : null}
    </div>
  );
}
