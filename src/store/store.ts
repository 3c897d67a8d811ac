import type { GroupMemory } from '../logs/group-memory.ts';
import type { Secret } from '../secret.ts';
import { type Approvals, createApprovals } from './approvals.ts';
import { type Audit, createAudit } from './audit.ts';
import { type ChannelPace, createChannelPace } from './channel-pace.ts';
import { type Confirmations, createConfirmations } from './confirmations.ts';
import type { Database } from './database.ts';
import { createDeliveries, type Deliveries } from './deliveries.ts';
import { createStoredGroupMemory } from './error-groups.ts';
import { createGreetings, type Greetings } from './greetings.ts';
import { openBackground, openDatabase, type StoreOptions } from './open-database.ts';
import { createReportAnchors, type ReportAnchors } from './report-anchors.ts';
import { createReportLedger, type ReportLedger } from './report-ledger.ts';
import { createResults, type Results } from './results.ts';
import { createReversals, type Reversals } from './reversals.ts';
import { createSealedJson } from './seal.ts';
import { createSubscriptions, type Subscriptions } from './subscriptions.ts';

/** The tables of what people did. */
export interface Store {
  database: Database;
  approvals: Approvals;
  audit: Audit;
  confirmations: Confirmations;
  deliveries: Deliveries;
  greetings: Greetings;
  results: Results;
  reversals: Reversals;
  close(): Promise<void>;
}

/** Everything that the bot remembers. Nobody waits for reports: their tables are behind `background`. */
export interface OpenStore extends Store {
  background: Database;
  pace: ChannelPace;
  anchors: ReportAnchors;
  ledger: ReportLedger;
  subscriptions: Subscriptions;
  /** The errors remembered under a scope. */
  groupMemory(scope: string): Required<GroupMemory>;
}

/** The tables of what people did, on an open database. With a key, what people typed is sealed. */
export function createStore(database: Database, encryptionKey?: Secret): Store {
  const sealed = createSealedJson(encryptionKey);
  return {
    database,
    approvals: createApprovals(database, sealed),
    audit: createAudit(database),
    confirmations: createConfirmations(database, sealed),
    deliveries: createDeliveries(database),
    greetings: createGreetings(database),
    results: createResults(database, encryptionKey),
    reversals: createReversals(database, sealed),
    close: () => database.close(),
  };
}

/** Opens the store. Throws StoreInUseError. */
export async function openStore(options: StoreOptions & { encryptionKey?: Secret | undefined }): Promise<OpenStore> {
  const database = await openDatabase(options);
  const background = await openBackground(options, database);
  return {
    ...createStore(database, options.encryptionKey),
    background,
    pace: createChannelPace(background),
    anchors: createReportAnchors(background),
    ledger: createReportLedger(background),
    subscriptions: createSubscriptions(background),
    groupMemory: (scope) => createStoredGroupMemory(background, scope),
    async close() {
      await background.close();
      await database.close();
    },
  };
}
