import { auditList } from './audit/list.ts';
import { listBots } from './bot/list.ts';
import { setBotCategory } from './bot/set.ts';
import { canI } from './can-i.ts';
import { completeCertificate } from './certificate/complete.ts';
import { requestCertificate } from './certificate/request.ts';
import { replaceGuardian } from './guardian/replace.ts';
import { showGuardian } from './guardian/show.ts';
import { uploadGuardian } from './guardian/upload.ts';
import { help } from './help.ts';
import { listKeys } from './key/list.ts';
import type { AnyOperation } from './operation.ts';
import { listScripts } from './script/list.ts';
import { forceSsl } from './ssl/force.ts';
import { status } from './status.ts';
import { addVariable } from './variable/add.ts';
import { listVariables } from './variable/list.ts';
import { listZones } from './zone/list.ts';
import { showZone } from './zone/show.ts';

/** Everything that the bot can do, in the order in which help shows it. */
export const operations: readonly AnyOperation[] = [
  forceSsl,
  requestCertificate,
  completeCertificate,
  listZones,
  showZone,
  uploadGuardian,
  replaceGuardian,
  showGuardian,
  setBotCategory,
  listBots,
  listScripts,
  addVariable,
  listVariables,
  listKeys,
  auditList,
  canI,
  status,
  help,
];
