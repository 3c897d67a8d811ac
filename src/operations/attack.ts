import { message, section } from '../blocks/message.ts';
import { bold, code, mrkdwn } from '../blocks/mrkdwn.ts';
import { labelOf, PLAN_TYPES, SENSITIVITIES } from '../platform/enums.ts';
import { choice, flagged, forAWhile } from './arguments/plain.ts';
import { nameWithId } from './arguments/resources/look-up.ts';
import { exactPullZone } from './arguments/resources/zones.ts';
import { defineOperation, fromTo, warningsOf } from './operation.ts';
import { presentState } from './unreadable.ts';

const LEVELS = ['off', 'low', 'medium', 'high'] as const;
const EVERYBODY = 4;
const USUAL = 2;

export const attack = defineOperation({
  name: 'attack',
  summary: 'Challenge every visitor of a zone that is under attack, or stop it again',
  synonyms: {
    verbs: 'switch on, switch off, turn on, turn off, enable, disable, activate, defend, protect',
    nouns: 'attack mode, under attack, ddos, flood, challenge, emergency',
  },
  effect: 'write',
  args: {
    state: choice('State', [
      { value: 'on', also: ['turn on', 'switch on', 'enable', 'activate', 'defend', 'protect'] },
      { value: 'off', also: ['turn off', 'switch off', 'disable', 'deactivate'] },
    ]),
    zone: exactPullZone(),
    level: flagged(
      choice('Level after', LEVELS, { hint: 'What the shield is set to when it is off; medium unless told' }),
    ),
    for: forAWhile(),
  },
  examples: ['attack on shop --for 1h', 'attack off shop'],
  title: 'Attack mode',

  target: ({ zone }) => nameWithId(zone),

  words({ target, before, after, given: { state = '' } }) {
    const to = String(after.protection);
    return {
      button: `Switch ${state}`,
      title: mrkdwn`Switch attack mode ${bold(state)} for ${code(target)}`,
      done: mrkdwn`switched attack mode ${bold(state)} for ${code(target)}: ${fromTo(before?.protection, to)}`,
    };
  },

  async preview({ state, zone, level }, { platform, signal }) {
    let plan: number | undefined;
    let isMade = false;
    const present = await presentState(async () => {
      const shield = await platform.shieldZones.getByPullZone(zone.Id, { signal });
      isMade = shield === undefined;
      plan = shield?.planType;
      return { protection: labelOf(SENSITIVITIES, shield?.dDoSShieldSensitivity ?? USUAL) };
    });
    const was = present.before?.protection ?? labelOf(SENSITIVITIES, EVERYBODY);
    const isOn = state === 'on';
    // Off already: whatever it is set to stays.
    const off = was === labelOf(SENSITIVITIES, EVERYBODY) ? (level ?? labelOf(SENSITIVITIES, USUAL)) : was;
    return {
      ...present,
      after: { protection: isOn ? labelOf(SENSITIVITIES, EVERYBODY) : off },
      warnings: warningsOf(
        isOn && 'What is no browser fails: apps, webhooks, API clients, health checks, unverified bots.',
        isOn && isMade && 'This zone has no shield: one of the plan Basic is made, and stays afterwards.',
      ),
      ...(isOn
        ? {
            details: message(
              section(
                'Each visitor’s browser has to solve a short calculation first, for a few seconds, with JavaScript.',
              ),
              plan !== undefined &&
                section(
                  mrkdwn`The shield of this zone has the plan ${bold(labelOf(PLAN_TYPES, plan))}; no other is needed.`,
                ),
            ),
          }
        : {}),
    };
  },

  async run({ state, zone, level }, { platform, signal }) {
    const shield = await platform.shieldZones.getByPullZone(zone.Id, { signal });
    if (shield === undefined && state === 'on') return void (await platform.security.underAttack(zone.Id, { signal }));
    if (shield === undefined) return;
    const wanted = state === 'on' ? EVERYBODY : level === undefined ? USUAL : LEVELS.indexOf(level);
    await platform.security.setSensitivity(shield.shieldZoneId, wanted, { signal });
  },

  render: () => message(),

  undo({ before }) {
    const level = LEVELS.find((one) => one === before.protection);
    return level === undefined ? { state: 'on' } : { state: 'off', level };
  },
});
