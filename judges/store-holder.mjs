/** Holds the write lock of a database until it is killed. */
import { DatabaseSync } from '@photostructure/sqlite';

const file = new DatabaseSync(process.argv[2], { timeout: 10_000 });
file.exec('BEGIN IMMEDIATE');
process.send('held');
setInterval(() => undefined, 1_000);
