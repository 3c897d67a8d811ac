import { setTimeout } from 'node:timers/promises';
import { type Beside, commandButton, formButton, menu } from '../blocks/buttons.ts';
import { shorten } from '../blocks/limits.ts';
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

/** Shown with what was done against attackers. */
export const whatItStops = ({ Id }: ZoneRef) =>
  message(actions(commandButton('What it stops', `security summary ${Id} --from 1h`)));

type Of = Pick<Context, 'platform' | 'signal'>;

export const shieldOf = async ({ Id }: ZoneRef, { platform, signal }: Of) =>
  (await platform.shieldZones.getByPullZone(Id, { signal }))?.shieldZoneId;

export const withoutShield = (zone: ZoneRef, so: string) =>
  new UsageError(`${nameWithId(zone)} has no shield, so ${so}.`, {
    hint: 'Switch the shield on for it in the platform’s dashboard. `attack on` does so too, but challenges every visitor.',
  });

/** Lists of Edgewise, and others that block. */
async function listsFor(shield: number, { type }: Attacker, { platform, signal }: Of) {
  const lists = (await platform.security.lists(shield, { signal }))
    // The dashboard has lists of single addresses, too.
    .filter((list) => list.type === type || (list.type === 0 && type === 1))
    .map((list) => ({ ...list, isOwn: isLists.own(list), isOn: list.isEnabled === true && list.action === 2 }))
    .filter(({ isOwn, isOn }) => isOwn || isOn);
  const entries = await Promise.all(lists.map(({ listId }) => platform.security.entries(shield, listId, { signal })));
  return lists.map((list, at) => ({ ...list, entries: entries[at]! }));
}

/** Others spell entries as they like. */
const has = (entries: readonly string[] | undefined, { type, entry }: Attacker): boolean =>
  entries?.some((one) => {
    const typed = isLists.typed(type, one);
    return passes(() => attackerIn(typed)) && attackerIn(typed).entry === entry;
  }) === true;

/**
 * What may keep somebody out, in the order in which entries are removed: Edgewise’s list, the zone itself, lists of
 * others.
 */
async function placesFor(zone: ZoneRef, shield: number | undefined, whom: Attacker, context: Of) {
  const { platform, signal } = context;
  const lists = shield === undefined ? [] : await listsFor(shield, whom, context);
  const { BlockedIps: entries = [] } = whom.field === 'ip' ? await platform.pullZones.get(zone.Id, { signal }) : {};
  const own = { name: 'the zone itself', isOwn: false, isOn: true, entries, listId: undefined };
  const orderOf = ({ isOwn, isOn }: { isOwn: boolean; isOn: boolean }) => (isOn ? Number(!isOwn) : 2);
  return [own, ...lists].sort((one, other) => orderOf(one) - orderOf(other));
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

/**
 * From the first place that has the entry: if Edgewise’s list has it, the same entry in a list of somebody else stays.
 */
async function remove(zone: ZoneRef, shield: number | undefined, whom: Attacker, context: Of): Promise<void> {
  const { security, pullZones } = context.platform;
  const { signal } = context;
  const place = (await placesFor(zone, shield, whom, context)).find(({ entries }) => has(entries, whom));
  if (place === undefined) return;
  const its = place.entries.filter((entry) => has([entry], whom));
  const rest = place.entries.filter((entry) => !its.includes(entry));
  if (shield === undefined || place.listId === undefined)
    for (const BlockedIp of its) await pullZones.removeBlockedIp(zone.Id, { BlockedIp }, { signal });
  else if (rest.length === 0 && place.isOwn) await security.deleteList(shield, place.listId, { signal });
  else await security.writeEntries(shield, place.listId, rest, { signal });
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
    let places: Awaited<ReturnType<typeof placesFor>> = [];
    const blocking = () => places.filter(({ isOn, entries }) => isOn && has(entries, whom));
    const present = await presentState(async () => {
      const shield = await shieldOf(zone, context);
      if (shield === undefined && (whom.field !== 'ip' || whom.text.includes('/')))
        throw withoutShield(zone, 'only single addresses can be blocked there');
      places = await placesFor(zone, shield, whom, context);
      return { blocked: blocking().length > 0 };
    });
    const others = blocking().slice(1);
    const off = places.find(({ isOwn, isOn }) => isOwn && !isOn);
    const back = off?.entries.filter((entry) => !has([entry], whom)) ?? [];
    return {
      ...present,
      after: { blocked: isAdded },
      warnings: warningsOf(
        isAdded && whom.field === 'country' && 'That is everybody in this country, customers too.',
        isAdded && whom.field === 'asn' && 'That is everybody who uses this provider, customers too.',
        isAdded &&
          back.length > 0 &&
          `The list ${off?.name} is switched off. This switches it on again, with its other entries: ${shorten(back.join(', '), 200)}.`,
        !isAdded &&
          others.length > 0 &&
          `It stays blocked by ${others.map(({ name, listId }) => name ?? `list ${listId}`).join(', ')}.`,
      ),
    };
  },

  preflight: async ({ action, zone, whom }, context) =>
    action === 'add' ? { details: await wouldHit(zone, await shieldOf(zone, context), whom, context) } : {},

  turn: ({ zone }) => `block:${zone.Id}`,

  async run({ action, zone, whom }, context) {
    const { platform, signal } = context;
    const shield = await shieldOf(zone, context);
    if (action === 'remove') await remove(zone, shield, whom, context);
    else if (shield !== undefined) await add(shield, whom, context);
    else await platform.pullZones.addBlockedIp(zone.Id, { BlockedIp: whom.text }, { signal });
    return shield !== undefined && action === 'add';
  },

  render: (isShields, { zone }) => (isShields ? whatItStops(zone) : message()),

  undo: ({ before }) => ({ action: before.blocked === true ? 'add' : 'remove' }),
});
