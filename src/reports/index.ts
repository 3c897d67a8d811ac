import { balance } from './balance/balance.ts';
import { changes } from './changes/changes.ts';
import { dailyStatistics } from './daily-statistics/daily-statistics.ts';
import { errorSummary } from './error-summary/error-summary.ts';
import type { AnyReport } from './report.ts';

export const reports: readonly AnyReport[] = [dailyStatistics, errorSummary, changes, balance];
