import { setTimeout } from 'node:timers/promises';
import { type Beside, commandButton, formButton, menu } from '../blocks/buttons.ts';
import { actions, message } from '../blocks/message.ts';
import { code } from '../blocks/mrkdwn.ts';
import { passes, UsageError } from '../errors.ts';
import type { AccessList } from '../platform/resources/security.ts';
import { type Attacker, attacker, attackerIn } from './arguments/attackers.ts';
import { choice, forAWhile } from './arguments/plain.ts';
import { nameWithId } from './arguments/resources/look-up.ts';
import { exactPullZone, type ZoneRef } from './arguments/resources/zones.ts';
import { refuseOwn, wouldHit } from './block/would-hit.ts';
import type { Context } from './context.ts';
import { defineOperation, warningsOf, wordsWith } from './operation.ts';
import { presentState } from './unreadable.ts';

/** Edgewise writes to lists of its own, so that two writers of one list are rare. */
const OWN = { 1: 'Edgewise addresses', 2: 'Edgewise networks', 3: 'Edgewise countries', 5: 'Edgewise fingerprints' };

export const isLists = {
  own: ({ name, type }: Pick<AccessList, 'name' | 'type'>): boolean =>
    Object.entries(OWN).some(([of, own]) => own === name && Number(of) === type),
  /** An entry as people type it. */
  typed: (type: number, entry: string): string =>
    type === 2
      ? entry.replace(/^(?:AS)?/i, 'AS')
      : entry.endsWith(entry.includes(':') ? '/128' : '/32')
        ? entry.split('/')[0]!
        : entry,
};

/** Beside somebody whom a message names, as `block` takes them. `its`: the command that shows what they asked for. */
export const blockMenu = (zone: number, whom: string, its?: string | false): Beside | undefined =>
  menu(
    commandButton('Block for 2 hours', `block add ${zone} ${whom} --for 2h`),
    commandButton('Block', `block add ${zone} ${whom}`),
    formButton('Limit …', `limit add ${zone}`),
    its !== undefined && its !== false && commandButton('Its requests', its),
  );

/** Beside what was done against attackers. */
export const whatItStops = ({ Id }: ZoneRef) =>
  message(actions(commandButton('What it stops', `security summary ${Id} --from 1h`)));

type Of = Pick<Context, 'platform' | 'signal'>;

export const shieldOf = async ({ Id }: ZoneRef, { platform, signal }: Of) =>
  (await platform.shieldZones.getByPullZone(Id, { signal }))?.shieldZoneId;

/** Edgewise’s list first, then others that block. */
async function listsFor(shield: number, { type }: Attacker, { platform, signal }: Of) {
  const lists = (await platform.security.lists(shield, { signal }))
    .filter((list) => list.type === type)
    .map((list) => ({ ...list, isOwn: isLists.own(list), isOn: list.isEnabled === true && list.action === 2 }))
    .filter(({ isOwn, isOn }) => isOwn || isOn)
    .sort((one, other) => Number(other.isOwn) - Number(one.isOwn));
  const entries = await Promise.all(lists.map(({ listId }) => platform.security.entries(shield, listId, { signal })));
  return lists.map((list, at) => ({ ...list, entries: entries[at]! }));
}

/** Others spell entries as they like. */
const has = (entries: readonly string[] | undefined, { type, entry }: Attacker): boolean =>
  entries?.some((one) => {
    const typed = isLists.typed(type, one);
    return passes(() => attackerIn(typed)) && attackerIn(typed).entry === entry;
  }) === true;

async function isBlocked(zone: ZoneRef, whom: Attacker, context: Of): Promise<boolean> {
  const shield = await shieldOf(zone, context);
  if (shield !== undefined) {
    const lists = await listsFor(shield, whom, context);
    return lists.some(({ isOn, entries }) => isOn && has(entries, whom));
  }
  if (whom.field !== 'ip' || whom.text.includes('/')) {
    throw new UsageError(`${nameWithId(zone)} has no shield, so only single addresses can be blocked there.`, {
      hint: 'Switch the shield on for it in the platform’s dashboard. `attack on` does so too, but challenges every visitor.',
    });
  }
  const { BlockedIps } = await context.platform.pullZones.get(zone.Id, { signal: context.signal });
  return has(BlockedIps, whom);
}

const ownList = async (shield: number, whom: Attacker, context: Of) =>
  (await listsFor(shield, whom, context)).find(({ isOwn }) => isOwn);

/** Reads the list right before it is written: what others wrote meanwhile stays. */
async function add(shield: number, whom: Attacker, context: Of): Promise<void> {
  const { security } = context.platform;
  const { signal } = context;
  const there = await ownList(shield, whom, context);
  if (there !== undefined && !has(there.entries, whom))
    await security.writeEntries(shield, there.listId, [...there.entries, whom.entry], { signal });
  const list = there ?? (await make(shield, whom, context));
  if (!list.isOn) await security.enableList(shield, list.configurationId, { signal });
}

/** A new list is off, and the platform may show it only a moment later. */
async function make(shield: number, whom: Attacker, context: Of) {
  const { security } = context.platform;
  const { signal } = context;
  const { type, entry: content } = whom;
  const { answer } = await security.createList(shield, { name: OWN[type], type, content }, { signal });
  for (const pause of [0, 200, 400, 800, 1_600]) {
    await setTimeout(pause, undefined, { signal }).catch(() => signal.throwIfAborted());
    const list = await ownList(shield, whom, context);
    if (list !== undefined) return list;
  }
  if (answer?.data !== undefined) await security.deleteList(shield, answer.data.id, { signal });
  throw new UsageError('The platform does not show the list that was made, so it was deleted again.', {
    hint: 'Block it again in a minute.',
  });
}

/** From Edgewise’s list if it is in there, so that the same entry in a list of somebody else stays. */
async function remove(shield: number, whom: Attacker, context: Of): Promise<void> {
  const { security } = context.platform;
  const { signal } = context;
  const list = (await listsFor(shield, whom, context)).find(({ entries }) => has(entries, whom));
  if (list === undefined) return;
  const rest = list.entries.filter((entry) => !has([entry], whom));
  if (rest.length === 0 && list.isOwn) await security.deleteList(shield, list.listId, { signal });
  else await security.writeEntries(shield, list.listId, rest, { signal });
}

export const block = defineOperation({
  name: 'block',
  summary: 'Block an address, a network, a country or a fingerprint on a zone, or unblock it',
  synonyms: {
    verbs: 'block, ban, unblock, unban, let in, keep out, keep off',
    nouns: 'ip, address, network, asn, country, attacker, ja4, fingerprint, blocklist',
  },
  effect: 'write',
  keepsOut: true,
  args: {
    action: choice('Action', [
      { value: 'add', label: 'Block', also: ['block', 'ban', 'keep out', 'keep off', 'shut out'] },
      { value: 'remove', label: 'Let in', also: ['unblock', 'unban', 'let in', 'stop block', 'no longer block'] },
    ]),
    zone: exactPullZone(),
    whom: attacker(),
    for: forAWhile(),
  },
  examples: ['block add shop 203.0.113.7 --for 2h', 'block add shop AS64500', 'block remove shop 203.0.113.7'],

  target: ({ zone, whom }) => `${whom.text} on ${nameWithId(zone)}`,

  words: ({ target, given: { action } }) =>
    action === 'remove' ? wordsWith('Let in', 'let in', code(target)) : wordsWith('Block', 'blocked', code(target)),

  async preview({ action, zone, whom }, context) {
    const isAdded = action === 'add';
    if (isAdded) await refuseOwn(zone, whom, context);
    const present = await presentState(async () => ({ blocked: await isBlocked(zone, whom, context) }));
    return {
      ...present,
      after: { blocked: isAdded },
      warnings: warningsOf(
        isAdded && whom.field === 'country' && 'That is everybody in this country, customers too.',
        isAdded && whom.field === 'asn' && 'That is everybody who uses this provider, customers too.',
      ),
    };
  },

  preflight: async ({ action, zone, whom }, context) =>
    action === 'add' ? { details: await wouldHit(zone, await shieldOf(zone, context), whom, context) } : {},

  turn: ({ zone }) => `block:${zone.Id}`,

  async run({ action, zone, whom }, context) {
    const { platform, signal } = context;
    const shield = await shieldOf(zone, context);
    if (shield !== undefined) await (action === 'add' ? add : remove)(shield, whom, context);
    else if (action === 'add') await platform.pullZones.addBlockedIp(zone.Id, { BlockedIp: whom.text }, { signal });
    else {
      const { BlockedIps = [] } = await platform.pullZones.get(zone.Id, { signal });
      for (const BlockedIp of BlockedIps.filter((one) => has([one], whom)))
        await platform.pullZones.removeBlockedIp(zone.Id, { BlockedIp }, { signal });
    }
    return shield !== undefined && action === 'add';
  },

  render: (isShields, { zone }) => (isShields ? whatItStops(zone) : message()),

  undo: ({ before }) => ({ action: before.blocked === true ? 'add' : 'remove' }),
});
