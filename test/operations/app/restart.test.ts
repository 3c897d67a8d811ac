import { describe, expect, it } from 'vitest';
import { useSimulated } from '../database/simulated.ts';
import { blockText } from '../performing.ts';

const simulated = useSimulated();

describe('app restart', () => {
  it('says that it cannot be undone, and restarts it', async () => {
    const app = simulated.simulator.account.apps[0]!;
    const restart = await simulated.perform('app restart stock-api');
    const preview = await restart.preview();
    expect(preview.after).toEqual({ instances: 'all are restarted' });
    expect(preview.warnings).toEqual([expect.stringContaining('cannot be undone')]);
    const text = blockText((await restart.run()).message);
    expect(text).toContain('restarted the application `stock-api (HbqFNk0KZjzYOcp)`');
    expect(text).toContain('Is it up?');
    expect(simulated.simulator.writes().at(-1)).toMatchObject({ method: 'POST', path: `/mc/apps/${app.id}/restart` });
  });
});
