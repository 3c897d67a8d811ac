// A worker cannot start from a TypeScript file on Node 20: this registers tsx first, and then imports the real one.
import { workerData } from 'node:worker_threads';
import { register } from 'tsx/esm/api';

register();
await import(workerData.module);
