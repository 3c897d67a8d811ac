import { expect, it } from 'vitest';
import { installedApp } from '../../../playground/launcher/app-manifest.ts';

it('the app is installed as its manifest describes it', () => {
  const { commands, scopes, events } = installedApp();
  expect(commands).toMatchObject([{ command: '/edge', usageHint: expect.stringContaining('ssl') }]);
  expect(scopes).toContain('chat:write');
  expect(events).toContain('app_mention');
});
