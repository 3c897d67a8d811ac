#!/usr/bin/env node
/**
 * `npx edgewise doctor`, `npm run doctor`: from the sources in a checkout, and compiled in a package from npm and in an image,
 * which have no others.
 */
import { existsSync } from 'node:fs';

const COMMANDS = {
  playground: 'a whole workspace on this machine, without any account',
  setup: 'asks for the settings, and writes .env',
  doctor: 'says what is missing or wrong',
  start: 'runs the bot',
  backup: 'copies the store to one file',
  'move-store': 'copies the store into an empty one',
  'policy-test': 'tries a policy without running the bot',
  mcp: 'lets an agent on this machine read and ask, by a bot elsewhere',
};
const COMPILED = { playground: 'playground/main.mjs', start: 'index.js' };
const SOURCES = { playground: '../playground/launcher/main.ts', start: '../src/index.ts' };

const [, , name = '', ...rest] = process.argv;
if (!Object.hasOwn(COMMANDS, name)) {
  const lines = Object.entries(COMMANDS).map(([command, does]) => `  ${command.padEnd(13)} ${does}`);
  console.error(`Usage: edgewise COMMAND\n\n${lines.join('\n')}`);
  process.exit(name === '' || name === '--help' ? 0 : 2);
}
process.argv = [process.argv[0], name, ...rest];
if (existsSync(new URL('../src', import.meta.url))) {
  const { register } = await import('tsx/esm/api');
  register();
  await import(SOURCES[name] ?? `../src/commands/${name}.ts`);
} else await import(`../dist/${COMPILED[name] ?? `${name}.js`}`);
