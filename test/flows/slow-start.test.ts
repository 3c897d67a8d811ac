import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startPlatformSimulator } from '../../playground/platform/simulator.ts';
import { startSlackEmulator } from '../../playground/slack/emulator.ts';
import { startApp } from '../../src/app.ts';
import { parseConfig } from '../../src/config.ts';
import { SOCKET_TIMES } from '../../src/slack/in/socket-mode.ts';
import { openStore } from '../../src/store/store.ts';
import { StoreError } from '../../src/store/store-error.ts';

it('a start waits for a store that is overworked just then', async () => {
  const [platform, slack] = [await startPlatformSimulator(), await startSlackEmulator()];
  const folder = mkdtempSync(join(tmpdir(), 'edgewise-test-'));
  const config = parseConfig({
    ...platform.environment,
    ...slack.environment,
    PORT: '0',
    STORE_URL: `file:${join(folder, 'edgewise.db')}`,
  });
  const logged: string[] = [];
  const late = ['add', 'arm'];
  const app = await startApp(config, {
    write: (line) => void logged.push(line),
    times: { ...SOCKET_TIMES, first: 1 },
    async openStore(given) {
      const store = await openStore(given);
      const slowly = <T>(step: string, work: () => Promise<T>): Promise<T> => {
        if (late[0] !== step) return work();
        late.shift();
        return Promise.reject(new StoreError('slow', 'no answer in 1000 ms'));
      };
      const { add, arm } = store.jobs;
      const jobs: typeof store.jobs = {
        ...store.jobs,
        add: (job) => slowly('add', () => add(job)),
        arm: (...row) => slowly('arm', () => arm(...row)),
      };
      return { ...store, jobs };
    },
  });
  expect(late).toEqual([]);
  expect(logged.filter((line) => line.includes('it is tried again'))).toHaveLength(2);
  await app.stop({ reads: 0 });
  await Promise.all([slack.close(), platform.close()]);
  rmSync(folder, { recursive: true });
});
