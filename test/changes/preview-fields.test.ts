import { describe, expect, it } from 'vitest';
import { changedMessage, previewMessage, putBackMessage } from '../../src/changes/preview-message.ts';
import type { AnyOperation, Preview } from '../../src/operations/operation.ts';

const operation = { summary: 'Change something' } as AnyOperation;
const shown = (preview: Preview) => previewMessage(operation, 'thing', preview).text.split('\n').slice(2);

describe('a preview', () => {
  it('names fields as a person would write them', () => {
    const after = {
      ForceSSL: true,
      HasCertificate: false,
      DefaultValue: 'x',
      expires_at: 'never',
      enforceAuthorizationValidation: true,
      sha256: 'ab',
      openapi: '3.0.3',
      action: 'Block',
    };
    expect(shown({ before: {}, after })).toEqual([
      'Force SSL: *on*',
      'Has certificate: *off*',
      'Default value: `x`',
      'Expires at: `never`',
      'Enforce authorization validation: *on*',
      'SHA-256: `ab`',
      'OpenAPI: `3.0.3`',
      'Action: `Block`',
    ]);
  });

  it('shows moments in the reader’s own time, and what only looks like one as it is', () => {
    const after = {
      at: '2026-12-21T20:36:42.628Z',
      from: '2026-12-21T20:36:42+02:00',
      day: '2026-12-21',
      no: '2026-99-99T00:00Z',
    };
    expect(shown({ before: {}, after })).toEqual([
      'At: 2026-12-21 20:36 UTC',
      'From: 2026-12-21 18:36 UTC',
      'Day: `2026-12-21`',
      'No: `2026-99-99T00:00Z`',
    ]);
    expect(JSON.stringify(previewMessage(operation, 'thing', { before: {}, after }).blocks)).toContain(
      '<!date^1797885402^',
    );
  });

  it('says that nothing would be different, and only then', () => {
    expect(shown({ before: { a: 1 }, after: { a: 1 } })).toEqual(['A: stays `1`', 'It is like this already.']);
    expect(shown({ before: { a: 1 }, after: { a: 2 } })).toEqual(['A: `1` → `2`']);
    expect(shown({ after: { a: 1 } })).toEqual([
      'A: `1`',
      'The present state is not known: the platform does not show it.',
    ]);
  });

  it('shows the second edge of what is for a while', () => {
    const preview = { before: { ForceSSL: false }, after: { ForceSSL: true } };
    expect(putBackMessage(preview, 2 * 3_600_000).text).toBe(
      '*Then, 2 h after it was done, back by itself*\nForce SSL: *on* → *off*\nOnly if nothing else has changed it by then.',
    );
  });
});

describe('a state that has changed since', () => {
  it('is shown to the second', () => {
    const [before, now] = ['2026-12-21T20:36:42Z', '2026-12-21T20:36:43Z'];
    const { text } = changedMessage('thing', { updatedAt: before }, { updatedAt: now });
    expect(text).toContain(`Updated at: \`${before}\``);
    expect(text).toContain(`Updated at: \`${now}\``);
  });
});
