/** The chips over the composer: a press becomes somebody, or sends a line. */
import type { UiChannel } from '../slack/ui-types.ts';
import { sendText } from './calls.ts';
import { focusComposer } from './focus.ts';
import type { Chip } from './hints.ts';
import { useSnapshot, useUiState, useWorkspace } from './workspace.ts';

/** The launcher's chips, where the bot is. */
export function Chips({ channel, onSent }: { channel: UiChannel; onSent(): void }) {
  const workspace = useWorkspace();
  const { hints, people } = useSnapshot();
  const { user } = useUiState();
  const chips = (hints.chips ?? []).filter((chip) => chip.as !== user.name);
  if (!channel.botIsMember || channel.kind === 'dm' || chips.length === 0) return null;

  async function press({ as, line }: Chip): Promise<void> {
    focusComposer();
    const person = people.find(({ name }) => name === as);
    if (person) workspace.become(person.id);
    if (line === undefined) return;
    onSent();
    const answer = await sendText({ user: user.id, channel: channel.id, text: line });
    if (!answer.ok) workspace.notify(answer.error);
  }

  return (
    <ul class="tries chips" aria-label="Things that happen at a press">
      {chips.map((chip) => (
        <li key={chip.label}>
          <button type="button" class="try" onClick={() => void press(chip)}>
            {chip.label}
          </button>
        </li>
      ))}
    </ul>
  );
}
