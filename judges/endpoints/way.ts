/** One way to an endpoint in the page: typed whole, or through the form. */
import { expect } from 'vitest';
import type { PlatformSimulator, RecordedRequest } from '../../playground/platform/simulator.ts';
import type { ModalOnPage, PersonAtPage } from '../../test/playground/e2e/browser.ts';
import { CONFIRM } from '../../test/support/changes.ts';

/** A file of this machine, as a person gives it. */
export interface GivenFile {
  name: string;
  content: string;
}

/** The steps of the person, the outcome that is shown, and the request that proves it. */
export interface Way {
  /** The line; for the form, the line that brings it. Absent: `open` begins it. */
  type?: string;
  /** A file that goes with the message. */
  attach?: GivenFile;
  /** Goes on where the line alone does not bring the form. */
  open?: (person: PersonAtPage) => Promise<void>;
  /** Fills the form in. Absent: everything was on the line. */
  fill?: (form: ModalOnPage) => Promise<void>;
  /** How a write is confirmed: by its button, or by the name to type as well. */
  confirm?: 'button' | { name: string };
  /** The outcome, in the conversation. */
  shown: RegExp;
  /** The request as it arrives at the platform. Query and body are compared in part. */
  request: {
    service?: RecordedRequest['service'];
    method: 'GET' | 'POST' | 'PUT' | 'DELETE';
    path: string | RegExp;
    query?: object;
    body?: object;
  };
}

/** The things that a person reads on the way, in order. */
export type Step = '1-form' | '2-preview' | '3-done' | '4-answer';

/** Goes this way, calls `picture` at each thing that a person reads on it, and asks the simulator what arrived. */
export async function go(
  person: PersonAtPage,
  platform: PlatformSimulator,
  way: Way,
  picture: (step: Step) => Promise<void>,
): Promise<void> {
  const before = platform.requests.length;
  if (way.attach !== undefined) await person.attach(way.attach);
  if (way.type !== undefined) await person.type(way.type);
  await way.open?.(person);
  if (way.fill !== undefined) {
    const form = await person.expectModal();
    await way.fill(form);
    await picture('1-form');
    await form.submit();
  }
  const inModal = way.fill !== undefined || typeof way.confirm === 'object';
  if (way.confirm !== undefined) await confirm(person, way.confirm, inModal, () => picture('2-preview'));
  const answer = await person.expectMessage(way.shown);
  await person.expectNoModal();
  await answer.locator.scrollIntoViewIfNeeded();
  await picture('4-answer');
  expectArrived(platform.requests.slice(before), way);
}

async function confirm(
  person: PersonAtPage,
  how: NonNullable<Way['confirm']>,
  inModal: boolean,
  picture: () => Promise<void>,
): Promise<void> {
  if (!inModal) {
    const preview = await person.expectMessage('can be confirmed until');
    await picture();
    return preview.click(CONFIRM);
  }
  const modal = await person.expectModal();
  // What empties a field of the form before is no button of a foot.
  await modal.locator.locator('.dialog-foot').getByRole('button', { name: CONFIRM }).waitFor();
  if (how !== 'button') await modal.fill('Type the name to confirm', how.name);
  await picture();
  return modal.submit();
}

/** The request arrived, was answered well, and, when it changes something, came once. */
function expectArrived(requests: readonly RecordedRequest[], { request, confirm: asked }: Way): void {
  const { service = 'api', method, path, query, body } = request;
  const found = requests.filter(
    (one) =>
      one.service === service &&
      one.method === method &&
      (typeof path === 'string' ? one.path === path : path.test(one.path)),
  );
  expect(found.map(({ status }) => status)).toEqual(found.map(() => expect.toSatisfy((status) => status < 300)));
  if (asked === undefined) expect(found).not.toHaveLength(0);
  else expect(found).toHaveLength(1);
  expect(found.at(-1)).toMatchObject({ ...(query && { query }), ...(body && { body }) });
}
