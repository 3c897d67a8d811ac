/** The labels of an enum that the platform sends as numbers. Open: a value that is not here is shown as its number. */
export type Labels = Readonly<Record<number, string>>;

/** The label of a value, or the value as it came when its meaning is unknown. */
export function labelOf(labels: Labels, value: number): string {
  return labels[value] ?? String(value);
}

/** Spec 2.3. 255 System exists but no request takes it. */
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

/** Spec 2.3: what a whole category can be set to. */
export const BOT_ACTIONS: Labels = { 0: 'None', 1: 'Block', 2: 'Allow' };

/** What a single bot can be set to; `Ignore` exists here only (spec 2.3). Source of 3: platform.md 3.4. */
export const SINGLE_BOT_ACTIONS: Labels = { ...BOT_ACTIONS, 3: 'Ignore' };

/** Spec 2.2 does not show the meanings. Source: platform.md 3.3 (the shield OpenAPI file's WAFExecutionMode). */
export const EXECUTION_MODES: Labels = { 0: 'Log', 1: 'Block' };

/** Spec 2.2 does not show the meanings. Source: platform.md 3.3 (WAFPayloadLimitAction). */
export const BODY_LIMIT_ACTIONS: Labels = { 0: 'Block', 1: 'Log', 2: 'Ignore' };

/** Spec 2.2 does not show the meanings. Source: platform.md 3.3. */
export const UNMATCHED_PATH_ACTIONS: Labels = { 0: 'Block', 1: 'Log', 2: 'Ignore' };

/** The plan of a shield zone. Source: platform.md 3.5. */
export const PLAN_TYPES: Labels = { 0: 'Basic', 1: 'Advanced', 2: 'Business', 3: 'Enterprise' };

/** What a script is. Source: platform.md 4.2. */
export const SCRIPT_TYPES: Labels = { 0: 'DNS', 1: 'CDN', 2: 'Middleware' };
