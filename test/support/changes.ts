import type { Card } from '../../playground/slack/people/person.ts';
import type { TestWorkspace } from './workspace.ts';

/** Neither a view nor a message that only says that work goes on. */
export const SETTLED = /^(?![\s\S]*(Working …|Working on |One moment …|takes a moment))/;

/** A preview that waits for a press: the card of what takes a moment has a Cancel, too. */
export const ASKED = new RegExp(`${SETTLED.source}[\\s\\S]*\\[Cancel\\]`);

/** The buttons that do what a preview shows: each is called after what it does. */
export const CONFIRM =
  /^(Confirm$|Block$|Limit$|Not a problem$|Alert again$|(Switch|Set to|Request|Complete|Purge|Clear|Upload|Replace|Delete|Add|Create|Regenerate|Invalidate|Execute|Subscribe|Mute|Unmute|End|Publish|Restart|Revoke)( \S+)?( anyway)?$)/;

/** What a person reads after they confirmed a change: in the preview's place, in the form, or in the channel where both are gone. */
export interface Changed {
  text: string;
  /** The preview, for a change that is asked in the conversation. */
  card?: Card;
}

/** Types the command as ada, confirms it (by the typed name where that is asked), and waits for what is said then. */
export async function confirmed(workspace: TestWorkspace, line: string, channel = '#ops'): Promise<Changed> {
  const ada = workspace.slack.person('ada');
  const ops = ada.in(channel);
  await ops.type(`/edge ${line}`);
  if (!/^(app delete|cache clear|token (regenerate|invalidate)|database execute)/.test(line)) {
    const card = await ops.expectMessage(ASKED);
    await card.click(CONFIRM);
    const isLeft = await card.expectChangeOrGone(SETTLED);
    // What shows a secret has opened a view of its own.
    if (/^token(-for-agents)? create/.test(line))
      await (await ada.expectModal(/^Token (create|for agents)$/, { ready: true })).close();
    return { text: isLeft ? card.text : (await ops.expectMessage(SETTLED)).text, card };
  }
  const form = await ada.expectModal(/./);
  await form.expectChange(/Type the name/);
  const field = form.blocks.find((block) => block.block_id === 'name') as { hint?: { text: string } } | undefined;
  await form.fill({ 'Type the name to confirm': field?.hint?.text ?? '' });
  await form.submit();
  if (!line.startsWith('token')) return { text: (await ops.expectMessage(SETTLED)).text };
  await form.expectChange(SETTLED);
  const { text } = form;
  await form.close();
  return { text };
}

/** A statement that is tried before it is asked for, in a transaction that is rolled back: it may be tried again. */
export const isTrial = ({ body }: { body: unknown }): boolean => JSON.stringify(body ?? '').includes('"ROLLBACK"');

/** The writes of which the platform saw the very same twice, as `METHOD path`; nothing may ever be in it. */
export function repeatedWrites({ platform }: TestWorkspace): string[] {
  const writes = platform.requests
    .filter((request) => request.method !== 'GET' && !isTrial(request))
    .map(({ method, path, body }) => `${method} ${path} ${JSON.stringify(body)}`);
  return writes.filter((write, index) => writes.indexOf(write) !== index);
}
