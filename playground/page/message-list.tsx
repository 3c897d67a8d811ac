/** The messages of one channel or thread, by day, kept at the end while the reader is there. */
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { UiMessage } from '../slack/ui-types.ts';
import { useDirectory } from './directory.ts';
import { Icon } from './icons.tsx';
import { Message } from './message.tsx';
import { dayKey, dayName } from './text/dates.ts';

interface MessageListProps {
  label: string;
  messages: UiMessage[];
  inThread?: boolean;
  /** How often the reader sent something: each time the list goes to its end. */
  sent?: number;
  /** Drawn above the first message. */
  children?: ComponentChildren;
}

const groupSeconds = 300;
const nearEnd = 80;

/** Lets a message stand under the one before without its author's name. */
function follows(message: UiMessage, before: UiMessage | undefined): boolean {
  return (
    before !== undefined &&
    before.user === message.user &&
    before.ephemeral === message.ephemeral &&
    Number(message.ts) - Number(before.ts) < groupSeconds &&
    // A reply under a long block message is easier to tell apart with its name.
    before.blocks.length === 0 &&
    message.blocks.length === 0
  );
}

export function MessageList({ label, messages, inThread = false, sent = 0, children }: MessageListProps) {
  const { me } = useDirectory();
  const list = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const top = useRef(0);
  const [behind, setBehind] = useState(false);
  const last = messages.at(-1)?.ts;

  const toEnd = () => {
    if (list.current) list.current.scrollTop = list.current.scrollHeight;
  };

  /** Goes to the end; a last message that is taller than the window is shown from its beginning. */
  const follow = () => {
    const message = inner.current?.lastElementChild;
    if (!list.current || !message) return;
    const isTall = message instanceof HTMLElement && message.offsetHeight > list.current.clientHeight;
    list.current.scrollTop = isTall ? message.offsetTop : list.current.scrollHeight;
    // A reader of its beginning is not taken away from it by the next message.
    if (isTall) atEnd.current = false;
  };

  // Blocks grow after they are drawn (pictures, charts): stay at the end then too.
  useLayoutEffect(() => {
    if (!inner.current) return undefined;
    const observer = new ResizeObserver(() => {
      if (atEnd.current) follow();
    });
    observer.observe(inner.current);
    follow();
    return () => observer.disconnect();
  }, []);

  // only a new last message asks for attention
  useEffect(() => {
    const mine = messages.at(-1)?.user === me.id;
    if (atEnd.current || mine) {
      atEnd.current = true;
      follow();
    } else if (last) setBehind(true);
  }, [last]);

  useEffect(() => {
    if (sent === 0) return;
    atEnd.current = true;
    setBehind(false);
    toEnd();
  }, [sent]);

  return (
    <div class="list-frame">
      <div
        ref={list}
        class="list"
        role="log"
        aria-label={label}
        // the keyboard scrolls here
        tabindex={0}
        onScroll={(event) => {
          const { scrollHeight, scrollTop, clientHeight } = event.currentTarget;
          // New messages take the end away; only the reader goes away from the end.
          if (scrollHeight - scrollTop - clientHeight < nearEnd) atEnd.current = true;
          else if (scrollTop < top.current) atEnd.current = false;
          top.current = scrollTop;
          if (atEnd.current && behind) setBehind(false);
        }}
      >
        <div ref={inner} class="list-inner">
          {children}
          {messages.map((message, at) => {
            const before = messages[at - 1];
            const newDay =
              !inThread && (!before || dayKey(Number(before.ts), me.tz) !== dayKey(Number(message.ts), me.tz));
            return (
              <div key={message.ts}>
                {newDay ? (
                  <div class="day">
                    <span>{dayName(Number(message.ts), me.tz)}</span>
                  </div>
                ) : null}
                {inThread && at === 1 ? (
                  <div class="reply-count">
                    <span>{messages.length === 2 ? '1 reply' : `${messages.length - 1} replies`}</span>
                  </div>
                ) : null}
                <Message message={message} compact={!newDay && follows(message, before)} inThread={inThread} />
              </div>
            );
          })}
        </div>
      </div>
      {behind ? (
        <button
          type="button"
          class="to-end"
          onClick={() => {
            setBehind(false);
            toEnd();
          }}
        >
          New messages <Icon name="down" size={14} />
        </button>
      ) : null}
    </div>
  );
}
