/** Blocks as Slack gives them back: plain text escaped, and filled in where the app left something out. */

import { escapeText } from './typed-text.ts';

/** By type: fields that Slack adds where an app did not say them. */
const ADDED: Readonly<Record<string, object>> = {
  plain_text: { emoji: true },
  mrkdwn: { verbatim: false },
  input: { optional: false, dispatch_action: false },
  image: { fallback: '[no preview available]', image_width: 0, image_height: 0, image_bytes: 0 },
};

/** A block, a list of them, an action or the state of a view, as Slack sends it. */
export function echoed<T>(value: T): T {
  if (Array.isArray(value)) return value.map((each: unknown) => echoed(each)) as T;
  if (typeof value !== 'object' || value === null) return value;
  const { type, text } = value as { type?: unknown; text?: unknown };
  const inside = Object.fromEntries(Object.entries(value).map(([name, field]) => [name, echoed(field)]));
  const escaped = type === 'plain_text' && typeof text === 'string' ? { text: escapeText(text) } : {};
  const { element } = inside as { element?: { type?: unknown } };
  const single = element?.type === 'plain_text_input' ? { element: { multiline: false, ...element } } : {};
  return { ...ADDED[String(type)], ...inside, ...escaped, ...single } as T;
}
