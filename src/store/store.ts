import type { Secret } from '../platform/secret.ts';
import { type Audit, createAudit } from './audit.ts';
import { type Confirmations, createConfirmations } from './confirmations.ts';
import { type Database, openDatabase, type StoreOptions } from './database.ts';
import { createDeliveries, type Deliveries } from './deliveries.ts';
import { createResults, type Results } from './results.ts';

/** Everything that the bot remembers. */
export interface Store {
  database: Database;
  audit: Audit;
  confirmations: Confirmations;
  deliveries: Deliveries;
  results: Results;
  close(): Promise<void>;
}

export async function openStore(options: StoreOptions & { encryptionKey?: Secret | undefined }): Promise<Store> {
  const database = await openDatabase(options);
  return {
    database,
    audit: createAudit(database),
    confirmations: createConfirmations(database),
    deliveries: createDeliveries(database),
    results: createResults(database, options.encryptionKey),
    close: () => database.close(),
  };
}
