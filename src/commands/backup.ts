import { toRun } from '../own-name.ts';
import { backUp } from '../store/backup.ts';
import { createSeal } from '../store/seal.ts';
import { withStore } from './with-store.ts';

const usage = `${toRun('backup', 'FILE')}
Copies the store (STORE_URL, in .env too) to one file, while the bot runs or not, and proves that the copy is intact.`;

/** Exit code 1: the audit is not intact, and the copy is kept all the same. */
await withStore(usage, 1, async ([file = ''], { STORE_URL: store, ...keys }) => {
  const { EDGEWISE_ENCRYPTION_KEY: key, EDGEWISE_ENCRYPTION_KEY_OLD: old } = keys;
  const { bytes, audit } = await backUp(store.reveal(), file, createSeal(key, old));
  const { entries, head, problems, rows = [] } = audit;
  console.log(`${file}: ${bytes} bytes, complete on its own.`);
  if (problems.length + rows.length > 0) {
    console.log('The audit in the copy is not intact, and neither is the store’s: `audit verify` shows where.');
    return 1;
  }
  const isWritten = key === undefined ? '' : ', and written by the bot';
  console.log(`Its audit is intact: ${entries} ${entries === 1 ? 'entry' : 'entries'}${isWritten}.`);
  if (head !== undefined) console.log(`Audit head (note it somewhere else): ${head}`);
  return 0;
});
