/** One message of a channel or a thread: who, when, what, and what can be done with it. */
import { useMemo, useRef, useState } from 'preact/hooks';
import type { UiMessage } from '../slack/ui-types.ts';
import { Avatar } from './avatar.tsx';
import { Blocks } from './blocks/block.tsx';
import { runShortcut } from './calls.ts';
import { useDirectory } from './directory.ts';
import { EditMessage } from './edit-message.tsx';
import { Menu } from './elements/buttons.tsx';
import { Popover } from './elements/popover.tsx';
import { FileCard } from './files.tsx';
import { FormContext, useFormOf } from './form.ts';
import { Icon } from './icons.tsx';
import { clock, fullTime } from './text/dates.ts';
import { Emoji, Mrkdwn } from './text/mrkdwn.tsx';
import { useUiState, useWorkspace } from './workspace.ts';

interface MessageProps {
  message: UiMessage;
  /** Follows one of the same author within minutes: drawn without name and picture. */
  compact: boolean;
  /** Stands in the side panel, where threads don't open again. */
  inThread?: boolean;
}

/** A message with its author, time, content and reactions. */
export function Message({ message, compact, inThread = false }: MessageProps) {
  const directory = useDirectory();
  const { users, me } = directory;
  const author = users.get(message.user);
  const name = author?.realName || author?.name || (message.user === 'USLACKBOT' ? 'Slackbot' : message.user);
  const seconds = Number(message.ts);
  const [isEditing, setEditing] = useState(false);
  const { form } = useFormOf({
    user: me.id,
    at: { channel: message.channel, ts: message.ts },
    surface: 'message',
    values: message.values,
  });
  const content = useMemo(
    () => (
      <>
        {message.blocks.length > 0 ? (
          <Blocks blocks={message.blocks} />
        ) : message.text ? (
          <div class="text">
            <Mrkdwn text={message.text} />
            {message.edited ? <span class="edited"> (edited)</span> : null}
          </div>
        ) : null}
        {message.blocks.length > 0 && message.edited ? <span class="edited">(edited)</span> : null}
        {message.files.map((file) => (
          <FileCard key={file.id} file={file} />
        ))}
      </>
    ),
    [message, directory],
  );

  return (
    <article
      class={`message ${compact ? 'compact' : ''} ${message.ephemeral ? 'ephemeral' : ''}`}
      data-ts={message.ts}
      data-user={author?.name ?? message.user}
      aria-label={`${name}, ${fullTime(seconds, me.tz)}`}
    >
      <div class="message-side">
        {compact ? (
          <time class="message-time" title={fullTime(seconds, me.tz)}>
            {clock(seconds, me.tz).replace(/ [AP]M$/, '')}
          </time>
        ) : (
          <Avatar user={author} />
        )}
      </div>
      <div class="message-main">
        {message.ephemeral && !compact ? (
          <p class="only-you">
            <Icon name="eye" size={14} /> Only visible to you
          </p>
        ) : null}
        {compact ? null : (
          <header class="message-head">
            <b class="message-author">{name}</b>
            {author?.role === 'bot' ? <span class="badge">App</span> : null}
            {author?.role === 'guest' ? <span class="badge">Guest</span> : null}
            <time class="message-time" title={fullTime(seconds, me.tz)}>
              {clock(seconds, me.tz)}
            </time>
          </header>
        )}
        {isEditing ? (
          <EditMessage message={message} close={() => setEditing(false)} />
        ) : (
          <FormContext.Provider value={form}>{content}</FormContext.Provider>
        )}
        {message.reactions.length > 0 ? <Reactions message={message} /> : null}
        {message.replies > 0 && !inThread ? <Replies message={message} /> : null}
      </div>
      {message.ephemeral || isEditing ? null : (
        <Tools message={message} inThread={inThread} edit={() => setEditing(true)} />
      )}
    </article>
  );
}

function Reactions({ message }: { message: UiMessage }) {
  const { users } = useDirectory();
  return (
    <div class="reactions">
      {message.reactions.map((reaction) => (
        <span class="reaction" title={reaction.users.map((id) => users.get(id)?.realName ?? id).join(', ')}>
          <Emoji name={reaction.name} /> {reaction.users.length}
        </span>
      ))}
    </div>
  );
}

function Replies({ message }: { message: UiMessage }) {
  const workspace = useWorkspace();
  const { messages } = useUiState();
  const { users } = useDirectory();
  const replies = (messages[message.channel] ?? []).filter(
    ({ threadTs, ts }) => threadTs === message.ts && ts !== message.ts,
  );
  const authors = [...new Set(replies.map(({ user }) => user))].slice(0, 4);
  return (
    <button type="button" class="replies" onClick={() => workspace.openThread(message.channel, message.ts)}>
      {authors.map((id) => (
        <Avatar user={users.get(id)} size={22} />
      ))}
      <b>
        {message.replies} {message.replies === 1 ? 'reply' : 'replies'}
      </b>
      <span class="replies-hint">View thread</span>
      <Icon name="right" size={14} />
    </button>
  );
}

/** The tools that show up over a message under the pointer or the focus. */
function Tools({ message, inThread, edit }: { message: UiMessage; inThread: boolean; edit(): void }) {
  const workspace = useWorkspace();
  const { shortcuts, user } = useUiState();
  const anchor = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const own = shortcuts.filter(({ type }) => type === 'message');

  async function run(callbackId: string): Promise<void> {
    setOpen(false);
    const answer = await runShortcut({ user: user.id, callbackId, at: { channel: message.channel, ts: message.ts } });
    if (!answer.ok) workspace.notify(answer.error);
  }

  const isOwn = message.user === user.id;
  if (inThread && own.length === 0 && !isOwn) return null;
  return (
    <div class={`tools ${isOpen ? 'open' : ''}`}>
      {inThread ? null : (
        <button
          type="button"
          class="icon-button"
          aria-label="Reply in thread"
          title="Reply in thread"
          onClick={() => workspace.openThread(message.channel, message.threadTs ?? message.ts)}
        >
          <Icon name="thread" size={18} />
        </button>
      )}
      {isOwn ? (
        <button type="button" class="icon-button" aria-label="Edit message" title="Edit or delete" onClick={edit}>
          <Icon name="pencil" size={18} />
        </button>
      ) : null}
      {own.length > 0 ? (
        <button
          ref={anchor}
          type="button"
          class="icon-button"
          aria-label="More message actions"
          aria-haspopup="menu"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name="more" size={18} />
        </button>
      ) : null}
      {isOpen ? (
        <Popover anchor={anchor} align="end" onClose={() => setOpen(false)}>
          <Menu
            label="Message actions"
            options={own.map(({ callbackId, name }) => ({
              value: callbackId,
              text: { type: 'plain_text', text: name },
            }))}
            pick={(option) => void run(option.value)}
            close={() => {
              setOpen(false);
              anchor.current?.focus();
            }}
          />
        </Popover>
      ) : null}
    </div>
  );
}
