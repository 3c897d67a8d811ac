import type { PolicyDocument } from './document.ts';
import { ADMINS } from './document.ts';

/** The policy in one line, with what keeps it from being followed: for `status` and `npm run doctor`. */
export function stateOf(document: PolicyDocument, problems: readonly string[]): { ok: boolean; detail: string } {
  const { source, roles, gates, approvals } = document;
  const admins = roles.filter(({ name }) => name === ADMINS).flatMap(({ people }) => people);
  const able = roles.filter(({ people, groups, allow }) => allow.length > 0 && people.length + groups.length > 0);
  const nobody = able.length === 0 ? ['nobody may change anything: set EDGEWISE_ADMINS'] : [];
  const complaints = [...nobody, ...problems];
  const counted = [
    `${source}: ${counting(roles.length, 'role')}`,
    counting(gates.length, 'place'),
    counting(approvals.length, 'approval rule'),
    counting(admins.length, 'admin'),
  ].join(', ');
  return { ok: complaints.length === 0, detail: [counted, ...complaints].join('; ') };
}

function counting(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
