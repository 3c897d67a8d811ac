import { count } from '../../blocks/format.ts';
import { fields, message, note, type Part } from '../../blocks/message.ts';
import { bold, mrkdwn } from '../../blocks/mrkdwn.ts';
import { type Cell, table } from '../../blocks/table.ts';
import type { Volume } from '../../platform/resources/apps.ts';
import { app, appName } from '../arguments/resources/apps.ts';
import type { Reader } from '../context.ts';
import { defineOperation } from '../operation.ts';

/** GB as the platform gives them, with fractions. */
const gigabytes = (value: number | undefined, reader: Reader): Cell =>
  value === undefined ? '–' : { value, text: `${count(value, reader)} GB` };

const gigabytesText = (value: number | undefined, reader: Reader) =>
  value === undefined ? undefined : `${count(value, reader)} GB`;

const counted = (value: number | undefined, reader: Reader) => (value === undefined ? undefined : count(value, reader));

/** Detached instances cost as much as attached ones. */
const isDetached = (status: string | undefined) => status?.toLowerCase() === 'detached';

const volumeName = ({ name, id }: Volume) => name ?? id;

function volumesTable(volumes: readonly Volume[], reader: Reader): Part {
  return table({
    caption: 'Volumes',
    columns: [
      { label: 'Volume' },
      { label: 'ID' },
      { label: 'Size', align: 'right' },
      { label: 'Used', align: 'right' },
      { label: 'Instances', align: 'right' },
      { label: 'Attached', align: 'right' },
      { label: 'Containers', align: 'right' },
    ],
    rows: volumes.map((volume) => [
      volumeName(volume),
      volume.id,
      gigabytes(volume.size, reader),
      gigabytes(volume.totalUsage, reader),
      volume.totalInstancesCount ?? '–',
      volume.attachedInstancesCount ?? '–',
      volume.containersCount ?? '–',
    ]),
  });
}

function instancesTable(volumes: readonly Volume[], reader: Reader): Part {
  return table({
    caption: 'Instances',
    columns: [
      { label: 'Volume' },
      { label: 'Instance' },
      { label: 'Region' },
      { label: 'Status' },
      { label: 'Size', align: 'right' },
      { label: 'Used', align: 'right' },
      { label: 'Set' },
      { label: 'Pods' },
      { label: 'Containers' },
    ],
    rows: volumes.flatMap((volume) =>
      volume.volumeInstances.map((instance) => [
        volumeName(volume),
        instance.id ?? '–',
        instance.region ?? '–',
        instance.status ?? '–',
        gigabytes(instance.size, reader),
        gigabytes(instance.usage, reader),
        instance.set ?? '–',
        instance.attachedPods.join(', ') || '–',
        instance.attachedContainers.join(', ') || '–',
      ]),
    ),
  });
}

export const listVolumes = defineOperation({
  name: 'volume list',
  summary: 'List the volumes of a container application',
  effect: 'read',
  args: { app: app() },
  examples: ['volume list shop-api'],

  target: ({ app }) => appName(app),

  run: ({ app }, { platform, signal }) => platform.apps.volumes(app.id, { signal }),

  render({ items, summary, meta, hasMore }, { app }, reader) {
    const total = meta?.totalItems ?? items.length;
    const instances = items.flatMap((volume) => volume.volumeInstances);
    const detached = instances.filter((instance) => isDetached(instance.status)).length;
    return message(
      mrkdwn`${bold(appName(app))}: ${count(total, reader)} ${total === 1 ? 'volume' : 'volumes'}`,
      fields([
        ['Pods', counted(summary?.totalPods, reader)],
        ['Containers', counted(summary?.totalContainers, reader)],
        ['Storage', gigabytesText(summary?.totalStorage, reader)],
      ]),
      items.length > 0 && volumesTable(items, reader),
      instances.length > 0 && instancesTable(items, reader),
      detached > 0 && note(`${count(detached, reader)} detached: what is not attached is billed all the same.`),
      hasMore && note('There are more volumes than these; the platform has no way to ask for them.'),
    );
  },
});
