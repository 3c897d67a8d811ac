import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import { expect, it } from 'vitest';
import { startPlatformSimulator } from '../../../playground/platform/simulator.ts';
import { startSlackEmulator } from '../../../playground/slack/emulator.ts';
import { examine } from '../../../src/commands/doctor/examine.ts';
import { SELF_SIGNED } from '../../support/certificate.ts';

it('doctor says that a certificate is not trusted, and blames no token or key', async () => {
  const platform = await startPlatformSimulator();
  const slack = await startSlackEmulator();
  const server = createServer(SELF_SIGNED).on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const opened = `https://localhost:${(server.address() as AddressInfo).port}`;
  const environment = { ...platform.environment, ...slack.environment, STORE_URL: ':memory:', PORT: '1' };
  const detailOf = async (more: Record<string, string>, what: string) =>
    (await examine({ ...environment, ...more })).find((one) => one.what === what)?.detail ?? '';
  for (const detail of [
    await detailOf({ SLACK_API_URL: `${opened}/api` }, 'Slack'),
    await detailOf({ PLATFORM_API_URL: opened }, 'Platform'),
  ]) {
    expect(detail).toMatch(
      /^The certificate of the other side is not trusted here\. .*NODE_EXTRA_CA_CERTS to that CA’s file\.$/,
    );
    expect(detail).not.toMatch(/TOKEN|ACCESS_KEY/);
  }
  for (const detail of [
    await detailOf({ SLACK_API_URL: 'http://127.0.0.1:1/api' }, 'Slack'),
    await detailOf({ PLATFORM_API_URL: 'http://127.0.0.1:1' }, 'Platform'),
  ]) {
    expect(detail).toMatch(/HTTPS_PROXY/);
    expect(detail).not.toMatch(/TOKEN|ACCESS_KEY/);
  }
  server.close();
  await slack.close();
  await platform.close();
});
