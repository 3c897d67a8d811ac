import { spawnSync } from 'node:child_process';

/** Prometheus's own checker, which Debian's package `prometheus` brings. */
export const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

/** Runs it; what it complains of is answered, nothing where all is well. */
export function promtool(args: readonly string[], input?: string): string {
  const { status, stdout, stderr } = spawnSync('promtool', args, { input, encoding: 'utf8' });
  return status === 0 ? '' : `${stdout}${stderr}`;
}
