import { expect, it } from 'vitest';
import { useSimulated } from '../database/simulated.ts';

const simulated = useSimulated();

it('script releases shows what runs, the newest first, and the way back', async () => {
  const script = simulated.simulator.account.scripts.find(({ Name }) => Name === 'geo-redirect')!;
  const { message } = await (await simulated.perform('script releases geo-redirect')).run();
  const [first, , live] = script.releases;
  expect(message.text).toMatch(
    new RegExp(`^geo-redirect \\(41300\\) runs ${live!.Uuid.slice(0, 8)} \\(${live!.Note}\\)`),
  );
  expect(message.text).toMatch(/3 releases[\s\S]*fix the headers of robots[\s\S]*keep the query[\s\S]*first version/);
  expect(message.text).toMatch(/Ada Lovelace[\s\S]*[0-9a-f]{8}[\s\S]*kB/);
  expect(JSON.stringify(message)).toContain(`script publish 41300 ${script.releases[1]!.Uuid}`);
  expect(JSON.stringify(message)).not.toMatch(/key_|ada@example/);
  expect(first!.CommitSha).toBeNull();
  expect(simulated.queriesOf('/compute/script/41300/releases')).toEqual([{ page: '1', perPage: '50' }]);
});

it('script releases says when there are none, or when the platform does not show them', async () => {
  simulated.simulator.account.scripts.find(({ Name }) => Name === 'robots-txt')!.releases = [];
  const { message } = await (await simulated.perform('script releases robots-txt')).run();
  expect(message.text).toBe('robots-txt (41333) has no releases.');
  await expect((await simulated.perform('script releases 7')).run()).rejects.toThrow(/does not show releases/);
});
