/** Holds the write lock of a database until it is killed. */
import { createClient } from '@libsql/client';

const client = createClient({ url: `file:${process.argv[2]}`, timeout: 10_000 });
await client.transaction('write');
process.send('held');
setInterval(() => undefined, 1_000);
