import { webApi } from '@slack/bolt';
import type { AnyBlock } from '@slack/types';
import { isNative } from '../../blocks/message.ts';

/** Slack may take a type of blocks in one place and not in another. */
export type Surface = 'message' | 'ephemeral' | 'response url';

interface Tried {
  readonly shown: Set<string>;
  readonly refused: Set<string>;
}

export type KnownSurfaces = Map<Surface, Tried>;

function triedOn(known: KnownSurfaces, surface: Surface): Tried {
  const tried = known.get(surface) ?? { shown: new Set(), refused: new Set() };
  known.set(surface, tried);
  return tried;
}

const typesIn = (blocks: readonly AnyBlock[]): string[] => [
  ...new Set<string>(blocks.filter(isNative).map(({ type }) => type)),
];

export function refusedOn(known: KnownSurfaces, surface: Surface): ReadonlySet<string> {
  return triedOn(known, surface).refused;
}

export function noteShown(known: KnownSurfaces, surface: Surface, blocks: readonly AnyBlock[]): void {
  const { shown } = triedOn(known, surface);
  for (const type of typesIn(blocks)) shown.add(type);
}

/** Returns the types that are refused from now on. */
export function noteRefused(
  known: KnownSurfaces,
  surface: Surface,
  error: unknown,
  blocks: readonly AnyBlock[],
): string[] {
  const tried = triedOn(known, surface);
  const fresh = refusedTypes(tried, error, blocks).filter((type) => !tried.refused.has(type));
  for (const type of fresh) tried.refused.add(type);
  return fresh;
}

/** Where Slack names something within a block, only that one was wrong; else the types that were never shown there. */
function refusedTypes({ shown }: Tried, error: unknown, blocks: readonly AnyBlock[]): string[] {
  const types = typesIn(blocks);
  const lines = linesOf(error);
  if (lines.length === 0) return types.filter((type) => !shown.has(type));
  const named = lines.flatMap((line) => {
    const unsupported = /unsupported(?: block)? type: ([a-z_]+)/.exec(line)?.[1];
    const index = /\[json-pointer:(?:\/view)?\/blocks\/(\d+)(?:\/type)?\]/.exec(line)?.[1];
    return unsupported ?? (index === undefined ? [] : (blocks[Number(index)]?.type ?? []));
  });
  return types.filter((type) => named.includes(type));
}

export function linesOf(error: unknown): string[] {
  if (!(error instanceof webApi.WebAPIPlatformError)) return [];
  const { errors, response_metadata } = error.data as { errors?: unknown; response_metadata?: { messages?: unknown } };
  return [errors, response_metadata?.messages].flatMap((lines) => (Array.isArray(lines) ? lines.map(String) : []));
}
