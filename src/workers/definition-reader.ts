import { once } from 'node:events';
import { UsageError } from '../errors.ts';
import type { DefinitionOutline } from '../operations/guardian/outline.ts';
import type { FromDefinitionWorker } from './definition-worker.ts';
import { startWorker } from './worker.ts';

const refusal = (why: string) =>
  new UsageError(`The file is no OpenAPI definition that can be read: ${why}.`, {
    hint: 'Give a JSON or YAML file that begins with its openapi version.',
    argument: 'file',
  });

/** Throws UsageError for no document, or a slow one. */
export type DefinitionReader = (content: string, signal: AbortSignal) => Promise<DefinitionOutline>;

/** One thread each, one at a time: the bot goes on answering. */
export function createDefinitionReader({ longest = 15_000 }: { longest?: number } = {}): DefinitionReader {
  let last: Promise<unknown> = Promise.resolve();
  return (content, signal) => {
    const reading = last.then(() => read(content, signal, longest));
    last = reading.catch(() => undefined);
    return reading;
  };
}

async function read(content: string, signal: AbortSignal, longest: number): Promise<DefinitionOutline> {
  signal.throwIfAborted();
  const worker = startWorker('definition-worker', { resourceLimits: { maxOldGenerationSizeMb: 512 } });
  const limit = AbortSignal.timeout(longest);
  try {
    worker.postMessage(content);
    const [reply] = (await once(worker, 'message', { signal: AbortSignal.any([signal, limit]) })) as [
      FromDefinitionWorker,
    ];
    if ('outline' in reply) return reply.outline;
    throw refusal(reply.reason);
  } catch (error) {
    if (limit.aborted) throw refusal(`reading it takes longer than ${longest / 1000} seconds`);
    if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') {
      throw refusal('reading it takes too much memory');
    }
    throw error;
  } finally {
    await worker.terminate();
  }
}
