import { commandButton } from '../../blocks/buttons.ts';
import { shorten } from '../../blocks/limits.ts';
import { actions, fields, heading, message, note } from '../../blocks/message.ts';
import { code } from '../../blocks/mrkdwn.ts';
import { numberCell, right, table } from '../../blocks/table.ts';
import { toType } from '../../own-name.ts';
import type { Pod } from '../../platform/resources/apps.ts';
import { app } from '../arguments/resources/kinds.ts';
import { defineOperation } from '../operation.ts';
import { reasonOf, shown, tried } from '../unreadable.ts';

/** Undefined: nothing is known. */
const sum = ([first, ...more]: readonly number[]) => more.reduce((all, one) => all! + one, first);

export const showApp = defineOperation({
  name: 'app show',
  summary: 'Show what an application runs: images, instances, restarts',
  synonyms: {
    verbs: 'details, status, running, runs, health, restarts, configuration',
    nouns: 'apps, application, container, containers, image, images, instances, pods',
  },
  effect: 'read',
  args: { app: app() },
  examples: ['app show shop-api'],

  async run({ app }, { platform, signal }) {
    const [one, overview] = await Promise.all([
      shown('applications', `${toType('app list')} lists them.`, () => platform.apps.get(app.id, { signal })),
      tried(platform.apps.overview(app.id, { signal })),
    ]);
    return { one, overview };
  },

  render({ one, overview }, { app }) {
    const live = 'value' in overview ? overview.value : undefined;
    const { activeInstances: active, desiredInstances: wanted } = live ?? {};
    const pods = (live?.regions ?? []).flatMap(({ region, pods: some }) => some.map((pod) => ({ region, ...pod })));
    return message(
      heading(one.name ?? app.name ?? one.id),
      fields([
        ['Id', code(one.id)],
        ['Status', live?.status ?? one.status],
        ['Instances', wanted === undefined ? active?.toString() : `${active ?? '?'} of ${wanted}`],
        ['Address', one.displayEndpoint?.address === undefined ? undefined : code(one.displayEndpoint.address)],
      ]),
      'failure' in overview && note(`Its instances are not shown: ${reasonOf(overview.failure)}.`),
      one.containerTemplates.length > 0 &&
        table({
          caption: 'Images',
          columns: ['Container', 'Image', 'Tag', 'Digest'],
          rows: one.containerTemplates.map(({ name, image, imageTag, imageDigest }) => [
            name,
            image,
            imageTag,
            imageDigest?.replace(/^sha256:/, '').slice(0, 12),
          ]),
        }),
      pods.length > 0 &&
        table({
          caption: 'Instances',
          columns: ['State', 'Says', right('Restarts'), 'Pod', 'Region'],
          rows: pods.map(({ name, region, status, message: said, containers }) => [
            status,
            whyOf(said, containers),
            numberCell(sum(containers.flatMap(({ numberOfRestarts }) => numberOfRestarts ?? []))),
            name,
            region,
          ]),
        }),
      pods.length > 0 && note('The platform does not say when a pod was started; restarts are counted from its start.'),
      actions(commandButton('Restart', `app restart ${one.id}`), commandButton('Volumes', `volume list ${one.id}`)),
    );
  },
});

/** Why it does not run, if the platform says so. */
function whyOf(said: string | undefined, containers: Pod['containers']): string | undefined {
  const words = containers.flatMap((one) => [one.reason, one.message, one.exitCode && `exit code ${one.exitCode}`]);
  return shorten([...new Set([said, ...words])].filter(Boolean).join('; '), 200) || undefined;
}
