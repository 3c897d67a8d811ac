/** Checkboxes and radio buttons. */
import { useId } from 'preact/hooks';
import type { UiText } from '../../slack/ui-types.ts';
import { type ElementOf, optionsOf } from '../blocks/kit.ts';
import { Mrkdwn, PlainText } from '../text/mrkdwn.tsx';
import { type ElementProps, listOf, useElement } from './props.ts';

const Words = ({ text }: { text: UiText }) =>
  text.type === 'mrkdwn' ? <Mrkdwn text={text.text} /> : <PlainText text={text.text} />;

/** The `checkboxes` and `radio_buttons` elements. */
export function Choices(props: ElementProps<ElementOf<'checkboxes'> | ElementOf<'radio_buttons'>>) {
  const { element, label, describedBy } = props;
  const { value, set } = useElement(props);
  const group = useId();
  const isMany = element.type === 'checkboxes';
  const chosen = listOf(value);

  function toggle(option: string, checked: boolean): void {
    if (!isMany) void set(option);
    else void set(checked ? [...chosen, option] : chosen.filter((each) => each !== option));
  }

  return (
    <fieldset class="choices" aria-label={label} {...(describedBy ? { 'aria-describedby': describedBy } : {})}>
      {optionsOf(element).options.map((option) => (
        <label class="choice">
          <input
            type={isMany ? 'checkbox' : 'radio'}
            name={group}
            checked={chosen.includes(option.value)}
            onChange={(event) => toggle(option.value, event.currentTarget.checked)}
          />
          <span>
            <Words text={option.text} />
            {option.description ? (
              <small>
                <Words text={option.description} />
              </small>
            ) : null}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
