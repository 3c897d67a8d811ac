/** The side panel with one thread. */
import { useEffect, useRef } from 'preact/hooks';
import { Composer } from './composer.tsx';
import { Icon } from './icons.tsx';
import { MessageList } from './message-list.tsx';
import { titleOf, useUiState, useWorkspace } from './workspace.ts';

/** The thread beside the channel. */
export function Thread({ channel: channelId, ts }: { channel: string; ts: string }) {
  const workspace = useWorkspace();
  const { channels, messages } = useUiState();
  const panel = useRef<HTMLElement>(null);
  const channel = channels.find(({ id }) => id === channelId);
  const all = messages[channelId] ?? [];
  const root = all.find((message) => message.ts === ts);
  const replies = all.filter((message) => message.threadTs === ts && message.ts !== ts);

  useEffect(() => {
    const before = document.activeElement;
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);

  if (!channel) return null;
  return (
    <aside
      ref={panel}
      class="thread"
      aria-label="Thread"
      onKeyDown={(event) => {
        if (event.key === 'Escape') workspace.closeThread();
      }}
    >
      <header class="channel-head">
        <h1>Thread</h1>
        <span class="topic">{titleOf(channel)}</span>
        <button type="button" class="icon-button" aria-label="Close thread" onClick={() => workspace.closeThread()}>
          <Icon name="close" size={18} />
        </button>
      </header>
      <MessageList key={ts} label="Thread messages" messages={root ? [root, ...replies] : replies} inThread />
      <Composer key={`${ts}/composer`} channel={channel} thread={ts} focused />
    </aside>
  );
}
