import type { View } from '@slack/types';
import { currentInteraction, opened } from '../../interaction.ts';
import { expired, isGone } from '../refusals.ts';
import { fitView } from './fit.ts';
import type { SecretFilter } from './secrets.ts';
import { type SendServices, untilShown } from './send.ts';

type Sending = SendServices & { secrets: SecretFilter };

/** Replaces the view that a stopped process had opened for the same. Returns its id. */
export async function openView(services: Sending, triggerId: string, view: View): Promise<string> {
  const { interactive } = services;
  // By its name another process finds it.
  const named = (fitted: View) => ({ trigger_id: triggerId, view: { ...fitted, external_id: triggerId } });
  const id =
    (await openedBefore(services, triggerId, view)) ??
    (await sendView(services, view, (fitted) => interactive.views.open(named(fitted)))).view?.id;
  if (id === undefined) throw new Error('Slack opened no view');
  opened(id);
  return id;
}

/** Undefined: there is none. */
async function openedBefore(services: Sending, triggerId: string, view: View): Promise<string | undefined> {
  const interaction = currentInteraction();
  if (interaction?.isAgain !== true) return undefined;
  const which = interaction.view === undefined ? { external_id: triggerId } : { view_id: interaction.view };
  const update = (fitted: View) => services.interactive.views.update({ ...which, view: fitted });
  return untilShown(services, () => sendView(services, view, update)).then(
    (updated) => updated.view?.id,
    (error: unknown) => {
      // Closed: nobody waits in a view.
      if (!isGone(error, 'view') || interaction.view !== undefined) throw error;
      if (performance.now() - interaction.since > 3_000) throw expired();
      return undefined;
    },
  );
}

/** Views have no native tables and charts. */
export function sendView<T>({ secrets }: Sending, given: View, send: (view: View) => Promise<T>): Promise<T> {
  return send(fitView(secrets.hideIn(given)));
}
