import { expect, it } from 'vitest';
import { useSimulated } from './database/simulated.ts';
import { blockText } from './performing.ts';

const simulated = useSimulated();
const shieldOf = (zone: number) =>
  simulated.simulator.account.shieldZones.find(({ pullZoneId }) => pullZoneId === zone);

async function run(line: string) {
  const ready = await simulated.perform(line);
  const preview = await ready.preview();
  const { message } = await ready.run();
  const undo = ready.operation.undo!({ before: preview.before!, after: preview.after }, ready.values);
  return { preview, said: blockText(message), undo };
}

it('attack on challenges everybody, and its undo sets what was before', async () => {
  shieldOf(308002)!.sensitivity = 1;
  const { preview, said, undo } = await run('attack on shop');
  expect(preview).toMatchObject({ before: { protection: 'low' }, after: { protection: 'challenge everybody' } });
  expect(blockText(preview.details!)).toMatch(/short calculation.*has the plan Advanced/su);
  expect(preview.warnings).toEqual([expect.stringContaining('Anything that is not a browser will fail')]);
  expect(said).toBe('switched attack mode *on* for `shop (308002)`: *low → challenge everybody*\nWhat it stops');
  expect(undo).toEqual({ state: 'off', level: 'low' });
  expect(shieldOf(308002)!.sensitivity).toBe(4);
  expect((await run('attack off shop --level low')).undo).toEqual({ state: 'on' });
  expect(shieldOf(308002)!.sensitivity).toBe(1);
});

it('attack off leaves a zone alone that is not in attack mode', async () => {
  shieldOf(308002)!.sensitivity = 3;
  const { before, after } = await (await simulated.perform('attack off shop')).preview();
  expect([before, after]).toEqual([{ protection: 'high' }, { protection: 'high' }]);
});

it.each([undefined, 7])(
  'attack cannot be undone where the platform shows no level of before: %s',
  async (sensitivity) => {
    Object.assign(shieldOf(308002)!, { sensitivity });
    for (const state of ['on', 'off']) {
      const { before, unread } = await (await simulated.perform(`attack ${state} shop`)).preview();
      expect({ before, unread }).toEqual({ unread: 'the platform does not show it' });
    }
  },
);

it('attack on with a level sets it once attack mode is off again', async () => {
  shieldOf(308002)!.sensitivity = 1;
  const { preview, undo } = await run('attack on shop --level high');
  expect(preview.details?.text).toContain('Afterwards an undo sets the shield to high.');
  expect(undo).toEqual({ state: 'off', level: 'high' });
  // Its undo challenges everybody again.
  expect((await run('attack off shop --level high')).undo).toEqual({ state: 'on' });
  expect(shieldOf(308002)!.sensitivity).toBe(3);
});

it('attack on makes a shield where there is none, and says so', async () => {
  const { preview, undo } = await run('attack on staging');
  expect(preview.warnings).toContainEqual(expect.stringContaining('has no shield: this creates one on the Basic plan'));
  expect(undo).toEqual({ state: 'off', level: 'medium' });
  expect(shieldOf(308008)).toMatchObject({ sensitivity: 4, planType: 0 });
  await run('attack off staging');
  expect(shieldOf(308008)?.sensitivity).toBe(2);
});
