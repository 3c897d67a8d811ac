import { describe, expect, it } from 'vitest';
import { useSimulated } from '../database/simulated.ts';
import { prepare } from '../performing.ts';

const simulated = useSimulated();

describe('app list', () => {
  it('shows every application of every page', async () => {
    const { message } = await (await simulated.perform('app list')).run();
    const { apps } = simulated.simulator.account;
    expect(apps.length).toBeGreaterThan(20);
    for (const app of apps) expect(message.text).toContain(app.id);
    expect(message.text).toContain(`${apps.length} applications`);
    expect(simulated.queriesOf('/mc/apps')[0]).toEqual({});
  });

  it('says that there are none, and when there are more than it got', async () => {
    const none = await prepare('app list', {
      platform: { apps: { list: async () => ({ items: [], hasMore: false }) } },
    });
    expect((await none.run()).text).toBe('There are no applications.');
    const some = await prepare('app list', {
      platform: {
        apps: {
          list: async () => ({
            items: [{ id: 'A1b2C3d4', name: '<!channel>', status: 'Brand-New' }],
            hasMore: true,
            totalItems: 50,
          }),
        },
      },
    });
    const { text, blocks } = await some.run();
    expect(text).toContain('the platform has more');
    expect(text).toContain('Brand-New');
    expect(JSON.stringify(blocks.filter((block) => block.type !== 'data_table'))).not.toContain('<!channel>');
  });
});
