import type { UsersInfoResponse } from '@slack/web-api';

/** `team_id`: on Enterprise Grid one fixed workspace of the organisation, or nothing. */
export type DescribedUser = NonNullable<UsersInfoResponse['user']>;

export const isSlacksOwn = (id: string): boolean => id === 'USLACKBOT' || id === 'USLACK';

/** Strangers are bots, workflows, deactivated accounts, and people whose workspace Slack does not name. */
export function membershipOf(user: DescribedUser | undefined, home: string): 'member' | 'guest' | 'stranger' {
  if (user === undefined || !isPerson(user) || user.is_stranger === true || !belongsTo(user, home)) return 'stranger';
  return user.is_restricted === true || user.is_ultra_restricted === true ? 'guest' : 'member';
}

/** Deactivated, or in another workspace. */
export function hasLeft(user: DescribedUser, home: string): boolean {
  return user.deleted === true || (workspacesOf(user).length > 0 && !belongsTo(user, home));
}

/** Whether Slack’s answer says anything about their membership. */
export const isDescribed = (user: DescribedUser): boolean =>
  workspacesOf(user).length > 0 || user.is_stranger === true || !isPerson(user);

function isPerson(user: DescribedUser): boolean {
  const isRobot = user.is_bot === true || user.is_connector_bot === true || user.is_workflow_bot === true;
  return !isRobot && user.deleted !== true && !isSlacksOwn(user.id ?? '');
}

const belongsTo = (user: DescribedUser, home: string): boolean => workspacesOf(user).includes(home);

const workspacesOf = ({ team_id, teams, enterprise_user }: DescribedUser): unknown[] =>
  [team_id, ...listed(teams), ...listed(enterprise_user?.teams)].filter((id) => typeof id === 'string' && id !== '');

const listed = (teams: unknown): readonly unknown[] => (Array.isArray(teams) ? teams : []);
