import { parentPort } from 'node:worker_threads';
import { type DefinitionOutline, OutlineError, outlineOf } from '../operations/guardian/outline.ts';
import type { GuardianEndpoint } from '../platform/resources/shield-zones.ts';

/** To the thread: one document, and what is active now. */
export interface ToDefinitionWorker {
  content: string;
  active: readonly GuardianEndpoint[] | undefined;
}

/** From the thread: the outline, or why the document is none. */
export type FromDefinitionWorker = { outline: DefinitionOutline } | { reason: string };

const port = parentPort;
if (port === null) throw new Error('definition-worker runs as a worker thread only');

port.on('message', ({ content, active }: ToDefinitionWorker) => {
  try {
    port.postMessage({ outline: outlineOf(content, active) } satisfies FromDefinitionWorker);
  } catch (error) {
    if (!(error instanceof OutlineError)) throw error;
    port.postMessage({ reason: error.message } satisfies FromDefinitionWorker);
  }
});
