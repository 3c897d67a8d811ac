import { describe, expect, it } from 'vitest';
import { type DescribedUser, membershipOf } from '../../src/slack/membership.ts';

const HOME = 'T0HOME';
const OTHER = 'T0OTHER';
const ORGANISATION = 'E0ORG';

/** What `users.info` says of everybody; the values that decide are put over these. */
const person: DescribedUser = {
  id: 'U0ADA',
  team_id: HOME,
  deleted: false,
  is_bot: false,
  is_restricted: false,
  is_ultra_restricted: false,
};
/** On Enterprise Grid, as recorded: `team_id` is one fixed workspace of the organisation, or is not there. */
const onGrid = (teams: unknown, more: object = {}) => ({
  ...person,
  enterprise_user: {
    id: 'U0ADA',
    enterprise_id: ORGANISATION,
    enterprise_name: '',
    is_admin: false,
    is_owner: false,
    teams,
  },
  is_workflow_bot: false,
  ...more,
});
const without = (user: object, key: keyof DescribedUser) => ({ ...user, [key]: undefined });

const CASES: [workspace: string, who: string, user: object | undefined, standing: string][] = [
  ['free', 'a member', person, 'member'],
  ['free', 'an admin', { ...person, is_admin: true, is_owner: true, is_primary_owner: true }, 'member'],
  ['free', 'somebody who uses the app', { ...person, is_app_user: true }, 'member'],
  ['free', 'Slackbot', { ...person, id: 'USLACKBOT', is_workflow_bot: false, name: 'slackbot' }, 'stranger'],
  ['free', 'Slack itself', { ...person, id: 'USLACK' }, 'stranger'],
  ['free', 'a bot', { ...person, is_bot: true, profile: { bot_id: 'B0BOT', api_app_id: 'A0APP' } }, 'stranger'],
  ['free', 'a workflow', { ...person, is_workflow_bot: true }, 'stranger'],
  ['free', 'a workflow that is called a bot', { ...person, is_bot: true, is_workflow_bot: true }, 'stranger'],
  ['free', 'a connector', { ...person, is_connector_bot: true }, 'stranger'],
  ['free', 'somebody who has left', { id: 'U0ADA', team_id: HOME, deleted: true, is_bot: false }, 'stranger'],
  ['free', 'somebody whom Slack does not describe', undefined, 'stranger'],
  ['free', 'nobody in particular', {}, 'stranger'],
  ['free', 'a person without a workspace', without(person, 'team_id'), 'stranger'],
  ['free', 'a person of the empty workspace', { ...person, team_id: '' }, 'stranger'],
  ['free', 'a person of null', { ...person, team_id: null, teams: null, enterprise_user: null }, 'stranger'],

  ['paid', 'a guest of several channels', { ...person, is_restricted: true }, 'guest'],
  ['paid', 'a guest of one channel', { ...person, is_restricted: true, is_ultra_restricted: true }, 'guest'],
  ['paid', 'a guest of one channel, said once', { ...person, is_ultra_restricted: true }, 'guest'],
  ['paid', 'a guest who has left', { ...person, is_restricted: true, deleted: true }, 'stranger'],
  ['paid', 'somebody of another company', { ...person, team_id: OTHER, is_stranger: true }, 'stranger'],
  ['paid', 'somebody of another company, not said to be a stranger', { ...person, team_id: OTHER }, 'stranger'],
  ['paid', 'a stranger with our workspace', { ...person, is_stranger: true }, 'stranger'],
  ['paid', 'a guest of another company', { ...person, team_id: OTHER, is_restricted: true }, 'stranger'],

  ['Grid', 'a member with our team_id', onGrid([HOME]), 'member'],
  ['Grid', 'a member with a global id', onGrid([HOME], { id: 'W0ADA' }), 'member'],
  ['Grid', 'a member of several workspaces', onGrid([OTHER, HOME], { team_id: OTHER }), 'member'],
  ['Grid', 'a member without a team_id', without(onGrid([OTHER, HOME]), 'team_id'), 'member'],
  ['Grid', 'a member by teams alone', { ...person, team_id: OTHER, teams: [HOME] }, 'member'],
  ['Grid', 'a member with the organisation as team_id', onGrid([HOME], { team_id: ORGANISATION }), 'member'],
  ['Grid', 'a guest of our workspace', onGrid([HOME], { team_id: OTHER, is_restricted: true }), 'guest'],
  ['Grid', 'a colleague in another workspace', onGrid([OTHER], { team_id: OTHER }), 'stranger'],
  ['Grid', 'a colleague without a team_id', without(onGrid([OTHER]), 'team_id'), 'stranger'],
  [
    'Grid',
    'an owner of the organisation in no workspace',
    without(onGrid([], { is_owner: true }), 'team_id'),
    'stranger',
  ],
  ['Grid', 'a colleague whose workspaces are not said', without(onGrid(undefined), 'team_id'), 'stranger'],
  ['Grid', 'workspaces in a text', without(onGrid(`${HOME},${OTHER}`), 'team_id'), 'stranger'],
  ['Grid', 'a workspace whose id begins with ours', onGrid([`${HOME}X`], { team_id: `${HOME}Y` }), 'stranger'],
  ['Grid', 'somebody who has left the organisation', onGrid([HOME], { deleted: true }), 'stranger'],
  ['Grid', 'a workflow', onGrid([HOME], { is_workflow_bot: true }), 'stranger'],
  [
    'Grid',
    'a person of a connected organisation',
    onGrid([OTHER], { team_id: 'E0OTHER', is_stranger: true }),
    'stranger',
  ],
];

describe('who belongs to the workspace', () => {
  it.each(CASES)('on %s: %s', (_, __, user, standing) => {
    expect(membershipOf(user as DescribedUser | undefined, HOME)).toBe(standing);
  });

  it.each(CASES)('nobody, when the bot does not know its own workspace (on %s: %s)', (_, __, user) => {
    expect(membershipOf(user as DescribedUser | undefined, '')).toBe('stranger');
  });
});
