import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

/**
 * Escapes what is not ASCII in the built files, in regular expressions and tagged templates too, where esbuild leaves it: one such
 * character, and V8 keeps the whole file in memory with two bytes for each.
 */
for (const name of readdirSync('dist').filter((one) => one.endsWith('.js'))) {
  const text = readFileSync(`dist/${name}`, 'utf8');
  const escaped = text.replace(
    /(\\[\0-\x7f])|\\?([^\0-\x7f])/g,
    (_, pair, one) => pair ?? `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  if (escaped !== text) writeFileSync(`dist/${name}`, escaped);
}
