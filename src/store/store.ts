import type { Secret } from '../platform/secret.ts';
import { type Approvals, createApprovals } from './approvals.ts';
import { type Audit, createAudit } from './audit.ts';
import { type Confirmations, createConfirmations } from './confirmations.ts';
import { type Database, openBackground, openDatabase, type StoreOptions } from './database.ts';
import { createDeliveries, type Deliveries } from './deliveries.ts';
import { createResults, type Results } from './results.ts';
import { createReversals, type Reversals } from './reversals.ts';
import { createSealedJson } from './seal.ts';

/** Everything that the bot remembers. */
export interface Store {
  database: Database;
  approvals: Approvals;
  audit: Audit;
  confirmations: Confirmations;
  deliveries: Deliveries;
  results: Results;
  reversals: Reversals;
  close(): Promise<void>;
}

/** The store, and a way into it for what nobody waits for. */
export interface OpenStore extends Store {
  background: Database;
}

export async function openStore(options: StoreOptions & { encryptionKey?: Secret | undefined }): Promise<OpenStore> {
  const database = await openDatabase(options);
  const background = await openBackground(options, database);
  const sealed = createSealedJson(options.encryptionKey);
  return {
    database,
    background,
    approvals: createApprovals(database, sealed),
    audit: createAudit(database),
    confirmations: createConfirmations(database, sealed),
    deliveries: createDeliveries(database),
    results: createResults(database, options.encryptionKey),
    reversals: createReversals(database, sealed),
    async close() {
      await background.close();
      await database.close();
    },
  };
}
