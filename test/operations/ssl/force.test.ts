import { describe, expect, it } from 'vitest';
import { blockText, NO_LISTS, type PlatformPart, prepare, zoneOf } from '../performing.ts';

const lists = {
  zones: [
    zoneOf(
      1001,
      'main',
      { Value: 'cdn.example.com', ForceSSL: false, HasCertificate: true },
      { Value: 'bare.example.com', ForceSSL: false, HasCertificate: false },
    ),
  ],
};

function pullZones(sent: unknown[]): PlatformPart {
  return {
    pullZones: {
      async setForceSSL(id, given) {
        sent.push({ id, ...given });
        return { extra: {} };
      },
    },
  };
}

describe('ssl force', () => {
  it('shows the state now and after, sends it, and can be undone', async () => {
    const sent: unknown[] = [];
    const prepared = await prepare('ssl force CDN.example.com ON', { platform: pullZones(sent), lists });
    const preview = await prepared.preview();
    expect(prepared.target).toBe('cdn.example.com on main (1001)');
    expect(preview).toEqual({ before: { ForceSSL: false }, after: { ForceSSL: true }, warnings: [] });
    expect(blockText(await prepared.run())).toBe(
      'switched force HTTPS *off → on* for `cdn.example.com on main (1001)`',
    );
    expect(sent).toEqual([{ id: 1001, Hostname: 'cdn.example.com', ForceSSL: true }]);
    expect(prepared.canonical).toEqual({ hostname: 'cdn.example.com@1001', state: 'on' });
    const undo = prepared.operation.undo?.({ before: { ForceSSL: false }, after: { ForceSSL: true } }, prepared.values);
    expect(undo).toEqual({ state: 'off' });
  });

  it('warns when there is no certificate', async () => {
    const { worsens } = await (await prepare('ssl force bare.example.com on', { lists })).preview();
    expect(worsens).toBe('This hostname has no certificate: visitors would see an error.');
  });

  it('works with --zone alone when nothing can be looked up, and says that the state is not known', async () => {
    const sent: unknown[] = [];
    const setting = { platform: pullZones(sent), lists: NO_LISTS };
    const prepared = await prepare('ssl force cdn.example.com off --zone 1001', setting);
    expect(await prepared.preview()).toEqual({
      unread: 'the platform has no such list',
      after: { ForceSSL: false },
      warnings: [],
    });
    await prepared.run();
    expect(sent).toEqual([{ id: 1001, Hostname: 'cdn.example.com', ForceSSL: false }]);
    await expect(prepare('ssl force cdn.example.com off', setting)).rejects.toMatchObject({
      hint: 'Say on which zone it is: `--zone <id>`',
    });
  });
});
