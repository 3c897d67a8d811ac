/** What the stand-ins of Slack and of the platform wrote down, and the little that all of this judge's files share. */

/** Something that a person can see, as Slack took it. */
export interface Shown {
  at: number;
  /** The method that carried it, or `response_url`. */
  via: string;
  /** Everything that can be read of it. */
  text: string;
  channel?: string;
  /** Who alone sees it: of an ephemeral message, a direct message, a view. */
  person?: string;
  ts?: string;
  thread?: string;
  responseId?: string;
  viewId?: string;
  triggerId?: string;
  /** The key of the metadata of a message, as JSON. */
  metadata?: string;
  buttons: Button[];
  inputs: Input[];
  /** The message or view as it was sent. */
  raw: Record<string, unknown>;
}

/** A button that somebody can press. */
export interface Button {
  action_id: string;
  block_id?: string;
  value?: string;
  text: string;
  type: string;
}

/** A field of a form. */
export interface Input {
  block_id: string;
  element: { type: string; action_id: string; options?: Option[]; [key: string]: unknown };
  label: string;
}

export interface Option {
  text: { type: string; text: string };
  value: string;
}

/** A number from 0 to 1 that is the same for the same seed and place in the row (mulberry32). */
export function dice(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** One of a list. */
export const pick = <T>(roll: () => number, list: readonly T[]): T => list[Math.floor(roll() * list.length)]!;

/** The value below which a share of all lie; 0 of none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

/** Everything readable in a message or view: the `text` of objects and of blocks, in order. */
export function readable(node: unknown): string {
  const found: string[] = [];
  walk(node, (one) => {
    if (typeof one.text === 'string') found.push(one.text);
  });
  return found.join(' · ');
}

/** All buttons and fields in a message or view. */
export function controls(node: unknown): { buttons: Button[]; inputs: Input[] } {
  const buttons: Button[] = [];
  const inputs: Input[] = [];
  walk(node, (one, block) => {
    if (one.type === 'button' && typeof one.action_id === 'string')
      buttons.push({
        action_id: one.action_id,
        ...(typeof block?.block_id === 'string' ? { block_id: block.block_id } : {}),
        ...(typeof one.value === 'string' ? { value: one.value } : {}),
        text: readable(one.text),
        type: 'button',
      });
    if (one.type === 'input' && typeof one.block_id === 'string')
      inputs.push({
        block_id: one.block_id,
        element: one.element as Input['element'],
        label: readable(one.label),
      });
  });
  return { buttons, inputs };
}

type Node = Record<string, unknown>;

function walk(node: unknown, visit: (one: Node, block: Node | undefined) => void, block?: Node): void {
  if (Array.isArray(node)) {
    for (const one of node) walk(one, visit, block);
    return;
  }
  if (typeof node !== 'object' || node === null) return;
  const one = node as Node;
  visit(one, block);
  const inside = 'block_id' in one ? one : block;
  for (const value of Object.values(one)) walk(value, visit, inside);
}
