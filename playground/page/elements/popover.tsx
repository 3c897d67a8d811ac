/** Lists and menus that open beside an element. In the browser's top layer, so that no scrolling box cuts them off. */
import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

interface PopoverProps {
  anchor: RefObject<HTMLElement | null>;
  onClose(): void;
  class?: string;
  /** Where it begins: at the anchor's left or its right edge. */
  align?: 'start' | 'end';
  /** As wide as its anchor, at least. */
  fit?: boolean;
  children: ComponentChildren;
}

const gap = 4;
const margin = 8;

/** A box beside its anchor, wherever there is room. */
export function Popover({ anchor, onClose, class: name = '', align = 'start', fit = false, children }: PopoverProps) {
  const box = useRef<HTMLDivElement>(null);
  const close = useRef(onClose);
  close.current = onClose;

  function place(): void {
    const [from, element] = [anchor.current?.getBoundingClientRect(), box.current];
    if (!from || !element) return;
    if (fit) element.style.minWidth = `${from.width}px`;
    element.style.maxHeight = '';
    const size = element.getBoundingClientRect();
    const below = innerHeight - from.bottom - gap - margin;
    const above = from.top - gap - margin;
    const up = size.height > below && above > below;
    element.style.maxHeight = `${Math.max(120, up ? above : below)}px`;
    const height = Math.min(size.height, Math.max(120, up ? above : below));
    element.style.top = `${up ? from.top - gap - height : from.bottom + gap}px`;
    const left = align === 'start' ? from.left : from.right - size.width;
    element.style.left = `${Math.max(margin, Math.min(left, innerWidth - size.width - margin))}px`;
  }

  useLayoutEffect(() => {
    box.current?.showPopover();
  }, []);
  // After each drawing: what is inside may have grown.
  useLayoutEffect(place);

  useEffect(() => {
    const outside = (event: Event) => {
      const target = event.target as Node;
      if (!box.current?.contains(target) && !anchor.current?.contains(target)) close.current();
    };
    const moved = (event: Event) => {
      if (!box.current?.contains(event.target as Node)) place();
    };
    document.addEventListener('pointerdown', outside, true);
    document.addEventListener('focusin', outside, true);
    addEventListener('resize', place);
    addEventListener('scroll', moved, true);
    return () => {
      document.removeEventListener('pointerdown', outside, true);
      document.removeEventListener('focusin', outside, true);
      removeEventListener('resize', place);
      removeEventListener('scroll', moved, true);
    };
  });

  return (
    <div ref={box} class={`popover ${name}`} popover="manual">
      {children}
    </div>
  );
}
