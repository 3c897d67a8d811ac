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

/** The messages, and a button to the newer ones below. */
export function MessageList({ label, messages, inThread = false, sent = 0, children }: MessageListProps) {
  const { list, inner, isBehind, onScroll, goToEnd } = useListEnd(messages, sent);
  return (
    <div class="list-frame">
      <div
        ref={list}
        class="list"
        role="log"
        aria-label={label}
        // the keyboard scrolls here
        tabindex={0}
        onScroll={onScroll}
      >
        <div ref={inner} class="list-inner">
          {children}
          {messages.map((message, at) => (
            <Row key={message.ts} messages={messages} at={at} inThread={inThread} />
          ))}
        </div>
      </div>
      {isBehind ? (
        <button type="button" class="to-end" onClick={goToEnd}>
          New messages <Icon name="down" size={14} />
        </button>
      ) : null}
    </div>
  );
}

interface RowProps {
  messages: UiMessage[];
  at: number;
  inThread: boolean;
}

/** A message, under the day or the number of replies that it begins. */
function Row({ messages, at, inThread }: RowProps) {
  const { me } = useDirectory();
  const [message, before] = [messages[at]!, messages[at - 1]];
  const isNewDay = !inThread && (!before || dayKey(Number(before.ts), me.tz) !== dayKey(Number(message.ts), me.tz));
  return (
    <div>
      {isNewDay ? (
        <div class="day">
          <span>{dayName(Number(message.ts), me.tz)}</span>
        </div>
      ) : null}
      {inThread && at === 1 ? (
        <div class="reply-count">
          <span>{messages.length === 2 ? '1 reply' : `${messages.length - 1} replies`}</span>
        </div>
      ) : null}
      <Message message={message} compact={!isNewDay && follows(message, before)} inThread={inThread} />
    </div>
  );
}

/** Keeps the list at its end while the reader is there; says when newer messages are below. */
function useListEnd(messages: UiMessage[], sent: number) {
  const { me } = useDirectory();
  const list = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const top = useRef(0);
  const [isBehind, setBehind] = useState(false);
  const last = messages.at(-1)?.ts;

  const goToEnd = () => {
    setBehind(false);
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
    const isMine = messages.at(-1)?.user === me.id;
    if (atEnd.current || isMine) {
      atEnd.current = true;
      follow();
    } else if (last) setBehind(true);
  }, [last]);

  useEffect(() => {
    if (sent === 0) return;
    atEnd.current = true;
    goToEnd();
  }, [sent]);

  function onScroll(event: { currentTarget: HTMLDivElement }): void {
    const { scrollHeight, scrollTop, clientHeight } = event.currentTarget;
    // New messages take the end away; only the reader goes away from the end.
    if (scrollHeight - scrollTop - clientHeight < nearEnd) atEnd.current = true;
    else if (scrollTop < top.current) atEnd.current = false;
    top.current = scrollTop;
    if (atEnd.current && isBehind) setBehind(false);
  }

  return { list, inner, isBehind, onScroll, goToEnd };
}
