import { describe, expect, it } from 'vitest';
import { useSimulated } from '../database/simulated.ts';
import { blockText } from '../performing.ts';

const simulated = useSimulated();

describe('app restart', () => {
  it('says what runs and that it cannot be undone, and restarts it', async () => {
    const app = simulated.simulator.account.apps[0]!;
    const restart = await simulated.perform('app restart stock-api');
    const preview = await restart.preview();
    expect(preview.after).toEqual({ instances: 'all are restarted' });
    expect(preview.warnings).toEqual([expect.stringContaining('cannot be undone')]);
    expect((await restart.preflight()).details?.text).toBe('Instances now: 1 of 1');
    const text = blockText((await restart.run()).message);
    expect(text).toContain('restarted the application `stock-api (HbqFNk0KZjzYOcp)`');
    expect(text).toContain('Is it up?');
    expect(simulated.simulator.writes().at(-1)).toMatchObject({ method: 'POST', path: `/mc/apps/${app.id}/restart` });
  });

  it('is possible where the instances cannot be read, and says so', async () => {
    const end = simulated.simulator.fault('status=403@/overview');
    const { details } = await (await simulated.perform('app restart stock-api')).preflight();
    end();
    expect(details?.text).toContain('Its instances are not shown');
  });
});
