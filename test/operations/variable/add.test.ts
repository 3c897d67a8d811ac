import { describe, expect, it } from 'vitest';
import type { EdgeScript } from '../../../src/platform/resources/edge-scripts.ts';
import { blockText, NO_LISTS, type PlatformPart, prepare, scriptOf } from '../performing.ts';

const script: EdgeScript = {
  ...scriptOf(501, 'router'),
  EdgeScriptVariables: [{ Id: 9, Name: 'TTL', Required: true }],
};
const lists = { scripts: [script] };

function scripts(sent: unknown[] = []): PlatformPart {
  return {
    edgeScripts: {
      get: async () => script,
      async addVariable(id: number, body: object) {
        const given = body as { Name: string; Required: boolean; DefaultValue?: string };
        sent.push({ id, ...given });
        return {
          answer: { Id: 77, Name: given.Name, Required: given.Required, DefaultValue: given.DefaultValue },
          extra: {},
        };
      },
    },
  };
}

describe('variable add', () => {
  it('shows that the name is free, and sends the name exactly as typed', async () => {
    const sent: unknown[] = [];
    const prepared = await prepare('variable add router “My var” 300', { platform: scripts(sent), lists });
    expect(await prepared.preview()).toEqual({
      before: { Name: null, Required: null, DefaultValue: null },
      after: { Name: 'My var', Required: false, DefaultValue: '300' },
      warnings: ['The name has characters that environment variables rarely have.'],
    });
    const text = blockText(await prepared.run());
    expect(sent).toEqual([{ id: 501, Name: 'My var', Required: false, DefaultValue: '300' }]);
    expect(text).toContain('added the variable `My var of router (501)`');
    expect(text).toContain('`77`');
  });

  it('sends no default value unless one is given, and an empty one when that is given', async () => {
    const sent: unknown[] = [];
    const setting = { platform: scripts(sent), lists: NO_LISTS };
    await (await prepare('variable add 501 REGION --required', setting)).run();
    await (await prepare('variable add 501 REGION ""', setting)).run();
    expect(sent).toEqual([
      { id: 501, Name: 'REGION', Required: true },
      { id: 501, Name: 'REGION', Required: false, DefaultValue: '' },
    ]);
  });

  it('warns of a name that is taken, with what it is now', async () => {
    const preview = await (await prepare('variable add router TTL 5', { platform: scripts(), lists })).preview();
    expect(preview.before).toEqual({ Name: 'TTL', Required: true, DefaultValue: null });
    expect(preview.warnings).toEqual([expect.stringContaining('already has this variable')]);
  });

  it('hides a value whose name says that it is secret, and warns', async () => {
    const prepared = await prepare('variable add router apiKey hunter2', { platform: scripts(), lists });
    const preview = await prepared.preview();
    expect(preview.after.DefaultValue).toBe('•••• as typed');
    expect(preview.warnings).toEqual([expect.stringContaining('Keep secrets in its secrets')]);
    expect(JSON.stringify(await prepared.run())).not.toContain('hunter2');
    expect(prepared.operation.args.default?.auditTextOf?.('hunter2')).toBe('7 characters');
  });

  it.each([
    ['variable add 0 NAME', /cannot be the id/],
    [`variable add 501 ${'N'.repeat(257)}`, /too long/],
    [`variable add 501 NAME ${'v'.repeat(4097)}`, /too long/],
    ['variable add 501 ""', /is empty/],
    ['variable add router NAME', /cannot be looked up/],
  ])('refuses %#: nothing is sent', async (line, reason) => {
    await expect(prepare(line, { lists: NO_LISTS })).rejects.toThrow(reason);
  });
});
