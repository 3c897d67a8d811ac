import type { ApprovalStep } from '../../src/store/approvals.ts';

/** A step of an approval with its entry for the audit. */
export const taken = (
  confirmation: string,
  { id, teamId }: { id: string; teamId: string },
  outcome: string,
  detail = '',
): ApprovalStep => ({
  ...{ actor: id, team: teamId, channel: 'C0OPS', operation: 'ssl force', target: 'cdn.example.com', given: {} },
  ...{ outcome, detail, confirmation },
});
