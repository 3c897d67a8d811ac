import { setImmediate } from 'node:timers/promises';
import { count, share } from '../../blocks/format.ts';
import { type Message, message, note, section } from '../../blocks/message.ts';
import { bold, code, join, mrkdwn } from '../../blocks/mrkdwn.ts';
import { withoutQuery } from '../../logs/record.ts';
import { pathTemplate } from '../../logs/template.ts';
import { HOUR } from '../../time.ts';
import type { ShieldZoneRef } from '../arguments/resources/shield-zones.ts';
import type { Context } from '../context.ts';
import { recentRequests } from '../recent-requests.ts';
import type { DefinitionOutline } from './outline.ts';
import { createPathMatcher } from './paths.ts';

const untold = (why: string) =>
  message(note(`I can’t tell how many requests match no path of the definition: ${why}.`));

/** The share of the last hour's requests that match no path, and the commonest of those. */
export async function unmatchedMessage(
  shield: ShieldZoneRef,
  { templates }: DefinitionOutline,
  context: Context,
): Promise<Message> {
  const zoneId = shield.zone?.Id;
  if (zoneId === undefined) return untold('which pull zone this shield zone protects is not known');
  // Beyond every plan.
  if (templates.join('').length > 100_000) return untold('its paths are too many or too long');
  const from = new Date(context.now.getTime() - HOUR);
  const bounds = { pages: 5, perPage: 1_000, limit: AbortSignal.timeout(12_000) };
  const recent = await recentRequests(zoneId, { from }, bounds, context);
  if ('unread' in recent) return untold(recent.unread);
  const paths = recent.records.flatMap(
    ({ path, url }) => path ?? (url !== undefined && URL.canParse(url) ? new URL(url).pathname : []),
  );
  if (paths.length === 0) return untold('no requests were logged in the last hour');

  const matches = createPathMatcher(templates);
  const others = new Map<string, number>();
  let missed = 0;
  for (const [index, path] of paths.entries()) {
    // More in one turn would block the thread.
    if (index % 250 === 249) await setImmediate();
    if (matches(path)) continue;
    missed += 1;
    const kind = pathTemplate(withoutQuery(path));
    others.set(kind, (others.get(kind) ?? 0) + 1);
  }
  const most = [...others].sort(([, a], [, b]) => b - a).slice(0, 5);
  const whole = recent.isWhole ? 'the last hour’s' : 'the newest';
  return message(
    section(
      mrkdwn`${bold(share(missed, paths.length))} of ${whole} ${count(paths.length)} logged requests (${count(missed)}) match no path of the definition.`,
    ),
    most.length > 0 &&
      section(
        mrkdwn`Most often: ${join(
          most.map(([kind, times]) => mrkdwn`${code(kind)} ${count(times)}`),
          ', ',
        )}`,
      ),
    !recent.isWhole && note('The last hour has more requests than these.'),
  );
}
