/** All selects, single and multiple: static, external, people, channels, conversations. */
import type { RefObject } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { UiOption } from '../../slack/ui-types.ts';
import { actionOf, type Element, optionsOf } from '../blocks/kit.ts';
import { type Directory, useDirectory } from '../directory.ts';
import { Icon } from '../icons.tsx';
import { PlainText } from '../text/mrkdwn.tsx';
import { OptionList } from './option-list.tsx';
import { Popover } from './popover.tsx';
import { type ElementProps, listOf, useElement } from './props.ts';

const optionFor = (value: string, text: string): UiOption => ({ value, text: { type: 'plain_text', text } });

/** The options of a select of people, channels or conversations: those that the person can see. */
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

// Options that external selects once offered: a value alone does not say how it is called.
const seenOptions = new Map<string, UiOption>();

/** A select with the options that are chosen. */
export function Select(props: ElementProps) {
  const { element, block, label, invalid } = props;
  const { form, value, busy, set } = useElement(props);
  const anchor = useRef<HTMLDivElement>(null);
  const trigger = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const { fixed, groups, labelOf } = useOptions(element, block);
  const isMulti = element.type.startsWith('multi_');
  const chosen = listOf(value);
  const most = 'max_selected_items' in element ? (element.max_selected_items ?? Infinity) : Infinity;

  function pick(option: UiOption): void {
    seenOptions.set(`${block}/${actionOf(element)}/${option.value}`, option);
    if (!isMulti) {
      close();
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
            <Chip text={labelOf(each)} remove={() => void set(chosen.filter((other) => other !== each))} />
          ))
        : null}
      <Trigger
        {...props}
        button={trigger}
        shown={!isMulti && chosen[0] ? labelOf(chosen[0]) : undefined}
        isOpen={isOpen}
        setOpen={setOpen}
      />
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
            groups={groups}
            chosen={chosen}
            isMulti={isMulti}
            pick={pick}
            close={close}
            {...(element.type.endsWith('external_select')
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

/** The options that an element has before anybody searches, and how each value is called. */
function useOptions(element: Element, block: string) {
  const directory = useDirectory();
  const { options, groups } = optionsOf(element);
  const fixed = directoryOptions(element, directory) ?? options;
  const known = [...fixed, ...groups.flatMap((group) => group.options), ...initialOptionsOf(element)];
  const labelOf = (value: string): string => {
    const option =
      known.find((each) => each.value === value) ?? seenOptions.get(`${block}/${actionOf(element)}/${value}`);
    return option?.text.text ?? value;
  };
  return { fixed, groups, labelOf };
}

function initialOptionsOf(element: Element): UiOption[] {
  const many = 'initial_options' in element ? (element.initial_options ?? []) : [];
  const one = 'initial_option' in element && element.initial_option ? [element.initial_option] : [];
  return [...many, ...one].flatMap((option) =>
    option.value === undefined ? [] : [{ ...option, value: option.value } as UiOption],
  );
}

function Chip({ text, remove }: { text: string; remove(): void }) {
  return (
    <span class="chip">
      <PlainText text={text} />
      <button type="button" aria-label={`Remove ${text}`} onClick={remove}>
        <Icon name="close" size={12} />
      </button>
    </span>
  );
}

interface TriggerProps extends ElementProps {
  button: RefObject<HTMLButtonElement | null>;
  /** The label of the option that is chosen; its placeholder is shown without one. */
  shown: string | undefined;
  isOpen: boolean;
  setOpen(isOpen: boolean): void;
}

/** The button that opens the list. */
function Trigger({ element, id, label, describedBy, invalid, button, shown, isOpen, setOpen }: TriggerProps) {
  const placeholder =
    ('placeholder' in element ? element.placeholder?.text : undefined) ??
    (element.type.startsWith('multi_') ? 'Choose options' : 'Choose an option');
  return (
    <button
      ref={button}
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
      <span class={shown === undefined ? 'select-value placeholder' : 'select-value'}>
        <PlainText text={shown ?? placeholder} />
      </span>
      <Icon name="down" size={14} />
    </button>
  );
}
