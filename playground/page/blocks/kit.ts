/** The shapes of Block Kit that the page draws, and what their elements start with. */
import type {
  ActionsBlockElement,
  ConfirmationDialog,
  ContextActionsBlockElement,
  InputBlockElement,
  KnownBlock,
  SectionBlockAccessory,
} from '@slack/types';
import type { UiBlock, UiOption, UiOptionGroup, UiValue } from '../../slack/ui-types.ts';

/** A chart of shares. */
export interface PieChart {
  type: 'pie';
  segments: { label: string; value: number }[];
}

/** A chart with axes. */
export interface SeriesChart {
  type: 'bar' | 'line' | 'area';
  series: { name: string; data: { label: string; value: number }[] }[];
  axis_config: { categories: string[]; x_label?: string; y_label?: string };
}

/** Slack's chart block, which @slack/types 3.2 does not have. */
export interface ChartBlock {
  type: 'data_visualization';
  block_id?: string;
  title: string;
  chart: PieChart | SeriesChart;
}

/** Every block that the page knows. */
export type DrawnBlock = KnownBlock | ChartBlock;

/** The block of one type. */
export type BlockOf<Type extends DrawnBlock['type']> = Extract<DrawnBlock, { type: Type }>;

/** Everything that can be pressed, chosen or filled in. */
export type Element = ActionsBlockElement | SectionBlockAccessory | InputBlockElement | ContextActionsBlockElement;

/** The element of one type. */
export type ElementOf<Type extends Element['type']> = Extract<Element, { type: Type }>;

/** The one place where a block from the wire gets its type: the emulator has validated it. */
export const drawn = (block: UiBlock): DrawnBlock => block as UiBlock & DrawnBlock;

/** The confirm dialog of an element. */
export const confirmOf = (element: Element): ConfirmationDialog | undefined =>
  'confirm' in element ? (element.confirm as ConfirmationDialog | undefined) : undefined;

/** The action id of an element; empty without one. */
export const actionOf = (element: Element): string => ('action_id' in element ? (element.action_id ?? '') : '');

/** The options of a static element, in groups or not. */
export function optionsOf(element: Element): { options: UiOption[]; groups: UiOptionGroup[] } {
  return {
    options: 'options' in element ? ((element.options ?? []) as UiOption[]) : [],
    groups: 'option_groups' in element ? ((element.option_groups ?? []) as UiOptionGroup[]) : [],
  };
}

/** The value of the element before anybody touched it. */
export function initialOf(element: Element): UiValue {
  const own: Record<string, unknown> = { ...element };
  const option = (value: unknown) => (value as { value?: string } | undefined)?.value;
  if (own.initial_options) return (own.initial_options as UiOption[]).map(({ value }) => value);
  const many = own.initial_users ?? own.initial_channels ?? own.initial_conversations;
  if (many) return many as string[];
  const one =
    option(own.initial_option) ??
    own.initial_value ??
    own.initial_date ??
    own.initial_time ??
    own.initial_date_time ??
    own.initial_user ??
    own.initial_channel ??
    own.initial_conversation;
  return typeof one === 'string' || typeof one === 'number' ? String(one) : null;
}
