import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { createDefinitionReader } from '../../src/workers/definition-reader.ts';

const signal = new AbortController().signal;

describe('Reading a definition', () => {
  it('happens on a thread, one after the other, and gives its outline', async () => {
    const read = createDefinitionReader();
    const documents = ['openapi: 3.0.3\npaths: {/a: {get: {}}}', '{"openapi":"3.0.1","paths":{}}'];
    const [first, second] = await Promise.all(documents.map((content) => read(content, signal)));
    expect(first).toMatchObject({ openapi: '3.0.3', endpoints: [{ method: 'GET', path: '/a' }] });
    expect(second).toMatchObject({ openapi: '3.0.1', endpoints: [] });
  });

  it('says why something is no definition, and goes on with the next', async () => {
    const read = createDefinitionReader();
    const refused = read('hello', signal);
    await expect(refused).rejects.toThrow(UsageError);
    await expect(refused).rejects.toMatchObject({
      argument: 'file',
      message: expect.stringContaining('no openapi version'),
    });
    await expect(read('openapi: 3.0.3', signal)).resolves.toMatchObject({ openapi: '3.0.3' });
  });

  it('leaves the main thread free, and ends at its limit', async () => {
    const read = createDefinitionReader({ longest: 400 });
    let turns = 0;
    const ticking = setInterval(() => (turns += 1), 10);
    // The slowest document of 2 MB that is known: one map of very many lines.
    const reading = read(`openapi: 3.0.3\n${' a: b\n'.repeat(340_000)}`, signal);
    await expect(reading).rejects.toThrow(/takes longer than 0.4 seconds/);
    clearInterval(ticking);
    expect(turns).toBeGreaterThan(5);
  });

  it('ends when nobody waits for it any more', async () => {
    const gone = new AbortController();
    const reading = createDefinitionReader()('openapi: 3.0.3', gone.signal);
    gone.abort();
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
  });
});
