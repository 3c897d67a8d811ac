import { describe, expect, it } from 'vitest';
import { useSimulated } from '../database/simulated.ts';

const simulated = useSimulated();

describe('app show', () => {
  it('shows images, instances and restarts, and no environment variable', async () => {
    const app = simulated.simulator.account.apps[0]!;
    const { message } = await (await simulated.perform('app show stock-api')).run();
    expect(message.text).toMatch(/^stock-api\nId: HbqFNk0KZjzYOcp\nStatus: active\nInstances: 1 of 1\n/);
    expect(message.text).toContain(app.image);
    expect(message.text).toMatch(/Instances\n[\s\S]*ready\s+0\s+stock-api-00\s+DE/);
    expect(JSON.stringify(message)).not.toContain(app.password);
    expect(simulated.queriesOf(`/mc/apps/${app.id}`)).toEqual([{}]);
    expect(simulated.queriesOf(`/mc/apps/${app.id}/overview`)).toEqual([{}]);
  });

  it('says why instances do not run', async () => {
    const { message } = await (await simulated.perform('app show legacy-cron')).run();
    expect(message.text).toMatch(/Instances: 0 of \d[\s\S]*OOMKilled; exit code 137\s+14/);
  });

  it('shows the images where the instances cannot be read', async () => {
    const end = simulated.simulator.fault('status=500@/overview');
    const { message } = await (await simulated.perform('app show stock-api')).run();
    end();
    expect(message.text).toContain('Its instances are not shown: the platform refused');
    expect(message.text).toContain('registry.example.com/shop/stock-api');
  });
});
