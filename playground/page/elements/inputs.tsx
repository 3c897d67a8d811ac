/** Fields that are typed into: text, number, mail, address, rich text; and dates and times. */
import { useEffect, useRef } from 'preact/hooks';
import type { UiValue } from '../../slack/ui-types.ts';
import type { ElementOf } from '../blocks/kit.ts';
import { type ElementProps, textOf, useElement } from './props.ts';

type Typed =
  | ElementOf<'plain_text_input'>
  | ElementOf<'number_input'>
  | ElementOf<'email_text_input'>
  | ElementOf<'url_text_input'>
  | ElementOf<'rich_text_input'>;

const described = ({ id, label, describedBy, invalid }: ElementProps) => ({
  ...(id ? { id } : {}),
  'aria-label': label,
  'aria-invalid': invalid ?? false,
  ...(describedBy ? { 'aria-describedby': describedBy } : {}),
});

const inputModes = {
  plain_text_input: 'text',
  rich_text_input: 'text',
  number_input: 'decimal',
  email_text_input: 'email',
  url_text_input: 'url',
} as const;

/** The inputs that are typed into. */
export function TextInput(props: ElementProps<Typed>) {
  const { element, dispatch, invalid } = props;
  const { value, put, set } = useElement(props);
  const triggers = element.dispatch_action_config?.trigger_actions_on ?? ['on_enter_pressed'];
  const isLong =
    element.type === 'rich_text_input' || (element.type === 'plain_text_input' && element.multiline === true);
  const common = {
    ...described(props),
    class: `field ${invalid ? 'invalid' : ''}`,
    placeholder: element.placeholder?.text ?? (element.type === 'url_text_input' ? 'https://' : ''),
    value: textOf(value),
    autocomplete: 'off',
    spellcheck: false,
    ...(element.type === 'plain_text_input' && element.max_length ? { maxLength: element.max_length } : {}),
    onInput(event: Event & { currentTarget: HTMLInputElement | HTMLTextAreaElement }) {
      const next: UiValue = event.currentTarget.value === '' ? null : event.currentTarget.value;
      if (dispatch && triggers.includes('on_character_entered')) void set(next);
      else put(next);
    },
    onKeyDown(event: KeyboardEvent) {
      if (event.key !== 'Enter' || event.isComposing || !dispatch || !triggers.includes('on_enter_pressed') || isLong)
        return;
      event.preventDefault();
      event.stopPropagation();
      void set(textOf(value) || null);
    },
  };
  if (isLong) return <textarea {...common} rows={element.type === 'rich_text_input' ? (element.min_lines ?? 3) : 4} />;
  // Always a text field: what is wrong with an address or a number is for the bot to say.
  return <input {...common} type="text" inputMode={inputModes[element.type]} />;
}

type Picker = ElementOf<'datepicker'> | ElementOf<'timepicker'> | ElementOf<'datetimepicker'>;

const settleMilliseconds = 700;

/** A value is told once it rests: while a year is typed, every digit makes another valid date. */
export function DatePicker(props: ElementProps<Picker>) {
  const { element, dispatch, invalid } = props;
  const { value, put, set, busy } = useElement(props);
  const waiting = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latest = useRef<UiValue>(value);
  useEffect(() => () => clearTimeout(waiting.current), []);
  const kind = element.type === 'datepicker' ? 'date' : element.type === 'timepicker' ? 'time' : 'datetime-local';

  function tell(): void {
    if (waiting.current === undefined) return;
    clearTimeout(waiting.current);
    waiting.current = undefined;
    void set(latest.current);
  }

  return (
    <input
      {...described(props)}
      class={`field picker ${invalid ? 'invalid' : ''} ${busy ? 'busy' : ''} ${value ? '' : 'empty'}`}
      type={kind}
      max={kind === 'time' ? undefined : kind === 'date' ? '9999-12-31' : '9999-12-31T23:59'}
      title={'placeholder' in element ? element.placeholder?.text : undefined}
      value={kind === 'datetime-local' ? localOf(textOf(value)) : textOf(value)}
      onInput={(event) => {
        const typed = event.currentTarget.value;
        latest.current =
          typed === ''
            ? null
            : kind === 'datetime-local'
              ? String(Math.floor(new Date(typed).getTime() / 1000))
              : typed;
        put(latest.current);
        if (!dispatch) return;
        clearTimeout(waiting.current);
        waiting.current = setTimeout(tell, settleMilliseconds);
      }}
      onBlur={tell}
      onKeyDown={(event) => {
        if (event.key !== 'Enter') return;
        event.preventDefault();
        tell();
      }}
    />
  );
}

/** Unix seconds as the browser's own `YYYY-MM-DDTHH:mm` in its time zone. */
function localOf(seconds: string): string {
  if (seconds === '') return '';
  const date = new Date(Number(seconds) * 1000);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
