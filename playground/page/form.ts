/** The form of a message or a view, for the elements drawn in it: their values, and what happens when they are used. */
import { createContext } from 'preact';
import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import type { UiAnswer, UiContainer, UiSuggestAnswer, UiValue, UiValues } from '../slack/ui-types.ts';
import { click, select, suggest } from './calls.ts';

/** The values of a message or a view, and the ways to use its elements. */
export interface Form {
  surface: 'message' | 'modal' | 'home';
  valueOf(block: string, action: string): UiValue | undefined;
  /** Keeps a value; tells nobody. */
  put(block: string, action: string, value: UiValue): void;
  press(block: string, action: string): Promise<void>;
  /** Keeps a value and tells the bot. An overflow menu keeps nothing. */
  choose(block: string, action: string, value: UiValue, keep?: boolean): Promise<void>;
  suggest(block: string, action: string, query: string): Promise<UiSuggestAnswer>;
  /** The bot's complaint about an input block. */
  errorOf(block: string): string | undefined;
  /** `block/action` of what was pressed and is not acked yet. */
  busy: string | undefined;
  /** Why the last press came to nothing, and of which element. */
  failure: { key: string; error: string } | undefined;
}

/** The key of an element in its form. */
export const keyOf = (block: string, action: string) => `${block}/${action}`;

/** The form of the message or view around an element. */
export const FormContext = createContext<Form | undefined>(undefined);

/** The form around an element. */
export function useForm(): Form {
  const form = useContext(FormContext);
  if (!form) throw new Error('An element is drawn outside a message or a view.');
  return form;
}

interface FormSource {
  user: string;
  at: UiContainer;
  surface: Form['surface'];
  /** The values that the emulator knows; they change when the message or view does. */
  values: UiValues;
  errors?: Record<string, string>;
}

/** The form of one message or view, and all it holds now (to send along with a submission). */
export function useFormOf({ user, at, surface, values: known, errors = {} }: FormSource): {
  form: Form;
  values: () => UiValues;
} {
  const identity = 'view' in at ? at.view : `${at.channel}/${at.ts}`;
  // Typed values win over those that the emulator knows, block and action by block and action.
  const [typed, setTyped] = useState<UiValues>({});
  const [busy, setBusy] = useState<string>();
  const [failure, setFailure] = useState<Form['failure']>();
  const latest = useRef<UiValues>({});
  latest.current = merged(known, typed);

  // another message or view is another form
  useEffect(() => {
    setTyped({});
    setFailure(undefined);
  }, [identity]);

  async function tell(key: string, send: (values: UiValues) => Promise<UiAnswer>): Promise<void> {
    setBusy(key);
    setFailure(undefined);
    const answer = await send(latest.current);
    setBusy((now) => (now === key ? undefined : now));
    if (!answer.ok) setFailure({ key, error: answer.error });
  }

  const keep = (block: string, action: string, value: UiValue) => {
    latest.current = merged(latest.current, { [block]: { [action]: value } });
    setTyped((now) => merged(now, { [block]: { [action]: value } }));
  };

  const form: Form = {
    surface,
    valueOf: (block, action) => latest.current[block]?.[action],
    put: keep,
    press: (block, action) => tell(keyOf(block, action), (values) => click({ user, at, block, action, values })),
    choose(block, action, value, kept = true) {
      if (kept) keep(block, action, value);
      return tell(keyOf(block, action), (values) => select({ user, at, block, action, value, values }));
    },
    suggest: (block, action, query) => suggest({ user, at, block, action, query }),
    errorOf: (block) => errors[block],
    busy,
    failure,
  };
  return { form, values: () => latest.current };
}

function merged(under: UiValues, over: UiValues): UiValues {
  const result: UiValues = { ...under };
  for (const [block, actions] of Object.entries(over)) result[block] = { ...result[block], ...actions };
  return result;
}
