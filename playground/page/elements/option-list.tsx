/** The open list of a select: a search field, and the options that match. */
import { useEffect, useId, useState } from 'preact/hooks';
import type { UiOption, UiOptionGroup } from '../../slack/ui-types.ts';
import { Icon } from '../icons.tsx';
import { PlainText } from '../text/mrkdwn.tsx';
import { reveal, useListKeys } from './keys.ts';

const typingPause = 150;

interface OptionListProps {
  label: string;
  options: UiOption[];
  groups: UiOptionGroup[];
  chosen: string[];
  isMulti: boolean;
  pick(option: UiOption): void;
  close(): void;
  /** Characters before an external source is asked. */
  least?: number;
  search?: Search;
}

type Search = (
  query: string,
) => Promise<{ ok: true; options: UiOption[]; groups: UiOptionGroup[] } | { ok: false; error: string }>;

/** The list with its search field. */
export function OptionList(props: OptionListProps) {
  const { label, chosen, isMulti, pick, close, least = 0, search } = props;
  const listId = useId();
  const [query, setQuery] = useState('');
  const isShort = search !== undefined && query.length < least;
  const { found, error, isLoading } = useSearch(search, query, isShort);
  const sections = search ? sectionsOf(found?.options ?? [], found?.groups ?? []) : matching(props, query);
  const flat = isShort ? [] : sections.flatMap((section) => section.options);
  const keys = useListKeys(
    flat.length,
    (index) => flat[index] && pick(flat[index]),
    close,
    Math.max(
      0,
      flat.findIndex(({ value }) => value === chosen[0]),
    ),
  );

  return (
    <div class="options">
      <SearchField
        label={label}
        listId={listId}
        active={flat[keys.active] ? keys.active : undefined}
        query={query}
        searchFor={(words) => {
          setQuery(words);
          keys.setActive(0);
        }}
        onKeyDown={keys.onKeyDown}
      />
      <div
        id={listId}
        role="listbox"
        aria-label={label}
        aria-multiselectable={isMulti}
        class="options-list"
        tabindex={-1}
      >
        {sections.map((section) =>
          section.options.length === 0 || isShort ? null : (
            <>
              {section.title ? <div class="options-title">{section.title}</div> : null}
              {section.options.map((option) => {
                const index = flat.indexOf(option);
                return (
                  <Option
                    id={`${listId}-${index}`}
                    option={option}
                    isChosen={chosen.includes(option.value)}
                    isActive={index === keys.active}
                    activate={() => keys.setActive(index)}
                    pick={pick}
                  />
                );
              })}
            </>
          ),
        )}
        {isShort ? (
          <p class="options-note">Type {least === 1 ? 'a character' : `${least} characters`} to search</p>
        ) : (
          <Note count={flat.length} isLoading={isLoading} error={error} />
        )}
      </div>
    </div>
  );
}

interface Section {
  title: string;
  options: UiOption[];
}

function sectionsOf(options: UiOption[], groups: UiOptionGroup[]): Section[] {
  return [{ title: '', options }, ...groups.map((group) => ({ title: group.label.text, options: group.options }))];
}

/** The element's own options that have every word of the query. */
function matching({ options, groups }: OptionListProps, query: string): Section[] {
  const words = query.toLowerCase().split(/\s+/);
  const matches = ({ text, description }: UiOption) =>
    words.every((word) => `${text.text} ${description?.text ?? ''}`.toLowerCase().includes(word));
  return sectionsOf(options, groups).map((section) => ({ ...section, options: section.options.filter(matches) }));
}

/** The options that an external source has for the query; only what is typed asks again. */
function useSearch(search: Search | undefined, query: string, isShort: boolean) {
  const [found, setFound] = useState<{ query: string; options: UiOption[]; groups: UiOptionGroup[] }>();
  const [error, setError] = useState('');

  useEffect(() => {
    if (!search || isShort) return undefined;
    let isStale = false;
    const timer = setTimeout(
      async () => {
        const answer = await search(query);
        if (isStale) return;
        setError(answer.ok ? '' : answer.error);
        setFound({ query, options: answer.ok ? answer.options : [], groups: answer.ok ? answer.groups : [] });
      },
      query ? typingPause : 0,
    );
    return () => {
      isStale = true;
      clearTimeout(timer);
    };
  }, [query, isShort]);

  return { found, error, isLoading: search !== undefined && !error && found?.query !== query };
}

interface SearchFieldProps {
  label: string;
  listId: string;
  /** The index of the active option. */
  active: number | undefined;
  query: string;
  searchFor(words: string): void;
  onKeyDown(event: KeyboardEvent): void;
}

function SearchField({ label, listId, active, query, searchFor, onKeyDown }: SearchFieldProps) {
  return (
    <div class="options-search">
      <Icon name="search" size={14} />
      <input
        // the list was just opened by the person
        autofocus
        ref={(input) => {
          if (input && !input.dataset.focused) {
            input.dataset.focused = 'yes';
            requestAnimationFrame(() => input.focus());
          }
        }}
        type="text"
        role="combobox"
        aria-label={`Search ${label}`}
        aria-expanded="true"
        aria-controls={listId}
        {...(active === undefined ? {} : { 'aria-activedescendant': `${listId}-${active}` })}
        autocomplete="off"
        placeholder="Search"
        value={query}
        onInput={(event) => searchFor(event.currentTarget.value)}
        onKeyDown={(event) => onKeyDown(event)}
      />
    </div>
  );
}

interface OptionProps {
  id: string;
  option: UiOption;
  isChosen: boolean;
  isActive: boolean;
  activate(): void;
  pick(option: UiOption): void;
}

function Option({ id, option, isChosen, isActive, activate, pick }: OptionProps) {
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the search field keeps the focus and names the active option
    // biome-ignore lint/a11y/useKeyWithClickEvents: as above
    <div
      id={id}
      role="option"
      aria-selected={isChosen}
      class={`option ${isActive ? 'active' : ''}`}
      ref={isActive ? reveal : null}
      onPointerMove={activate}
      onClick={() => pick(option)}
    >
      <span class="option-check">{isChosen ? <Icon name="check" size={14} /> : null}</span>
      <span class="option-text">
        <PlainText text={option.text.text} />
        {option.description ? (
          <small>
            <PlainText text={option.description.text} />
          </small>
        ) : null}
      </span>
    </div>
  );
}

/** Says why there is no option. */
function Note({ count, isLoading, error }: { count: number; isLoading: boolean; error: string }) {
  if (isLoading && count === 0) return <p class="options-note loading">Loading</p>;
  if (error) return <p class="options-note error">{error}</p>;
  return count === 0 ? <p class="options-note">No results</p> : null;
}
