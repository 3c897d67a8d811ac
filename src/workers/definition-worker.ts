import { parentPort } from 'node:worker_threads';
import { OutlineError } from '../operations/guardian/document.ts';
import { type DefinitionOutline, outlineOf } from '../operations/guardian/outline.ts';

export type FromDefinitionWorker = { outline: DefinitionOutline } | { reason: string };

const port = parentPort;
if (port === null) throw new Error('definition-worker runs as a worker thread only');

port.on('message', (content: string) => {
  try {
    port.postMessage({ outline: outlineOf(content) } satisfies FromDefinitionWorker);
  } catch (error) {
    if (!(error instanceof OutlineError)) throw error;
    port.postMessage({ reason: error.message } satisfies FromDefinitionWorker);
  }
});
