import type { Claim } from '../store/report-ledger.ts';
import { MINUTE } from '../time.ts';
import type { ReportServices } from './services.ts';

/** How long a claim is believed without a sign of life, in milliseconds. */
export const LEASE = 2 * MINUTE;

/** Somebody else has the slot by now: nothing is sent, and nothing more is to be done. */
export class LostClaimError extends Error {
  override name = 'LostClaimError';
}

/** Keeps a claim alive until its work has ended. */
export async function renewing(services: ReportServices, claim: Claim, ended: AbortSignal): Promise<void> {
  const { ledger, wait, log } = services;
  for (;;) {
    await wait(LEASE / 4, ended).catch(() => undefined);
    if (ended.aborted) return;
    await ledger
      .renew(claim, LEASE)
      .catch((error: unknown) => log.warn({ err: error }, 'a claim could not be renewed'));
  }
}

type FenceServices = Pick<ReportServices, 'ledger' | 'elapsed'>;

/** Right before a message leaves: throws LostClaimError when the slot is no longer ours. */
export async function fence({ ledger, elapsed }: FenceServices, claim: Claim): Promise<void> {
  for (;;) {
    const begun = elapsed();
    if (!(await ledger.sending(claim, LEASE))) throw new LostClaimError('another replica has this slot by now');
    claim.sending = true;
    // An old yes is none: whoever takes over meanwhile looks for what was sent at once.
    if (elapsed() - begun < 5_000) return;
  }
}
