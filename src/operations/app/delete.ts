import { actions, commandButton, message, note, section } from '../../blocks/message.ts';
import { code, join, type Mrkdwn, mrkdwn, type Words } from '../../blocks/mrkdwn.ts';
import { PlatformConnectionError, PlatformError, PlatformShapeError } from '../../platform/errors.ts';
import type { AppEndpoint, VolumeList } from '../../platform/types.ts';
import { flag } from '../arguments/plain.ts';
import { type AppRef, app, appName } from '../arguments/resources/apps.ts';
import { type Context, defineOperation } from '../operation.ts';

/** How often the list is asked for the app, and how long in between (milliseconds), before the answer is given. */
const LOOKS = 4;
const PAUSE = 1_000;

/** Something that could be read, or why not. */
type Read<T> = { value: T } | { unread: string };

/** What the platform refuses or does not know is told; it does not keep anybody from deciding. */
async function tried<T>(reading: Promise<T>): Promise<Read<T>> {
  try {
    return { value: await reading };
  } catch (error) {
    const known = [PlatformError, PlatformConnectionError, PlatformShapeError].some((kind) => error instanceof kind);
    if (!known) throw error;
    return { unread: (error as Error).message };
  }
}

function endpointLines(endpoints: Read<AppEndpoint[]>): Words[] {
  if ('unread' in endpoints)
    return ['Its endpoints could not be read: pull zones that were made for it stay, and are billed.'];
  const zones = endpoints.value.filter((endpoint) => endpoint.pullZoneId !== undefined);
  return zones.map(
    ({ displayName, id, pullZoneId }) =>
      mrkdwn`Pull zone ${code(pullZoneId ?? 0)} of the endpoint ${displayName ?? id ?? 'without a name'} stays, and is billed.`,
  );
}

function volumeLines(volumes: Read<VolumeList>): Words[] {
  if ('unread' in volumes) return ['Its volumes could not be read.'];
  const { items, hasMore } = volumes.value;
  return [
    ...items.map(
      ({ name, id, size }) =>
        mrkdwn`Volume ${code(name ?? id)}${size === undefined ? '' : ` (${size} GB)`} and what is on it.`,
    ),
    ...(hasMore ? ['There are more volumes than these.'] : []),
  ];
}

const listed = (lines: Words[]): Mrkdwn =>
  join(
    lines.map((line) => mrkdwn`• ${line}`),
    '\n',
  );

const pause = (signal: AbortSignal) =>
  new Promise<void>((settle) => {
    const timer = setTimeout(settle, PAUSE);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      settle();
    });
  });

/** Looks for the app in the list for a few seconds: `gone` only when it was seen to have left it. */
async function lookForGone(
  { id }: AppRef,
  { platform, progress, signal }: Context,
): Promise<'gone' | 'listed' | 'unread'> {
  for (let look = 1; ; look += 1) {
    const list = await tried(platform.apps.list({ signal }));
    // A list that is not whole proves nothing.
    if ('unread' in list) return 'unread';
    if (!list.value.items.some((one) => one.id === id)) return list.value.hasMore ? 'unread' : 'gone';
    progress(look, LOOKS);
    if (look === LOOKS || signal.aborted) return 'listed';
    await pause(signal);
  }
}

export const deleteApp = defineOperation({
  name: 'app delete',
  summary: 'Delete a container application',
  effect: 'destructive',
  args: {
    app: app(),
    force: flag('Without typing the name', { hint: 'The button is still asked for' }),
  },
  examples: ['app delete shop-api'],

  target: ({ app }) => app.name ?? app.id,

  async preview({ app }, { platform, signal }) {
    const [endpoints, volumes] = await Promise.all([
      tried(platform.apps.endpoints(app.id, { signal })),
      tried(platform.apps.volumes(app.id, { signal })),
    ]);
    const staying = endpointLines(endpoints);
    const going = volumeLines(volumes);
    return {
      // The status comes and goes by itself, so it is shown and not compared; and an application that is still listed may
      // well be marked, so no state says whether a lost answer was a yes.
      before: undefined,
      unread: 'the platform does not show which applications are marked for deletion',
      after: { application: 'marked for deletion, then gone' },
      warnings: ['This cannot be taken back.'],
      details: message(
        mrkdwn`${appName(app)}${app.app?.status === undefined ? '' : mrkdwn`, status ${code(app.app.status)}`}${
          app.app?.displayEndpoint?.address === undefined ? '' : mrkdwn`, at ${code(app.app.displayEndpoint.address)}`
        }`,
        staying.length > 0 && section(mrkdwn`*What stays*\n${listed(staying)}`),
        going.length > 0 && section(mrkdwn`*What goes with it*\n${listed(going)}`),
      ),
    };
  },

  async run({ app }, context) {
    await context.platform.apps.delete(app.id, { signal: context.signal });
    return { state: await lookForGone(app, context) };
  },

  render({ state }, { app }) {
    if (state === 'gone') return message(mrkdwn`${appName(app)} is gone: it was deleted and has left the list.`);
    return message(
      mrkdwn`${appName(app)}: *marked for deletion; cleanup runs in the background*.`,
      note(
        state === 'unread'
          ? 'Whether it is gone could not be read.'
          : 'It is still in the list. It is gone when it has left it.',
      ),
      actions(commandButton('Is it gone?', 'app list')),
    );
  },
});
