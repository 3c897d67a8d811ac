import { describe, expect, test } from 'vitest';
import { usePlatform } from '../platform.ts';

const platform = usePlatform();

describe('variables of a script', () => {
  const add = (id: number | string, body: unknown) =>
    platform.ask('api', 'POST', `/compute/script/${id}/variables/add`, { body });

  test('are added with an id and their name as it was given', async () => {
    const reply = await add(41300, { Name: 'lower_Case', Required: false, DefaultValue: ' x ' });
    expect(reply).toMatchObject({
      status: 200,
      body: { Id: expect.any(Number), Name: 'lower_Case', DefaultValue: ' x ' },
    });
    const script = await platform.get('/compute/script/41300');
    expect(script.body.EdgeScriptVariables).toContainEqual(reply.body);
  });

  test('are refused a second time, with a Message', async () => {
    await add(41311, { Name: 'TWICE', Required: true });
    const reply = await add(41311, { Name: 'TWICE', Required: true });
    expect(reply).toMatchObject({ status: 400, body: { Message: 'A variable with the name TWICE already exists.' } });
  });

  test.each([
    [{ Required: true }, 'Name'],
    [{ Name: '', Required: true }, 'Name'],
    [{ Name: 'X'.repeat(257), Required: true }, 'Name'],
    [{ Name: 'A' }, 'Required'],
    [{ Name: 'A', Required: false, DefaultValue: 'x'.repeat(4097) }, 'DefaultValue'],
  ])('are validated: %j', async (body, Field) => {
    expect(await add(41300, body)).toMatchObject({ status: 400, body: { Field } });
  });

  test('of an unknown script are an empty 404', async () => {
    expect(await add(7, { Name: 'A', Required: false })).toMatchObject({ status: 404, text: '' });
  });
});

describe('releases of a script', () => {
  const releases = async () => (await platform.get('/compute/script/41322/releases')).body.Items;
  const publish = (id: number, uuid: string, body: unknown = {}) =>
    platform.ask('api', 'POST', `/compute/script/${id}/publish/${uuid}`, { body });

  test('come newest first, one of them live, and with their code', async () => {
    const all = await releases();
    expect(all.map(({ Status }: { Status: number }) => Status)).toEqual([1, 0, 0]);
    expect(all[0]).toMatchObject({ Uuid: expect.stringMatching(/^[0-9a-f-]{36}$/), Code: expect.any(String) });
    expect((await platform.get('/compute/script/41322')).body.releases).toBeUndefined();
  });

  test('are published by their id: that one is live then', async () => {
    const { Uuid } = (await releases())[1];
    expect(await publish(41322, Uuid, { Note: null })).toMatchObject({ status: 204, text: '' });
    expect((await releases()).filter(({ Status }: { Status: number }) => Status === 1)).toMatchObject([{ Uuid }]);
  });

  test('that are not there, or a body that is none, are refused', async () => {
    expect((await publish(41322, 'none')).status).toBe(404);
    expect((await publish(7, (await releases())[0].Uuid)).status).toBe(404);
    expect((await publish(41322, (await releases())[0].Uuid, { Note: 1 })).status).toBe(400);
    expect((await platform.get('/compute/script/7/releases')).status).toBe(404);
  });
});
