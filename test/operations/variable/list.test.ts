import { expect, it } from 'vitest';
import { blockText, prepare, scriptOf } from '../performing.ts';

it('variable list shows names, ids and values, and hides what is secret by its name', async () => {
  const script = {
    ...scriptOf(501, 'router'),
    EdgeScriptVariables: [
      { Id: 9, Name: 'TTL', Required: true, DefaultValue: '60' },
      { Id: 10, Name: 'API_TOKEN', Required: false, DefaultValue: 'hunter2' },
    ],
  };
  const message = await (
    await prepare('variable list 501', { platform: { edgeScripts: { get: async () => script } } })
  ).run();
  expect(blockText(message)).toContain('TTL\n9\nyes\n60\nAPI_TOKEN\n10\nno\n••••');
});
