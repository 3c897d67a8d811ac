/** All selects, single and multiple: static, external, people, channels, conversations. */
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { UiOption, UiOptionGroup } from '../../slack/ui-types.ts';
import { actionOf, type Element, optionsOf } from '../blocks/kit.ts';
import { type Directory, useDirectory } from '../directory.ts';
import { Icon } from '../icons.tsx';
import { PlainText } from '../text/mrkdwn.tsx';
import { reveal, useListKeys } from './keys.ts';
import { Popover } from './popover.tsx';
import { type ElementProps, listOf, useElement } from './props.ts';

const typingPause = 150;

const optionFor = (value: string, text: string): UiOption => ({ value, text: { type: 'plain_text', text } });

/** The options that a select of people or places offers, from what the person can see. */
function directoryOptions(element: Element, directory: Directory): UiOption[] | undefined {
  if (element.type.endsWith('users_select'))
    return [...directory.users.values()].map((user) => optionFor(user.id, `${user.realName} @${user.name}`));
  const channels = [...directory.channels.values()];
  if (element.type.endsWith('channels_select'))
    return channels
      .filter(({ kind }) => kind === 'channel')
      .map((channel) => optionFor(channel.id, `#${channel.name}`));
  if (element.type.endsWith('conversations_select'))
    return channels.map((channel) => optionFor(channel.id, channel.kind === 'dm' ? channel.name : `#${channel.name}`));
  return undefined;
}

const matches = (option: UiOption, query: string) =>
  query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => `${option.text.text} ${option.description?.text ?? ''}`.toLowerCase().includes(word));

// Options that external selects once offered: a value alone does not say how it is called.
const seenOptions = new Map<string, UiOption>();

export function Select(props: ElementProps) {
  const { element, block, label, id, describedBy, invalid } = props;
  const directory = useDirectory();
  const { form, value, busy, set } = useElement(props);
  const anchor = useRef<HTMLDivElement>(null);
  const trigger = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const isMulti = element.type.startsWith('multi_');
  const isExternal = element.type.endsWith('external_select');
  const chosen = listOf(value);
  const own = optionsOf(element);
  const fixed = directoryOptions(element, directory) ?? own.options;
  const initial = initialOptionsOf(element);
  const everything = [...fixed, ...own.groups.flatMap(({ options }) => options), ...initial];
  const remembered = (each: string) => seenOptions.get(`${block}/${actionOf(element)}/${each}`);
  const labelOf = (each: string) =>
    everything.find((option) => option.value === each)?.text.text ?? remembered(each)?.text.text ?? each;
  const most = 'max_selected_items' in element ? (element.max_selected_items ?? Infinity) : Infinity;
  const placeholder =
    ('placeholder' in element ? element.placeholder?.text : undefined) ??
    (isMulti ? 'Choose options' : 'Choose an option');

  function pick(option: UiOption): void {
    seenOptions.set(`${block}/${actionOf(element)}/${option.value}`, option);
    if (!isMulti) {
      setOpen(false);
      trigger.current?.focus();
      void set(option.value);
    } else if (chosen.includes(option.value)) void set(chosen.filter((each) => each !== option.value));
    else if (chosen.length < most) void set([...chosen, option.value]);
  }

  function close(): void {
    setOpen(false);
    trigger.current?.focus();
  }

  return (
    <div ref={anchor} class={`select ${isMulti ? 'multi' : ''} ${invalid ? 'invalid' : ''} ${busy ? 'busy' : ''}`}>
      {isMulti
        ? chosen.map((each) => (
            <span class="chip">
              <PlainText text={labelOf(each)} />
              <button
                type="button"
                aria-label={`Remove ${labelOf(each)}`}
                onClick={() => void set(chosen.filter((other) => other !== each))}
              >
                <Icon name="close" size={12} />
              </button>
            </span>
          ))
        : null}
      <button
        ref={trigger}
        type="button"
        id={id}
        class="select-trigger"
        role="combobox"
        aria-label={label}
        aria-haspopup="listbox"
        aria-expanded={isOpen}
        aria-invalid={invalid ?? false}
        {...(describedBy ? { 'aria-describedby': describedBy } : {})}
        onClick={() => setOpen(!isOpen)}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
            event.preventDefault();
            setOpen(true);
          }
        }}
      >
        <span class={!isMulti && chosen[0] ? 'select-value' : 'select-value placeholder'}>
          <PlainText text={!isMulti && chosen[0] ? labelOf(chosen[0]) : placeholder} />
        </span>
        <Icon name="down" size={14} />
      </button>
      {!isMulti && chosen[0] && form.surface === 'modal' ? (
        <button type="button" class="select-clear" aria-label={`Clear ${label}`} onClick={() => void set(null)}>
          <Icon name="close" size={12} />
        </button>
      ) : null}
      {isOpen ? (
        <Popover anchor={anchor} fit onClose={() => setOpen(false)}>
          <OptionList
            label={label}
            options={fixed}
            groups={own.groups}
            chosen={chosen}
            isMulti={isMulti}
            pick={pick}
            close={close}
            {...(isExternal
              ? {
                  least: 'min_query_length' in element ? (element.min_query_length ?? 3) : 3,
                  search: (query: string) => form.suggest(block, actionOf(element), query),
                }
              : {})}
          />
        </Popover>
      ) : null}
    </div>
  );
}

function initialOptionsOf(element: Element): UiOption[] {
  const many = 'initial_options' in element ? (element.initial_options ?? []) : [];
  const one = 'initial_option' in element && element.initial_option ? [element.initial_option] : [];
  return [...many, ...one].flatMap((option) =>
    option.value === undefined ? [] : [{ ...option, value: option.value } as UiOption],
  );
}

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
  search?(
    query: string,
  ): Promise<{ ok: true; options: UiOption[]; groups: UiOptionGroup[] } | { ok: false; error: string }>;
}

function OptionList({ label, options, groups, chosen, isMulti, pick, close, least = 0, search }: OptionListProps) {
  const listId = useId();
  const [query, setQuery] = useState('');
  const [found, setFound] = useState<{ query: string; options: UiOption[]; groups: UiOptionGroup[] }>();
  const [error, setError] = useState('');
  const isShort = search !== undefined && query.length < least;
  const isLoading = search !== undefined && !isShort && !error && found?.query !== query;

  // only what is typed asks again
  useEffect(() => {
    if (!search || isShort) return undefined;
    let stale = false;
    const timer = setTimeout(
      async () => {
        const answer = await search(query);
        if (stale) return;
        setError(answer.ok ? '' : answer.error);
        setFound({ query, options: answer.ok ? answer.options : [], groups: answer.ok ? answer.groups : [] });
      },
      query ? typingPause : 0,
    );
    return () => {
      stale = true;
      clearTimeout(timer);
    };
  }, [query, isShort]);

  const sections: { title: string; options: UiOption[] }[] = search
    ? [
        { title: '', options: found?.options ?? [] },
        ...(found?.groups ?? []).map((group) => ({ title: group.label.text, options: group.options })),
      ]
    : [{ title: '', options }, ...groups.map((group) => ({ title: group.label.text, options: group.options }))].map(
        (section) => ({
          ...section,
          options: section.options.filter((option) => matches(option, query)),
        }),
      );
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
          {...(flat[keys.active] ? { 'aria-activedescendant': `${listId}-${keys.active}` } : {})}
          autocomplete="off"
          placeholder="Search"
          value={query}
          onInput={(event) => {
            setQuery(event.currentTarget.value);
            keys.setActive(0);
          }}
          onKeyDown={(event) => {
            keys.onKeyDown(event);
          }}
        />
      </div>
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
                const isChosen = chosen.includes(option.value);
                return (
                  // biome-ignore lint/a11y/useFocusableInteractive: the search field keeps the focus and names the active option
                  // biome-ignore lint/a11y/useKeyWithClickEvents: as above
                  <div
                    id={`${listId}-${index}`}
                    role="option"
                    aria-selected={isChosen}
                    class={`option ${index === keys.active ? 'active' : ''}`}
                    ref={index === keys.active ? reveal : null}
                    onPointerMove={() => keys.setActive(index)}
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
              })}
            </>
          ),
        )}
        {isShort ? (
          <p class="options-note">Type {least === 1 ? 'a character' : `${least} characters`} to search</p>
        ) : isLoading && flat.length === 0 ? (
          <p class="options-note loading">Loading</p>
        ) : error ? (
          <p class="options-note error">{error}</p>
        ) : flat.length === 0 ? (
          <p class="options-note">No results</p>
        ) : null}
      </div>
    </div>
  );
}
