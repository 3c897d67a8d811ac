/** The labels of an enum that the platform sends as numbers. Open: a value that is not here is shown as its number. */
export type Labels = Readonly<Record<number, string>>;

/** The label of a value, or the value as it came when its meaning is unknown. */
export function labelOf(labels: Labels, value: number): string {
  return labels[value] ?? String(value);
}

/** Bot categories. 255 System exists, but no request takes it. */
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

/** The actions of a whole category. */
export const BOT_ACTIONS: Labels = { 0: 'None', 1: 'Block', 2: 'Allow' };

/** The actions of a single bot; `Ignore` exists here only (docs/platform.md, Bot actions). */
export const SINGLE_BOT_ACTIONS: Labels = { ...BOT_ACTIONS, 3: 'Ignore' };

/** Source: docs/platform.md, Guardian modes (the shield OpenAPI file's WAFExecutionMode). */
export const EXECUTION_MODES: Labels = { 0: 'Log', 1: 'Block' };

/** Source: docs/platform.md, Guardian modes (WAFPayloadLimitAction). */
export const BODY_LIMIT_ACTIONS: Labels = { 0: 'Block', 1: 'Log', 2: 'Ignore' };

/** Source: docs/platform.md, Guardian modes. */
export const UNMATCHED_PATH_ACTIONS: Labels = { 0: 'Block', 1: 'Log', 2: 'Ignore' };

/** The plan of a shield zone. Source: docs/platform.md, Shield plans. */
export const PLAN_TYPES: Labels = { 0: 'Basic', 1: 'Advanced', 2: 'Business', 3: 'Enterprise' };

/** The kinds of scripts. Source: docs/platform.md, Script types. */
export const SCRIPT_TYPES: Labels = { 0: 'DNS', 1: 'CDN', 2: 'Middleware' };
