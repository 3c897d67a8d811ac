/** Buttons, icon buttons, feedback buttons and the overflow menu. */
import { useRef, useState } from 'preact/hooks';
import type { UiOption } from '../../slack/ui-types.ts';
import { type ElementOf, optionsOf } from '../blocks/kit.ts';
import { Icon } from '../icons.tsx';
import { PlainText, safeUrl } from '../text/mrkdwn.tsx';
import { useListKeys } from './keys.ts';
import { Popover } from './popover.tsx';
import { type ElementProps, useElement } from './props.ts';

const openLink = (url: string | undefined) => {
  if (url && safeUrl(url)) open(url, '_blank', 'noopener,noreferrer');
};

/** The `button` and `workflow_button` elements. */
export function Button(props: ElementProps<ElementOf<'button'> | ElementOf<'workflow_button'>>) {
  const { element } = props;
  const { busy, press } = useElement(props);
  return (
    <button
      type="button"
      class={`button ${element.style ?? ''} ${busy ? 'busy' : ''}`}
      aria-busy={busy}
      {...(element.accessibility_label ? { 'aria-label': element.accessibility_label } : {})}
      onClick={() => {
        if (element.type === 'button') openLink(element.url);
        if (!busy) void press();
      }}
    >
      <span class="button-label">
        <PlainText text={element.text.text} />
      </span>
    </button>
  );
}

/** The `icon_button` element. */
export function IconButton(props: ElementProps<ElementOf<'icon_button'>>) {
  const { element } = props;
  const { busy, press } = useElement(props);
  return (
    <button
      type="button"
      class="icon-button bordered"
      aria-label={element.accessibility_label ?? element.text.text}
      title={element.text.text}
      aria-busy={busy}
      onClick={() => void press()}
    >
      <Icon name={element.icon === 'trash' ? 'trash' : 'more'} size={16} />
    </button>
  );
}

/** The `feedback_buttons` element. */
export function FeedbackButtons(props: ElementProps<ElementOf<'feedback_buttons'>>) {
  const { element } = props;
  const { value, set } = useElement(props);
  return (
    <fieldset class="feedback" aria-label="Feedback">
      {(['positive', 'negative'] as const).map((kind) => {
        const button = kind === 'positive' ? element.positive_button : element.negative_button;
        return (
          <button
            type="button"
            class="icon-button bordered"
            aria-label={button.accessibility_label ?? button.text.text}
            title={button.text.text}
            aria-pressed={value === button.value}
            onClick={() => void set(button.value)}
          >
            <Icon name={kind === 'positive' ? 'thumbs-up' : 'thumbs-down'} size={16} />
          </button>
        );
      })}
    </fieldset>
  );
}

/** The `overflow` element: a menu behind three dots. */
export function Overflow(props: ElementProps<ElementOf<'overflow'>>) {
  const anchor = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const { busy, set } = useElement(props);
  const { options } = optionsOf(props.element);

  function pick(option: UiOption | undefined): void {
    setOpen(false);
    anchor.current?.focus();
    if (!option) return;
    openLink(option.url);
    void set(option.value);
  }

  return (
    <>
      <button
        ref={anchor}
        type="button"
        class={`icon-button bordered ${busy ? 'busy' : ''}`}
        aria-label="More actions"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-busy={busy}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="more" size={18} />
      </button>
      {isOpen ? (
        <Popover anchor={anchor} align="end" onClose={() => setOpen(false)}>
          <Menu label="More actions" options={options} pick={pick} close={() => pick(undefined)} />
        </Popover>
      ) : null}
    </>
  );
}

/** A menu whose items are `options`; takes the focus when it opens. */
export function Menu(props: { label: string; options: UiOption[]; pick(option: UiOption): void; close(): void }) {
  const { label, options, pick, close } = props;
  const keys = useListKeys(options.length, (index) => options[index] && pick(options[index]), close);
  return (
    <div
      class="menu"
      role="menu"
      aria-label={label}
      tabindex={-1}
      onKeyDown={(event) => {
        keys.onKeyDown(event);
      }}
    >
      {options.map((option, index) => (
        <button
          type="button"
          role="menuitem"
          class={`menu-item ${index === keys.active ? 'active' : ''}`}
          tabindex={index === keys.active ? 0 : -1}
          ref={(element) => {
            if (index === keys.active) element?.focus();
          }}
          onPointerMove={() => keys.setActive(index)}
          onClick={() => pick(option)}
        >
          <span>
            <PlainText text={option.text.text} />
          </span>
          {option.description ? (
            <small>
              <PlainText text={option.description.text} />
            </small>
          ) : null}
        </button>
      ))}
    </div>
  );
}
