import { describe, expect, it } from 'vitest';
import { PlatformError } from '../../../src/platform/errors.ts';
import type { App } from '../../../src/platform/resources/apps.ts';
import { useSimulated } from '../database/simulated.ts';
import { blockText, buttonsOf, prepare } from '../performing.ts';

const simulated = useSimulated();
const APP: App = {
  id: 'HbqFNk0KZjzYOcp',
  name: 'stock-api',
  status: 'active',
  description: undefined,
  displayEndpoint: undefined,
};
const refused = new PlatformError('Not here.', { status: 404, service: 'management', method: 'GET', path: '/mc/apps' });

describe('app delete', () => {
  it('names the application to type, what stays and what goes', async () => {
    const app = simulated.simulator.account.apps[0]!;
    const deletion = await simulated.perform(`app delete ${app.id}`);
    expect(deletion.target).toBe(`${app.name} (${app.id})`);
    expect(deletion.operation.typed?.(deletion.values)).toBe(app.name);
    const preview = await deletion.preview();
    expect(preview.after).toEqual({ application: 'marked for deletion, then gone' });
    expect(preview.warnings).toEqual([]);
    const text = (await deletion.preflight()).details?.text;
    const zone = simulated.simulator.account.zones.find(({ Id }) => Id === app.pullZoneId);
    const [volume] = app.volumes;
    expect(text).toContain(`status ${app.status}`);
    expect(text).toContain(`Pull zone ${app.pullZoneId} (${zone?.Name}) of the endpoint`);
    expect(text).toContain('stays, and is still billed');
    expect(text).toMatch(/What is deleted with it[\s\S]*Endpoint .* \(cdn\)/);
    expect(text).toContain(`Volume ${volume?.name} (2 instances of 10.5 GB, 1 attached, `);
    expect(text).toMatch(/GB used in all\) and everything on it/);
  });

  it('says that there are more endpoints than it could read, whose pull zones stay', async () => {
    const endpoints = async () => ({ items: [], hasMore: true });
    const volumes = async () => ({ items: [], hasMore: false }) as never;
    const { preflight } = await prepare('app delete stock-api', {
      platform: { apps: { endpoints, volumes } },
      lists: { apps: [APP] },
    });
    expect((await preflight()).details?.text).toContain(
      'There are more endpoints than are read here; their pull zones stay',
    );
  });

  it('says that the rest could not be read where the platform does not show it', async () => {
    const unread = async () => {
      throw refused;
    };
    const { preview, preflight, target } = await prepare('app delete HbqFNk0KZjzYOcp', {
      platform: { apps: { endpoints: unread, volumes: unread } },
      lists: { apps: 'no such list' },
    });
    const shown = await preview();
    expect(target).toBe('HbqFNk0KZjzYOcp');
    expect(shown.before).toBeUndefined();
    expect(shown.warnings).toContain('This application is not in any list: only its id is known.');
    expect((await preflight()).details?.text).toContain(
      'Its endpoints could not be read. Pull zones created for it stay, and are still billed.',
    );
  });

  it('sends one DELETE, and says that the application is marked for deletion, not that it is gone', async () => {
    const app = simulated.simulator.account.apps[1]!;
    const { message } = await (await simulated.perform(`app delete ${app.name}`)).run();
    expect(simulated.simulator.writes().filter(({ path }) => path.endsWith(app.id))).toHaveLength(1);
    expect(blockText(message)).toContain('*marked for deletion; cleanup runs in the background*');
    expect(buttonsOf(message)).toEqual({ 'Is it gone?': 'app list' });
  });

  it('passes the platform’s refusal on', async () => {
    const { run } = await prepare('app delete stock-api', {
      platform: { apps: { delete: async () => Promise.reject(refused) } },
      lists: { apps: [APP] },
    });
    await expect(run()).rejects.toBe(refused);
  });
});
