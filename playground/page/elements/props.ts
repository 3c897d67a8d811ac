import type { ConfirmationDialog } from '@slack/types';
import type { UiValue } from '../../slack/ui-types.ts';
import { actionOf, confirmOf, type Element, initialOf } from '../blocks/kit.ts';
import { useAsk } from '../confirm.tsx';
import { type Form, keyOf, useForm } from '../form.ts';

/** The properties of every drawn element. */
export interface ElementProps<E extends Element = Element> {
  element: E;
  block: string;
  /** Its name for somebody who cannot see where it stands. */
  label: string;
  /** The id that an input block's label points to. */
  id?: string | undefined;
  /** The id of the hint or error that describes it. */
  describedBy?: string | undefined;
  invalid?: boolean;
  /** True when the bot hears of its use at once. */
  dispatch: boolean;
}

interface Use {
  form: Form;
  value: UiValue;
  busy: boolean;
  /** Keeps a value, and tells the bot when this element does that; after its confirm dialog said yes. */
  set(value: UiValue): Promise<void>;
  /** Keeps a value while it is still being typed. */
  put(value: UiValue): void;
  press(): Promise<void>;
}

/** The value of an element in its form, and the ways to change it. */
export function useElement({ element, block, dispatch }: ElementProps): Use {
  const form = useForm();
  const ask = useAsk();
  const action = actionOf(element);
  const question: ConfirmationDialog | undefined = confirmOf(element);
  const held = form.valueOf(block, action);
  return {
    form,
    value: held === undefined ? initialOf(element) : held,
    busy: form.busy === keyOf(block, action),
    put: (value) => form.put(block, action, value),
    async set(value) {
      if (!(await ask(question))) return;
      if (dispatch) await form.choose(block, action, value, element.type !== 'overflow');
      else form.put(block, action, value);
    },
    async press() {
      if (await ask(question)) await form.press(block, action);
    },
  };
}

/** The value as one text; nothing is the empty text. */
export const textOf = (value: UiValue): string => (Array.isArray(value) ? (value[0] ?? '') : (value ?? ''));

/** The value as a list; nothing is the empty list. */
export const listOf = (value: UiValue): string[] => (Array.isArray(value) ? value : value ? [value] : []);
