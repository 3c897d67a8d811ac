import type { Secret } from '../platform/secret.ts';

/** Shapes of what nobody should read: Slack's tokens, JWTs, credentials in addresses, authorization headers. */
const SHAPES: [RegExp, string][] = [
  [/\bx(?:ox[a-z]|app|oxe)-[A-Za-z0-9-]{10,}/g, '[secret]'],
  [/\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?/g, '[secret]'],
  [/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@:]+:[^\s/@]+@/gi, '$1[secret]@'],
  [/([?&](?:authToken|token|access_key|accesskey|api_key|apikey|signature|sig)=)[^&\s|>]+/gi, '$1[secret]'],
  [/(\b(?:authorization|accesskey)["']?\s*[:=]\s*["']?(?:bearer\s+)?)[^\s"',}]{8,}/gi, '$1[secret]'],
];

/** Knows the secrets in use by value, and what secrets look like. */
export interface SecretFilter {
  /** From now on this value is hidden wherever it stands. */
  learn(secret: Secret): void;
  /** The text without any secret. */
  hide(text: string): string;
  /** The same for every string in a value, keys too. */
  hideIn<T>(value: T): T;
}

export function createSecretFilter(known: readonly Secret[]): SecretFilter {
  const values = new Set(known.map((secret) => secret.reveal()).filter((value) => value.length >= 8));
  let pattern = patternOf(values);
  const filter: SecretFilter = {
    learn(secret) {
      const value = secret.reveal();
      if (value.length < 8 || values.has(value)) return;
      values.add(value);
      pattern = patternOf(values);
    },
    hide(text) {
      const without = pattern === undefined ? text : text.replace(pattern, '[secret]');
      return SHAPES.reduce((current, [shape, shown]) => current.replace(shape, shown), without);
    },
    hideIn<T>(value: T): T {
      return hidden(value, filter.hide, 0) as T;
    },
  };
  return filter;
}

function patternOf(values: ReadonlySet<string>): RegExp | undefined {
  if (values.size === 0) return undefined;
  const alternatives = [...values]
    .sort((a, b) => b.length - a.length)
    .map((value) => value.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(alternatives.join('|'), 'g');
}

function hidden(value: unknown, hide: (text: string) => string, depth: number): unknown {
  if (typeof value === 'string') return hide(value);
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return value;
  if (depth > 20) return '[too deep]';
  if (Array.isArray(value)) return value.map((item) => hidden(item, hide, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [hide(key), hidden(item, hide, depth + 1)]));
}
