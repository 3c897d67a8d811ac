import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder for logs of some gigabytes: gone when the bench ends, also when somebody ends it (main.ts). */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'edgewise-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
