import { startCannedPlatform } from './canned-platform.ts';
import { startTestWorkspace } from './workspace.ts';

/** A zone as `GET /pullzone` lists it, with the hostnames in the platform's writing. */
export const listedZone = (Id: number, Name: string, ...hostnames: string[]) => ({
  Id,
  Name,
  Enabled: true,
  Suspended: false,
  EnableLogging: true,
  Hostnames: [`${Name}.b-cdn.net`, ...hostnames].map((Value, at) => ({
    Id: at + 1,
    Value,
    ForceSSL: false,
    IsSystemHostname: at === 0,
    HasCertificate: true,
  })),
});

/** The whole bot before a platform that says what it is told to say, from a moment on. */
export async function startOnCanned(now: Date, environment: Record<string, string> = {}) {
  const platform = await startCannedPlatform();
  const began = performance.now();
  const workspace = await startTestWorkspace({
    now: () => new Date(now.getTime() + performance.now() - began),
    // Another time than the real one makes every signature stale.
    socket: true,
    environment: { ...platform.environment, ...environment },
  });
  await workspace.slack.connected();
  const ops = () => workspace.slack.person('ada').in('#ops');
  return {
    platform,
    workspace,
    ops,
    /** Types a command; the first answer that is no progress. */
    async ask(line: string) {
      ops().readAll();
      await ops().type(`/edge ${line}`);
      return ops().expectMessage(/^(?!.*takes a moment)/s);
    },
    async close() {
      await workspace.close();
      await platform.close();
    },
  };
}
