import type { GroupMemory } from '../logs/group-memory.ts';
import type { Secret } from '../secret.ts';
import { type Approvals, createApprovals } from './approvals.ts';
import { type Audit, createAudit } from './audit.ts';
import { type ChannelMoves, createChannelMoves } from './channel-moves.ts';
import { type ChannelPace, createChannelPace } from './channel-pace.ts';
import { type Confirmations, createConfirmations } from './confirmations.ts';
import type { Database } from './database.ts';
import { createStoredGroupMemory } from './error-groups.ts';
import { createGreetings, type Greetings } from './greetings.ts';
import { createJobs, type Jobs } from './jobs.ts';
import { openDatabase, openQuick, type StoreOptions, yielding } from './open-database.ts';
import { checkKey, openingProblem } from './opening.ts';
import { checkSigned, rekey } from './rekey.ts';
import { createReportAnchors, type ReportAnchors } from './report-anchors.ts';
import { createReportLedger, type ReportLedger } from './report-ledger.ts';
import { createResults, type Results } from './results.ts';
import { createReversals, type Reversals } from './reversals.ts';
import { createSeal, type Seal } from './seal.ts';
import { createSubscriptions, type Subscriptions } from './subscriptions.ts';
import { createZoneHours, type ZoneHours } from './zone-hours.ts';
import { createZoneWatches, type ZoneWatches } from './zone-watches.ts';

/** The tables of what people did. */
export interface Store {
  database: Database;
  /** Rows are signed: the states in them are held against the audit. */
  keyed: boolean;
  approvals: Approvals;
  audit: Audit;
  channelMoves: ChannelMoves;
  confirmations: Confirmations;
  greetings: Greetings;
  jobs: Jobs;
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
  zoneWatches: ZoneWatches;
  zoneHours: ZoneHours;
}

/** The tables of what people did, on an open database. With a key, what they typed is sealed, and their rows are signed. */
export function createStore(database: Database, seal: Seal = createSeal(), quick = database): Store {
  const audit = createAudit(database, seal);
  const channelMoves = createChannelMoves(database, seal);
  const jobs = createJobs(quick, seal);
  return {
    database,
    keyed: seal.keyed,
    approvals: createApprovals(database, audit, seal),
    audit,
    channelMoves,
    confirmations: createConfirmations(database, seal, channelMoves),
    greetings: createGreetings(database),
    jobs,
    results: createResults(database, seal),
    reversals: createReversals(database, jobs, seal),
    close: () => database.close(),
  };
}

/** The key of the store, and the one before it, at the start that changes it. */
export interface StoreKeys {
  encryptionKey?: Secret | undefined;
  encryptionKeyOld?: Secret | undefined;
}

/** Opens the store. Throws StartError, and StoreError while a server does not answer. */
export async function openStore(options: StoreOptions & StoreKeys): Promise<OpenStore> {
  try {
    return await open(options);
  } catch (error) {
    throw openingProblem(options.url, error);
  }
}

async function open(options: StoreOptions & StoreKeys): Promise<OpenStore> {
  const { encryptionKey, encryptionKeyOld } = options;
  const database = await openDatabase(options);
  const seal = createSeal(encryptionKey);
  try {
    await checkKey(database, createSeal(encryptionKey, encryptionKeyOld));
    if (encryptionKey !== undefined) await checkSigned(database);
    if (encryptionKey !== undefined && encryptionKeyOld !== undefined)
      await rekey(database, encryptionKey, encryptionKeyOld);
  } catch (error) {
    await database.close();
    throw error;
  }
  const quick = openQuick(options, database);
  const background = yielding(quick);
  const store = createStore(database, seal, quick);
  await store.channelMoves.read();
  return {
    ...store,
    background,
    pace: createChannelPace(background),
    anchors: createReportAnchors(background),
    ledger: createReportLedger(background),
    subscriptions: createSubscriptions(background, seal, store.audit, store.channelMoves),
    groupMemory: (scope) => createStoredGroupMemory(background, scope),
    zoneWatches: createZoneWatches(background),
    zoneHours: createZoneHours(background),
    async close() {
      await background.close();
      await database.close();
    },
  };
}
