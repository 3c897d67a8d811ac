import type { Complaint } from './block-kit/shapes.ts';
import { validateMessage } from './block-kit/validate.ts';
import type { Core } from './core.ts';

const NATIVE = /^(data_table|data_visualization)$/;

/** What is wrong with a message in this workspace: with its blocks, with those it does not know, and with its pictures. */
export function messageComplaints(
  { workspace, options }: Pick<Core, 'workspace' | 'options'>,
  message: { text?: unknown; blocks?: unknown; attachments?: unknown },
): Complaint[] {
  const complaints = validateMessage(message);
  if (!Array.isArray(message.blocks)) return complaints;
  for (const [index, block] of (message.blocks as { type?: unknown; slack_file?: { id?: unknown } }[]).entries()) {
    const pointer = `/blocks/${index}`;
    if (options.plainBlocksOnly === true && NATIVE.test(String(block?.type)))
      complaints.push({ pointer, code: 'unsupported', message: `unsupported type: ${String(block.type)}` });
    const id = block?.slack_file?.id;
    if (id !== undefined && workspace.files.get(String(id))?.isLookedAt !== true)
      complaints.push({ pointer: `${pointer}/slack_file`, code: 'invalid_file', message: 'invalid slack file' });
  }
  return complaints;
}
