import { count, countOf } from '../../blocks/format.ts';
import { fields, message, note, type Part } from '../../blocks/message.ts';
import { bold, mrkdwn } from '../../blocks/mrkdwn.ts';
import { numberCell, right, table } from '../../blocks/table.ts';
import type { Volume } from '../../platform/resources/apps.ts';
import { app } from '../arguments/resources/kinds.ts';
import { nameWithId } from '../arguments/resources/look-up.ts';
import type { Reader } from '../context.ts';
import { defineOperation } from '../operation.ts';

const gigabytes = (value: number, reader: Reader) => `${count(value, reader)} GB`;

const volumeName = ({ name, id }: Volume) => name ?? id;

function volumesTable(volumes: readonly Volume[], reader: Reader): Part {
  return table({
    caption: 'Volumes',
    columns: ['Volume', 'ID', right('Size'), right('Used'), right('Instances'), right('Attached'), right('Containers')],
    rows: volumes.map((volume) => [
      volumeName(volume),
      volume.id,
      numberCell(volume.size, gigabytes, reader),
      numberCell(volume.totalUsage, gigabytes, reader),
      volume.totalInstancesCount,
      volume.attachedInstancesCount,
      volume.containersCount,
    ]),
  });
}

function instancesTable(volumes: readonly Volume[], reader: Reader): Part {
  return table({
    caption: 'Instances',
    columns: ['Volume', 'Instance', 'Region', 'Status', right('Size'), right('Used'), 'Set', 'Pods', 'Containers'],
    rows: volumes.flatMap((volume) =>
      volume.volumeInstances.map((instance) => [
        volumeName(volume),
        instance.id,
        instance.region,
        instance.status,
        numberCell(instance.size, gigabytes, reader),
        numberCell(instance.usage, gigabytes, reader),
        instance.set,
        instance.attachedPods.join(', ') || undefined,
        instance.attachedContainers.join(', ') || undefined,
      ]),
    ),
  });
}

export const listVolumes = defineOperation({
  name: 'volume list',
  summary: 'List the volumes of a container application',
  synonyms: { nouns: 'vols, disk, disks, storage' },
  effect: 'read',
  args: { app: app() },
  examples: ['volume list shop-api'],

  run: ({ app }, { platform, signal }) => platform.apps.volumes(app.id, { signal }),

  render({ items, summary, meta, hasMore }, { app }, reader) {
    const shown = (value: number | undefined, show: typeof gigabytes) =>
      value === undefined ? undefined : show(value, reader);
    const instances = items.flatMap((volume) => volume.volumeInstances);
    const detached = instances.filter(({ status }) => status?.toLowerCase() === 'detached').length;
    return message(
      mrkdwn`${bold(nameWithId(app))}: ${countOf(meta?.totalItems ?? items.length, 'volume', reader)}`,
      fields([
        ['Pods', shown(summary?.totalPods, count)],
        ['Containers', shown(summary?.totalContainers, count)],
        ['Storage', shown(summary?.totalStorage, gigabytes)],
      ]),
      items.length > 0 && volumesTable(items, reader),
      instances.length > 0 && instancesTable(items, reader),
      detached > 0 && note(`${count(detached, reader)} detached: detached volumes are still billed.`),
      hasMore && note('There are more volumes than these; the platform has no way to ask for them.'),
    );
  },
});
