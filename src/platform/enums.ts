import { UsageError } from '../errors.ts';

/** Unknown values are shown as numbers. */
export type Labels = Readonly<Record<number, string>>;

export function labelOf(labels: Labels, value: number): string {
  return labels[value] ?? String(value);
}

/** No request accepts 255. */
export const BOT_CATEGORIES: Labels = {
  0: 'None',
  1: 'SEO',
  2: 'AIScraper',
  3: 'AITool',
  4: 'Tool',
  5: 'Ads',
  6: 'Preview',
  7: 'Social',
  255: 'System',
};

export const BOT_ACTIONS: Labels = { 0: 'None', 1: 'Block', 2: 'Allow' };

/** Source: docs/platform.md, Bot actions. */
export const SINGLE_BOT_ACTIONS: Labels = { ...BOT_ACTIONS, 3: 'Ignore' };

/** Source: docs/platform.md, Guardian modes. */
export const EXECUTION_MODES: Labels = { 0: 'Log', 1: 'Block' };

export const PLAN_TYPES: Labels = { 0: 'Basic', 1: 'Advanced', 2: 'Business', 3: 'Enterprise' };

/** `blocked`, for the platform’s `Block`. */
export const shieldDid = (action: unknown): string =>
  String(action).toLowerCase().replace(/g$/, 'gg').replace(/e?$/, 'ed');

/** 4 challenges everybody. Source: docs/platform.md, Sensitivities. */
export const SENSITIVITIES: Labels = { 0: 'off', 1: 'low', 2: 'medium', 3: 'high', 4: 'challenge everybody' };

/** By the first three digits of an id. Source: the rule files of the OWASP Core Rule Set. */
const RULES: Labels = {
  911: 'forbidden method',
  913: 'scanner',
  920: 'malformed request',
  921: 'protocol attack',
  922: 'multipart attack',
  930: 'file access',
  931: 'remote file inclusion',
  932: 'command execution',
  933: 'PHP attack',
  934: 'generic attack',
  941: 'cross-site scripting',
  942: 'SQL injection',
  943: 'session fixation',
  944: 'Java attack',
  949: 'attack score too high',
};

/** `SQL injection (942100)` */
export function ruleInWords(id: string): string {
  const kind = id.length === 6 ? RULES[Number(id.slice(0, 3))] : undefined;
  return kind === undefined ? id : `${kind} (${id})`;
}

export type BotAction = 0 | 1 | 2;

/** No request accepts it. */
const SYSTEM = 255;

const plain = (text: string) =>
  text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]/g, '');

/** By name or number. NaN: it is neither. */
const numberOf = (labels: Labels, text: string): number =>
  Number(Object.entries(labels).find(([value, name]) => value === text.trim() || plain(name) === plain(text))?.[0]);

/** By name or number, 0 to 7. Throws `UsageError`. */
export function parseBotCategory(text: string): number {
  const category = numberOf(BOT_CATEGORIES, text);
  if (category < SYSTEM) return category;
  const names = Object.values({ ...BOT_CATEGORIES, [SYSTEM]: '' }).filter((name) => name !== '');
  const instead = names.filter((name) => text.trim() !== '' && plain(name).startsWith(plain(text)));
  throw new UsageError(
    category === SYSTEM
      ? 'The category System (255) cannot be set: the platform takes the categories 0 to 7 only.'
      : `“${text.trim()}” is not a bot category.`,
    { hint: `Use a number from 0 to 7 or one of ${names.join(', ')}.`, argument: 'category', instead },
  );
}

/** By name or number. Throws `UsageError`, also for `ignore`. */
export function parseBotAction(text: string): BotAction {
  const action = numberOf(SINGLE_BOT_ACTIONS, text);
  if (action < 3) return action as BotAction;
  throw new UsageError(
    action === 3
      ? 'A whole category cannot be set to Ignore: that action exists for single bots only.'
      : `“${text.trim()}” is not an action for a bot category.`,
    { hint: 'Use none, block or allow.', argument: 'action' },
  );
}

/** docs/platform.md, Cache statuses. */
export const CACHE_STATUSES = {
  HIT: 'served directly from cache',
  MISS: 'not in cache; fetched from origin',
  BYPASS: 'cache skipped (request headers, cookies or configuration)',
  REVALIDATED: 'cached response validated with origin and reused',
  STALE: 'stale cached response served (origin unavailable or slow)',
  UPDATING: 'stale content served while a background update runs',
  '-': 'no cache interaction (for example non-cacheable methods such as POST)',
} as const;

export type CacheStatus = keyof typeof CACHE_STATUSES;

/** Ignores case. Slack’s long dashes count as `-`. Throws `UsageError`. */
export function parseCacheStatus(text: string): CacheStatus {
  const typed = text.trim();
  if (/^[-\u2010-\u2015\u2212]$/.test(typed)) return '-';
  const known = Object.keys(CACHE_STATUSES).find((status) => status === typed.toUpperCase());
  if (!known) {
    throw new UsageError(`“${typed}” is not a cache status.`, {
      hint: `Use one of ${Object.keys(CACHE_STATUSES).join(', ')}.`,
      argument: 'cache',
    });
  }
  return known as CacheStatus;
}
