import { deleteApp } from './app/delete.ts';
import { listApps } from './app/list.ts';
import { restartApp } from './app/restart.ts';
import { showApp } from './app/show.ts';
import { listApprovals } from './approval/list.ts';
import { laterThan } from './arguments/later.ts';
import { watch } from './arguments/plain.ts';
import { attack } from './attack.ts';
import { auditExport } from './audit/export.ts';
import { auditList } from './audit/list.ts';
import { auditVerify } from './audit/verify.ts';
import { showBalance } from './balance/show.ts';
import { listBlocks } from './block/list.ts';
import { block } from './block.ts';
import { listBots } from './bot/list.ts';
import { setBotCategory } from './bot/set.ts';
import { clearCache } from './cache/clear.ts';
import { purgeCache } from './cache/purge.ts';
import { canI } from './can-i.ts';
import { completeCertificate } from './certificate/complete.ts';
import { requestCertificate } from './certificate/request.ts';
import { listChanges } from './changes/list.ts';
import { executeStatement } from './database/execute.ts';
import { listDatabases } from './database/list.ts';
import { queryDatabase } from './database/query.ts';
import { showErrors } from './errors/show.ts';
import { showGuardian } from './guardian/show.ts';
import { uploadGuardian } from './guardian/upload.ts';
import { help } from './help.ts';
import { listKeys } from './key/list.ts';
import { limit } from './limit.ts';
import { downloadLog } from './log/download.ts';
import { searchLog } from './log/search.ts';
import { summariseLog } from './log/summary.ts';
import { now } from './now.ts';
import type { AnyOperation } from './operation.ts';
import { dismissIncident } from './report/dismiss.ts';
import { listReports } from './report/list.ts';
import { muteReport } from './report/mute.ts';
import { runReport } from './report/run.ts';
import { subscribeReport } from './report/subscribe.ts';
import { undismissIncident } from './report/undismiss.ts';
import { unmuteReport } from './report/unmute.ts';
import { unsubscribeReport } from './report/unsubscribe.ts';
import { listScripts } from './script/list.ts';
import { publishRelease } from './script/publish.ts';
import { listReleases } from './script/releases.ts';
import { securitySummary } from './security/summary.ts';
import { forceSsl } from './ssl/force.ts';
import { showOptimizerStats } from './stats/optimizer.ts';
import { showQueueStats } from './stats/queue.ts';
import { showSafehopStats } from './stats/safehop.ts';
import { showStats } from './stats/show.ts';
import { status } from './status.ts';
import { createToken } from './token/create.ts';
import { invalidateTokens } from './token/invalidate.ts';
import { regenerateTokens } from './token/regenerate.ts';
import { createAgentToken } from './token-for-agents/create.ts';
import { revokeAgentToken } from './token-for-agents/revoke.ts';
import { addVariable } from './variable/add.ts';
import { listVariables } from './variable/list.ts';
import { listVolumes } from './volume/list.ts';
import { listZones } from './zone/list.ts';
import { showZone } from './zone/show.ts';

/** The arguments that every change has, whatever it does. */
function withCommon(operation: AnyOperation): AnyOperation {
  const { effect, reveal, undo, keepsOut, args } = operation;
  if (effect === 'read') return operation;
  const isOfZone = Object.values(args).some(({ names }) => (names?.of.zone ?? names?.of.script) !== undefined);
  // Nobody would be there to see a new secret.
  const planned = reveal === undefined ? { at: laterThan() } : {};
  const lasting = undo === undefined ? 'Edgewise doesn’t undo it by itself' : undefined;
  // They would only have to make requests fail.
  const keeping = keepsOut ? 'whoever it keeps out could have it taken back' : undefined;
  const unwatched = lasting ?? (isOfZone ? keeping : 'it changes no zone');
  // *Report mute* and *token create* have a length of their own.
  const own = Object.keys(args).find((key) => /^(?:duration|lifetime)$/.test(args[key]!.fromMessage ?? ''));
  const without = { for: lasting && { why: lasting, own }, watch: unwatched && { why: unwatched } };
  const watched = unwatched === undefined ? { watch: watch() } : {};
  return { ...operation, without, args: { ...args, ...planned, ...watched } };
}

const listed: readonly AnyOperation[] = [
  forceSsl,
  requestCertificate,
  completeCertificate,
  purgeCache,
  clearCache,
  showZone,
  listZones,
  setBotCategory,
  listBots,
  securitySummary,
  block,
  listBlocks,
  limit,
  attack,
  uploadGuardian,
  showGuardian,
  showErrors,
  now,
  searchLog,
  summariseLog,
  downloadLog,
  showStats,
  showOptimizerStats,
  showQueueStats,
  showSafehopStats,
  showBalance,
  addVariable,
  listVariables,
  listScripts,
  listReleases,
  publishRelease,
  listApps,
  showApp,
  restartApp,
  deleteApp,
  listVolumes,
  queryDatabase,
  createToken,
  listKeys,
  listDatabases,
  executeStatement,
  regenerateTokens,
  invalidateTokens,
  createAgentToken,
  revokeAgentToken,
  subscribeReport,
  runReport,
  listReports,
  unsubscribeReport,
  muteReport,
  unmuteReport,
  dismissIncident,
  undismissIncident,
  listChanges,
  auditList,
  auditExport,
  auditVerify,
  listApprovals,
  canI,
  status,
  help,
];

/** In the order of the help. */
export const operations: readonly AnyOperation[] = listed.map(withCommon);
