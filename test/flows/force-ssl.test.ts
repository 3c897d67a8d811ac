import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONFIRM } from '../support/changes.ts';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

describe('forcing TLS', () => {
  let workspace: TestWorkspace;

  beforeAll(async () => {
    workspace = await startTestWorkspace();
  });
  afterAll(() => workspace.close());

  it('shows what will change, asks, does it once, says so in the channel, and remembers it', async () => {
    const { slack, platform } = workspace;
    const zone = platform.account.zones.find((one) =>
      one.Hostnames.some((host) => !host.ForceSSL && host.HasCertificate && !host.IsSystemHostname),
    )!;
    const host = zone.Hostnames.find((one) => !one.ForceSSL && one.HasCertificate && !one.IsSystemHostname)!;
    const ada = slack.person('ada');
    const ops = ada.in('#ops');

    await ops.type(`/edge ssl force ${host.Value} on`);
    const preview = await ops.expectMessage(/Force HTTPS: .*off.* → .*on/);
    expect(preview.ephemeral).toBe(true);
    expect(platform.writes()).toHaveLength(0);

    await preview.click(CONFIRM);
    const outcome = await slack
      .person('ben')
      .in('#ops')
      .expectMessage(/switched force HTTPS .*on for/);
    expect(outcome.ephemeral).toBe(false);
    expect(platform.writes().map((write) => write.path)).toEqual([`/pullzone/${zone.Id}/setForceSSL`]);
    expect(host.ForceSSL).toBe(true);

    await ops.type('/edge audit list');
    await ops.expectMessage(/Audit, without reads: [\s\S]*switched force HTTPS/);
    expect(slack.problems).toEqual([]);
  });
});
