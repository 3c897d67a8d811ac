import { flag } from '../arguments/plain.ts';

/** Whether a new token is written to the operator's environment file. `--no-save` is the default, and accepted. */
export const savingFlags = () => ({
  saveEnv: flag('Save', { hint: 'Write it to the operator’s environment file' }),
  noSave: flag('Do not save', { hint: 'The default' }),
});
