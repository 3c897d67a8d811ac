import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { type Config, ConfigError } from '../config.ts';
import { type PolicyDocument, parsePolicy } from './document.ts';
import { FileError } from './lines.ts';
import type { Command } from './names.ts';

/** The policy of POLICY_FILE, or the built-in one. Throws ConfigError, which names the line of every mistake. */
export function readPolicy(
  { POLICY_FILE: file, EDGEWISE_ADMINS: admins }: Pick<Config, 'POLICY_FILE' | 'EDGEWISE_ADMINS'>,
  commands: readonly Command[],
): PolicyDocument {
  if (file === undefined) return parsePolicy({ commands, admins });
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError([`POLICY_FILE cannot be read: ${error instanceof Error ? error.message : String(error)}`]);
  }
  try {
    return parsePolicy({ text, file: basename(file), commands, admins });
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    throw new ConfigError(error.complaints.map(({ line, message }) => `POLICY_FILE ${file} line ${line}: ${message}`));
  }
}
