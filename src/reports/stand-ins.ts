import type { Logger } from 'pino';
import type { Message } from '../blocks/message.ts';
import type { Policy } from '../policy/policy.ts';
import { type Poster, PostRefusedError } from './post.ts';

export interface StandInServices {
  poster: Pick<Poster, 'tell'>;
  policy: Pick<Policy, 'admins'>;
  log: Logger;
}

/** The admins where that person has left or is unknown (''), else the log. Throws only what may pass. */
export async function tellOrAdmins(services: StandInServices, person: string, message: Message): Promise<void> {
  if (person !== '' && (await isTold(services, person, message))) return;
  const others = services.policy.admins.filter((admin) => admin !== person);
  const told = await Promise.allSettled(others.slice(0, 5).map((admin) => isTold(services, admin, message)));
  if (told.some((one) => one.status === 'fulfilled' && one.value)) return;
  const failed = told.find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  services.log.error({ person, said: message.text }, 'nobody who can act could be told');
}

/** False: there is nobody to tell any more. */
async function isTold({ poster }: StandInServices, person: string, message: Message): Promise<boolean> {
  try {
    await poster.tell(person, message);
    return true;
  } catch (error) {
    if (error instanceof PostRefusedError && error.means === 'person gone') return false;
    throw error;
  }
}
