/** The morning on which people find #ops: everything in it is done by people who type and press, and by the bot. */
import type { Chip } from '../page/hints.ts';
import type { SlackEmulator } from '../slack/emulator.ts';

/** The command by which people break an origin, and heal it. */
export const SWITCH_ORIGIN = '/origin';

/** The command by which people change something at the platform itself, without Edgewise. */
export const BY_HAND = '/by-hand';

/** The command by which people publish a release at the platform itself. */
export const RELEASE = '/release';

const MORNING_REPORT = '/edge report run daily-statistics --to channel';

/** The presses over the composer. */
export const CHIPS: Chip[] = [
  { label: 'Break the origin', line: SWITCH_ORIGIN },
  { label: 'Change by hand', line: BY_HAND },
  { label: 'Approve as Dora', as: 'dora' },
  { label: 'Morning report', line: MORNING_REPORT },
];

/** Asks for the report of the morning, then for a change that wants approval. The failing origin is seen by the bot itself. */
export async function playMorning({ person }: Pick<SlackEmulator, 'person'>): Promise<void> {
  const ada = person('ada').in('#ops');
  await ada.type(MORNING_REPORT);
  await ada.expectMessage(/Asked for by/);
  const cleo = person('cleo');
  const ops = cleo.in('#ops');
  await ops.type('/edge ssl force img.example.com off');
  await (await ops.expectMessage(/approval/)).click('Ask for approval …');
  const form = await cleo.expectModal('Ask for approval', { ready: true });
  await form.fill({ 'Why? The approvers read it.': 'The scanners in the warehouse speak HTTP only.' });
  await form.submit();
}
