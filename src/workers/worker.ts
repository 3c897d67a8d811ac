import { extname } from 'node:path';
import { Worker, type WorkerOptions } from 'node:worker_threads';

/** `startWorker('log-worker')`: TypeScript through tsx, JavaScript once compiled. */
export function startWorker(name: string, options: WorkerOptions = {}): Worker {
  const extension = extname(new URL(import.meta.url).pathname);
  const module = new URL(`./${name}${extension}`, import.meta.url);
  if (extension !== '.ts') return new Worker(module, options);
  return new Worker(new URL('./worker-register.mjs', import.meta.url), {
    ...options,
    workerData: { ...options.workerData, module: module.href },
    // Not the process's own loaders.
    execArgv: [],
  });
}
