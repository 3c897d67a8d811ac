/** The global shortcuts of the app, behind the lightning bolt. */
import { useRef, useState } from 'preact/hooks';
import { runShortcut } from './calls.ts';
import { Menu } from './elements/buttons.tsx';
import { Popover } from './elements/popover.tsx';
import { Icon } from './icons.tsx';
import { useUiState, useWorkspace } from './workspace.ts';

/** The menu of global shortcuts; nothing where the app has none. */
export function Shortcuts() {
  const workspace = useWorkspace();
  const { shortcuts, user } = useUiState();
  const anchor = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const own = shortcuts.filter(({ type }) => type === 'global');
  if (own.length === 0) return null;

  async function run(callbackId: string): Promise<void> {
    setOpen(false);
    const answer = await runShortcut({ user: user.id, callbackId });
    if (!answer.ok) workspace.notify(answer.error);
  }

  return (
    <>
      <button
        ref={anchor}
        type="button"
        class="icon-button"
        aria-label="Shortcuts"
        title="Shortcuts"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="bolt" />
      </button>
      {isOpen ? (
        <Popover anchor={anchor} align="end" onClose={() => setOpen(false)}>
          <Menu
            label="Shortcuts"
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
    </>
  );
}
