import { extname } from 'node:path';
import { Worker, type WorkerOptions } from 'node:worker_threads';

/**
 * Starts a worker thread on the module `name` beside this one: `startWorker('log-worker')`. As TypeScript under tsx and the
 * tests (through a module that registers tsx in the thread), as JavaScript once compiled.
 */
export function startWorker(name: string, options: Pick<WorkerOptions, 'resourceLimits'> = {}): Worker {
  const extension = extname(new URL(import.meta.url).pathname);
  const module = new URL(`./${name}${extension}`, import.meta.url);
  if (extension !== '.ts') return new Worker(module, options);
  return new Worker(new URL('./worker-register.mjs', import.meta.url), {
    ...options,
    workerData: { module: module.href },
    // The thread must not take over what the process was started with (a test runner's loaders).
    execArgv: [],
  });
}
