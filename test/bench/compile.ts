import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Compiles children of the bench (paths from here), so that they run as the bot does after its build. */
export async function compileTo(folder: string, sources: readonly string[]): Promise<void> {
  await build({
    entryPoints: sources.map((source) => fileURLToPath(new URL(source, import.meta.url))),
    entryNames: '[name]',
    outdir: folder,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
    // Some dependencies are CommonJS and require Node's own modules.
    banner: { js: "import { createRequire as __r } from 'node:module'; const require = __r(import.meta.url);" },
  });
}
