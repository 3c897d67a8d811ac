/** The composer in the place of a message of one's own: it is changed, or deleted. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { UiMessage } from '../slack/ui-types.ts';
import { editMessage } from './calls.ts';
import { type Directory, useDirectory } from './directory.ts';
import { useWorkspace } from './workspace.ts';

/** The text of a message, to be changed; Enter saves, Escape leaves it as it is. */
export function EditMessage({ message, close }: { message: UiMessage; close(): void }) {
  const directory = useDirectory();
  const workspace = useWorkspace();
  const input = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState(asTyped(message.text, directory));
  useEffect(() => input.current?.focus(), []);

  async function save(changed: string | undefined): Promise<void> {
    close();
    const { channel, ts } = message;
    const wanted = changed === undefined ? {} : { text: changed };
    const answer = await editMessage({ user: directory.me.id, channel, ts, ...wanted });
    if (!answer.ok) workspace.notify(answer.error);
  }

  return (
    <div class="edit-message">
      <textarea
        ref={input}
        rows={1}
        aria-label="Edit message"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') close();
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          void save(text);
        }}
      />
      <div class="edit-message-foot">
        <button type="button" class="button danger" onClick={() => void save(undefined)}>
          Delete
        </button>
        <span class="composer-gap" />
        <button type="button" class="button" onClick={close}>
          Cancel
        </button>
        <button type="button" class="button primary" disabled={text.trim() === ''} onClick={() => void save(text)}>
          Save
        </button>
      </div>
    </div>
  );
}

/** A stored text as its author typed it: names for ids, and addresses without their brackets. */
function asTyped(text: string, { users, channels, groups }: Directory): string {
  return text
    .replace(/<@(\w+)>/g, (whole, id: string) => (users.has(id) ? `@${users.get(id)?.name}` : whole))
    .replace(/<#(\w+)(?:\|[^>]*)?>/g, (whole, id: string) => (channels.has(id) ? `#${channels.get(id)?.name}` : whole))
    .replace(/<!subteam\^(\w+)(?:\|[^>]*)?>/g, (whole, id: string) =>
      groups.has(id) ? `@${groups.get(id)?.handle}` : whole,
    )
    .replace(/<!(here|channel|everyone)>/g, '@$1')
    .replace(/<(?:mailto:)?[^|>]+\|([^>]+)>/g, '$1')
    .replace(/<([^>]+)>/g, '$1')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
