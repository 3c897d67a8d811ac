import { dailyStatistics } from './daily-statistics.ts';
import { errorSummary } from './error-summary.ts';
import type { AnyReport } from './report.ts';

/** Everything that the bot says unasked. */
export const reports: readonly AnyReport[] = [dailyStatistics, errorSummary];
