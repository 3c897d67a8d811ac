/** Moving through a list with the keyboard: arrows, Home and End; Enter picks, Escape closes. */
import { useEffect, useState } from 'preact/hooks';

interface ListKeys {
  active: number;
  setActive(index: number): void;
  /** True when the key was one of the list's. */
  onKeyDown(event: KeyboardEvent): boolean;
}

/** `first` is what is active to begin with: 0, or -1 for nothing. */
export function useListKeys(count: number, pick: (index: number) => void, close: () => void, first = 0): ListKeys {
  const [active, setActive] = useState(first);
  useEffect(() => {
    if (active >= count) setActive(count > 0 ? Math.min(active, count - 1) : first);
  }, [active, count, first]);

  function onKeyDown(event: KeyboardEvent): boolean {
    const moves: Record<string, number> = {
      ArrowDown: count === 0 ? -1 : (active + 1) % count,
      ArrowUp: count === 0 ? -1 : active <= 0 ? count - 1 : active - 1,
    };
    const target = moves[event.key];
    if (event.key === 'Escape') close();
    else if (event.key === 'Enter' && active >= 0 && active < count && !event.isComposing) pick(active);
    else if (target !== undefined && count > 0) setActive(target);
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  }
  return { active, setActive, onKeyDown };
}

/** Scrolls the active option of a list into sight. */
export function reveal(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'nearest' });
}
