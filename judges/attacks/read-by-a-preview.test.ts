import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestWorkspace } from '../../test/support/workspace.ts';
import { startUnder } from './under.ts';

const POLICY = `roles:
  everybody:
    allow: []
  shop:
    people: [U0BEN000002]
    allow:
      - operations: block
        where: { zone: shop }
`;

describe('somebody wants to read by the preview of a block what they may not read', () => {
  let workspace: TestWorkspace;
  beforeAll(async () => {
    workspace = await startUnder(POLICY);
    const { zones } = workspace.platform.account;
    zones.find(({ Name }) => Name === 'api')!.OriginUrl = 'https://192.0.2.7';
    zones.find(({ Name }) => Name === 'shop')!.OriginUrl = 'https://192.0.2.8';
  });
  afterAll(() => workspace.close());
  const told = async (name: string, line: string) => {
    const ops = workspace.slack.person(name).in('#ops');
    await ops.type(`/edge ${line}`);
    return (await ops.expectMessage(/Block |not blocked/)).text;
  };

  it('lines of the log: how many, and no line', async () => {
    const log = / · DE · /;
    expect(await told('ada', 'block add shop DE')).toMatch(log);
    const said = await told('ben', 'block add shop DE');
    expect(said).toMatch(/It would have hit [\d,]+ of [\d,]+ requests of the last hour \([\d.]+%\)\.$/m);
    expect(said).not.toMatch(log);
  });

  it('the origins of other zones', async () => {
    expect(await told('ada', 'block add shop 192.0.2.7')).toMatch(/it is an origin of yours/);
    expect(await told('ben', 'block add shop 192.0.2.7')).toMatch(/^Block 192\.0\.2\.7/);
    expect(await told('ben', 'block add shop 192.0.2.8')).toMatch(/it is an origin of yours/);
  });
});
