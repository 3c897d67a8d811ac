import { addressOfStore, ConfigError } from '../config.ts';
import { toRun } from '../own-name.ts';
import { Secret } from '../secret.ts';
import { storeChecks } from '../setting-checks.ts';
import { moveStore } from '../store/move-store.ts';
import { createSeal } from '../store/seal.ts';
import { withStore } from './with-store.ts';

const usage = `${toRun('move-store', 'FROM TO')}
Copies a store (file:…, postgres://…) into an empty one, while no bot runs, and proves the audit before and after.
EDGEWISE_ENCRYPTION_KEY and STORE_CA are taken from .env too.`;

/** Exit code 1: the audit of the copy is not intact. */
await withStore(usage, 2, async ([from = '', to = ''], { EDGEWISE_ENCRYPTION_KEY: key, STORE_CA: ca }) => {
  const complaints = [...storeChecks('FROM', from), ...storeChecks('TO', to)];
  if (complaints.length > 0) throw new ConfigError(complaints);
  const at = (address: string) => ({ ...addressOfStore(Secret.of(address)), ca });
  const { rows, audit } = await moveStore(at(from), at(to), createSeal(key));
  const { entries, head, problems, rows: wrong = [] } = audit;
  console.log(`${rows} rows were copied.`);
  if (problems.length + wrong.length > 0) {
    console.log('The audit of the copy is not intact. Do not use it.');
    return 1;
  }
  console.log(`The audit of both is intact: ${entries} ${entries === 1 ? 'entry' : 'entries'}.`);
  if (head !== undefined) console.log(`Head of the audit, the same in both: ${head}`);
  return 0;
});
