import { afterEach, describe, expect, it, vi } from 'vitest';
import { PlatformConnectionError, PlatformError } from '../../../src/platform/errors.ts';
import type { App } from '../../../src/platform/resources/apps.ts';
import { useSimulated } from '../database/simulated.ts';
import { blockText, buttonsOf, type PlatformPart, prepare } from '../performing.ts';

const simulated = useSimulated();
const APP: App = {
  id: 'HbqFNk0KZjzYOcp',
  name: 'stock-api',
  status: 'active',
  description: undefined,
  displayEndpoint: undefined,
};
const refused = new PlatformError('Not here.', { status: 404, service: 'management', method: 'GET', path: '/mc/apps' });

/** A platform on which the app stays listed for so many looks. */
function leavingAfter(looks: number, more: Partial<PlatformPart['apps']> = {}): PlatformPart {
  let seen = 0;
  return {
    apps: {
      delete: async () => ({ extra: {} }),
      list: async () => {
        seen += 1;
        return { items: seen > looks ? [] : [APP], hasMore: false };
      },
      ...more,
    },
  };
}

afterEach(() => {
  vi.useRealTimers();
});

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

  it('sends one DELETE and says gone only when the application has left the list', async () => {
    const app = simulated.simulator.account.apps[1]!;
    const end = simulated.simulator.fault('deletion=0');
    const { message } = await (await simulated.perform(`app delete ${app.name}`)).run();
    end();
    expect(message.text).toContain('is gone');
    expect(simulated.simulator.writes().filter(({ path }) => path.endsWith(app.id))).toHaveLength(1);
  });

  it('says that it is marked for deletion while the application is still listed', async () => {
    vi.useFakeTimers();
    const { run } = await prepare('app delete stock-api', { platform: leavingAfter(99), lists: { apps: [APP] } });
    const running = run();
    await vi.advanceTimersByTimeAsync(10_000);
    const message = await running;
    expect(blockText(message)).toContain('*marked for deletion; cleanup runs in the background*');
    expect(message.text).not.toContain('is gone:');
    expect(buttonsOf(message)).toEqual({ 'Is it gone?': 'app list' });
  });

  it('looks again for a few seconds', async () => {
    vi.useFakeTimers();
    const { run } = await prepare('app delete stock-api', { platform: leavingAfter(2), lists: { apps: [APP] } });
    const running = run();
    await vi.advanceTimersByTimeAsync(10_000);
    expect((await running).text).toContain('is gone');
  });

  it.each([
    ['is not whole', async () => ({ items: [], hasMore: true })],
    [
      'does not come',
      async () => {
        throw new PlatformConnectionError('gone', {
          applied: 'no',
          service: 'management',
          method: 'GET',
          path: '/mc/apps',
        });
      },
    ],
  ])('never says gone when the list %s', async (_, list) => {
    const { run } = await prepare('app delete stock-api', {
      platform: leavingAfter(0, { list }),
      lists: { apps: [APP] },
    });
    const message = await run();
    expect(message.text).toContain('marked for deletion');
    expect(message.text).toContain('I could not read whether it is gone.');
  });

  it('passes the platform’s refusal on', async () => {
    const { run } = await prepare('app delete stock-api', {
      platform: { apps: { delete: async () => Promise.reject(refused) } },
      lists: { apps: [APP] },
    });
    await expect(run()).rejects.toBe(refused);
  });
});
