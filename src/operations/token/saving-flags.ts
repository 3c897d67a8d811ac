import { flag } from '../arguments/plain.ts';

/** A new token is written to the operator's environment file, or not: `--no-save` is the default, and accepted. */
export const savingFlags = () => ({
  saveEnv: flag('Save', { hint: 'Write it to the operator’s environment file' }),
  noSave: flag('Do not save', { hint: 'The default' }),
});
