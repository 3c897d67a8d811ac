import { HIDDEN, SECRET_FIELD, type Secret } from '../secret.ts';
import { hideShapes } from '../secret-shapes.ts';

/** Takes out these secrets, and what looks like one. */
export function redact(text: string, secrets: readonly Secret[]): string {
  let clean = text;
  for (const secret of secrets) {
    const value = secret.reveal();
    if (value.length > 0) clean = clean.replaceAll(value, HIDDEN);
  }
  return hideShapes(clean);
}

const LONGEST_VALUE = 500;

const shown = (value: unknown, secrets: readonly Secret[]): string => {
  const whole =
    typeof value === 'string'
      ? value
      : (JSON.stringify(value, (key, inner) => (SECRET_FIELD.test(key) && inner !== null ? HIDDEN : inner)) ?? '');
  const text = redact(whole.slice(0, 20_000), secrets);
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
};

/** For people; `known` keys are left out, secrets hidden. */
export function keysAndValues(
  body: unknown,
  known: ReadonlySet<string>,
  secrets: readonly Secret[],
): Record<string, string> {
  if (body === undefined || body === null || body === '') return {};
  if (typeof body !== 'object' || Array.isArray(body)) return { body: shown(body, secrets) };
  return Object.fromEntries(
    Object.entries(body)
      .filter(([key]) => !known.has(key))
      .slice(0, 50)
      .map(([key, value]) => [key.slice(0, LONGEST_VALUE), SECRET_FIELD.test(key) ? HIDDEN : shown(value, secrets)]),
  );
}
