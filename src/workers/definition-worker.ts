import { parentPort } from 'node:worker_threads';
import { type DefinitionOutline, outlineOf } from '../operations/guardian/outline.ts';
import { FileError } from '../policy/lines.ts';

export type FromDefinitionWorker = { outline: DefinitionOutline } | { reason: string };

const port = parentPort;
if (port === null) throw new Error('definition-worker runs as a worker thread only');

port.on('message', (content: string) => {
  try {
    port.postMessage({ outline: outlineOf(content) } satisfies FromDefinitionWorker);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    port.postMessage({ reason: error.message.split('\n', 1)[0]! } satisfies FromDefinitionWorker);
  }
});
