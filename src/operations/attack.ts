import { message, note } from '../blocks/message.ts';
import { bold, code, mrkdwn } from '../blocks/mrkdwn.ts';
import { labelOf, PLAN_TYPES, SENSITIVITIES } from '../platform/enums.ts';
import { choice, flagged, forAWhile } from './arguments/plain.ts';
import { exactPullZone } from './arguments/resources/zones.ts';
import { whatItStops } from './block.ts';
import { defineOperation, fromTo, warningsOf } from './operation.ts';
import { presentState } from './unreadable.ts';

const LEVELS = ['off', 'low', 'medium', 'high'] as const;
const EVERYBODY = 4;
const USUAL = 2;

export const attack = defineOperation({
  name: 'attack',
  summary: 'Challenge every visitor of a zone that is under attack, or stop challenging them',
  synonyms: {
    verbs: 'switch on, switch off, turn on, turn off, enable, disable, activate, start attack, start under attack',
    nouns: 'attack mode, under attack, ddos, flood, challenge, emergency',
  },
  effect: 'write',
  keepsOut: true,
  args: {
    state: choice('State', [
      { value: 'on', also: ['challenge', 'turn on', 'switch on', 'enable', 'activate'] },
      { value: 'off', also: ['stop challenging', 'turn off', 'switch off', 'disable', 'deactivate'] },
    ]),
    zone: exactPullZone(),
    level: flagged(
      choice('Level after', LEVELS, {
        hint: 'The shield’s level once attack mode is off; by default an undo sets what was before',
      }),
    ),
    for: forAWhile(),
  },
  examples: ['attack on shop --for 1h', 'attack off shop'],
  title: 'Attack mode',

  words({ target, before, after, given: { state = '' } }) {
    const to = String(after.protection);
    return {
      button: `Switch ${state}`,
      title: mrkdwn`Switch attack mode ${bold(state)} for ${code(target)}`,
      done: mrkdwn`switched attack mode ${bold(state)} for ${code(target)}: ${fromTo(before?.protection, to)}`,
    };
  },

  async preview({ state, zone, level }, { platform, signal }) {
    const [everybody, usual] = [labelOf(SENSITIVITIES, EVERYBODY), labelOf(SENSITIVITIES, USUAL)];
    let plan: number | undefined;
    const { before, unread = 'the platform does not show it' } = await presentState(async () => {
      const shield = await platform.shieldZones.getByPullZone(zone.Id, { signal });
      plan = shield === undefined ? -1 : shield.planType;
      return { protection: shield === undefined ? usual : SENSITIVITIES[shield.dDoSShieldSensitivity ?? -1] };
    });
    const present = before?.protection === undefined ? { unread } : { before };
    const was = present.before?.protection ?? everybody;
    // It is off already, so its setting stays.
    if (state === 'off') return { ...present, after: { protection: was === everybody ? (level ?? usual) : was } };
    const challenge =
      'Each visitor’s browser has to solve a short calculation first, for a few seconds, with JavaScript.';
    const has = plan === undefined || plan < 0 ? '' : ` This zone’s shield has the plan ${labelOf(PLAN_TYPES, plan)}.`;
    return {
      ...present,
      after: { protection: everybody },
      warnings: warningsOf(
        'Anything that is not a browser will fail: apps, webhooks, API clients, health checks, unverified bots.',
        plan === -1 && 'This zone has no shield: this creates one on the Basic plan, and it stays afterwards.',
      ),
      details: message(challenge + has, level && note(`Afterwards an undo sets the shield to ${level}.`)),
    };
  },

  async run({ state, zone, level }, { platform, signal }) {
    const shield = await platform.shieldZones.getByPullZone(zone.Id, { signal });
    if (shield === undefined && state === 'on') return void (await platform.security.underAttack(zone.Id, { signal }));
    if (shield === undefined) return;
    const wanted = state === 'on' ? EVERYBODY : level === undefined ? USUAL : LEVELS.indexOf(level);
    await platform.security.setSensitivity(shield.shieldZoneId, wanted, { signal });
  },

  render: (_, { state, zone }) => (state === 'on' ? whatItStops(zone) : message()),

  undo({ before }, { level }) {
    const was = LEVELS.find((one) => one === before.protection);
    return was === undefined ? { state: 'on' } : { state: 'off', level: level ?? was };
  },
});
