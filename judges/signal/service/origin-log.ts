import { DAY, MINUTE_MS } from '../model/calendar.ts';
import type { Cell, Group } from '../model/minutes.ts';
import { type Handle, handlesOf, isLogged, originEntryOf } from '../model/records.ts';
import type { Model, Zone } from '../model.ts';
import { isGiven, shuffledPlace, type View } from './faults.ts';

export type OriginOrder = 'asc' | 'desc';

const mayBeLogged = (group: Group): boolean => group.logged > 0 && group.cause !== undefined;

interface Entry {
  handle: Handle;
  /** As JSON. */
  text: string;
}

/** A day is asked for again and again while it grows: what was made once is kept as long as its minute. */
const made = new WeakMap<Cell, Entry[]>();

function entriesOf(model: Model, zone: Zone, minute: number): Entry[] {
  const cell = model.minute(zone, minute);
  const known = made.get(cell);
  if (known !== undefined) return known;
  const entries = handlesOf(cell, mayBeLogged)
    .filter((handle) => isLogged(cell.groups[handle.group]!, handle))
    .map((handle) => ({ handle, text: JSON.stringify(originEntryOf(model.world, zone, handle)) }));
  made.set(cell, entries);
  return entries;
}

/** The entries of one zone and UTC day as JSON, made while they are read. */
export function* originEntries(
  source: { model: Model; zone: Zone; view: View },
  asked: { day: number; order: OriginOrder },
): Generator<string> {
  const { model, zone, view } = source;
  const from = Math.max(asked.day, model.world.exactFrom);
  const to = Math.min(asked.day + DAY, Math.ceil(view.until / MINUTE_MS));
  const held: Entry[] = [];
  const copies = view.isDoubled ? 2 : 1;
  for (let i = 0; i < to - from; i++) {
    const entries = entriesOf(model, zone, asked.order === 'asc' ? from + i : to - 1 - i);
    for (const entry of asked.order === 'asc' ? entries : entries.toReversed()) {
      if (entry.handle.at >= view.until || !isGiven(view, entry.handle)) continue;
      for (let copy = 0; copy < copies; copy++) {
        if (view.isUnordered) held.push(entry);
        else yield entry.text;
      }
    }
  }
  held.sort((a, b) => shuffledPlace(a.handle.at, a.handle.hash) - shuffledPlace(b.handle.at, b.handle.hash));
  for (const { text } of held) yield text;
}
