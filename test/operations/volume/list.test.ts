import { describe, expect, it } from 'vitest';
import { useSimulated } from '../database/simulated.ts';
import { prepare } from '../performing.ts';

const simulated = useSimulated({ specOnly: true });

describe('volume list', () => {
  it('shows the summary, the counts, and each instance with what is attached to it', async () => {
    const app = simulated.simulator.account.apps.find(({ volumes }) => volumes.length > 0)!;
    const volume = app.volumes[0]!;
    const instance = volume.volumeInstances[0]!;
    const { message } = await (await simulated.perform(`volume list ${app.id}`)).run();
    expect(message.text).toContain('Storage: ');
    for (const shown of [
      volume.name,
      volume.id,
      instance.id,
      instance.region,
      instance.status,
      instance.set,
      ...instance.attachedPods,
      ...instance.attachedContainers,
    ]) {
      expect(message.text).toContain(shown);
    }
    expect(simulated.queriesOf(`/mc/apps/${app.id}/volumes`)).toEqual([{}]);
  });

  it('takes sizes that are no integers, says what is detached and that there are more', async () => {
    const { run } = await prepare('volume list A1b2C3d4', {
      lists: { apps: 'no list' },
      platform: {
        apps: {
          volumes: async () => ({
            items: [
              {
                id: 'v1',
                name: undefined,
                size: 10.25,
                totalUsage: 0.5,
                totalInstancesCount: 3,
                attachedInstancesCount: 2,
                containersCount: 4,
                volumeInstances: [
                  {
                    id: 'i1',
                    attachedPods: [],
                    attachedContainers: [],
                    region: 'DE',
                    status: 'Detached',
                    size: 3.4,
                    usage: 0.1,
                    set: 's',
                  },
                ],
              },
            ],
            summary: { totalPods: 1, totalContainers: 4, totalStorage: 10.25 },
            meta: { totalItems: 7 },
            hasMore: true,
          }),
        },
      },
    });
    const { text } = await run();
    expect(text).toContain('7 volumes');
    expect(text).toMatch(/v1 +v1 +10\.25 GB +0\.5 GB +3 +2 +4/);
    expect(text).toContain('3.4 GB');
    expect(text).toContain('1 detached');
    expect(text).toContain('There are more volumes than these');
  });
});
