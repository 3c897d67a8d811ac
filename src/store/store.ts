import type { Secret } from '../secret.ts';
import { createAgentTokens } from './agent-tokens.ts';
import { createAnchors } from './anchors.ts';
import { createApprovals } from './approvals.ts';
import { createAudit } from './audit.ts';
import { createChannelMoves } from './channel-moves.ts';
import { createChannelPace } from './channel-pace.ts';
import { createConfirmations } from './confirmations.ts';
import type { Database } from './database.ts';
import { createJobs } from './jobs.ts';
import { createMarks } from './marks.ts';
import { openDatabase, openQuick, type StoreOptions, yielding } from './open-database.ts';
import { checkKey, openingProblem } from './opening.ts';
import { rekey } from './rekey.ts';
import { createReportLedger } from './report-ledger.ts';
import { createResults } from './results.ts';
import { createReversals } from './reversals.ts';
import { createSeal, type Seal } from './seal.ts';
import { createSubscriptions } from './subscriptions.ts';

export type Store = ReturnType<typeof createStore>;

/** The tables of an open database. With a key, what people typed is sealed, and rows are signed. */
export function createStore(database: Database, seal: Seal = createSeal(), quick = database) {
  const audit = createAudit(database, seal);
  const background = yielding(quick);
  const channelMoves = createChannelMoves(database, seal);
  const jobs = createJobs(quick, seal);
  return {
    database,
    /** For what nobody waits for: reports. */
    background,
    /** Rows are signed: the states in them are held against the audit. */
    keyed: seal.keyed,
    anchors: createAnchors(background, seal),
    agentTokens: createAgentTokens(database, seal),
    approvals: createApprovals(database, audit, seal),
    audit,
    channelMoves,
    confirmations: createConfirmations(database, seal, channelMoves),
    jobs,
    ledger: createReportLedger(background),
    marks: createMarks(background),
    pace: createChannelPace(background),
    results: createResults(database, seal),
    reversals: createReversals(database, jobs, seal),
    subscriptions: createSubscriptions(background, seal, audit, channelMoves),
    async close() {
      await background.close();
      await database.close();
    },
  };
}

/** The key of the store, and the one before it, at the start that changes it. */
export interface StoreKeys {
  encryptionKey?: Secret | undefined;
  encryptionKeyOld?: Secret | undefined;
}

/** Opens the store. Throws StartError, and StoreError while a server does not answer. */
export function openStore(options: StoreOptions & StoreKeys): Promise<Store> {
  const { encryptionKey, encryptionKeyOld } = options;
  return opened(options, async (database) => {
    if (encryptionKey !== undefined && encryptionKeyOld !== undefined)
      await rekey(database, encryptionKey, encryptionKeyOld);
    const store = createStore(database, createSeal(encryptionKey), openQuick(options, database));
    await store.channelMoves.read();
    return store;
  });
}

/** Opens and closes the store, with its keys as they are. Returns whether a bot runs on it. Throws as `openStore` does. */
export function tryStore(options: StoreOptions & StoreKeys): Promise<boolean> {
  return opened(options, async (database) => {
    const isUsed = await database.isUsed();
    await database.close();
    return isUsed;
  });
}

async function opened<T>(options: StoreOptions & StoreKeys, work: (database: Database) => Promise<T>): Promise<T> {
  let database: Database | undefined;
  try {
    database = await openDatabase(options);
    await checkKey(database, createSeal(options.encryptionKey, options.encryptionKeyOld));
    return await work(database);
  } catch (error) {
    await database?.close();
    throw openingProblem(options.url, error);
  }
}
