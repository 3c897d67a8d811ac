import { commandButton } from '../../blocks/buttons.ts';
import { shorten } from '../../blocks/limits.ts';
import { actions, message, note, nothing, section, sectionWith } from '../../blocks/message.ts';
import { bold, code, join, mrkdwn } from '../../blocks/mrkdwn.ts';
import { passes } from '../../errors.ts';
import { labelOf, SENSITIVITIES } from '../../platform/enums.ts';
import { attackerIn } from '../arguments/attackers.ts';
import { nameWithId } from '../arguments/resources/look-up.ts';
import { pullZone } from '../arguments/resources/zones.ts';
import { isLists } from '../block.ts';
import { defineOperation } from '../operation.ts';

export const listBlocks = defineOperation({
  name: 'block list',
  summary: 'What is blocked or limited on a zone: addresses, networks, countries, limits, attack mode',
  synonyms: {
    verbs: 'show, who is blocked, who is banned, is blocked, kept out, kept off',
    nouns: 'ip, ips, address, blocked, banned, limit, access lists, blocklist, denylist',
  },
  effect: 'read',
  args: { zone: pullZone() },
  examples: ['block list shop'],

  async run({ zone }, { platform, signal }) {
    const shield = await platform.shieldZones.getByPullZone(zone.Id, { signal });
    const { BlockedIps = [] } = await platform.pullZones.get(zone.Id, { signal });
    if (shield === undefined) return { entries: BlockedIps, others: [], limits: [], sensitivity: undefined };
    const id = shield.shieldZoneId;
    const [customLists, limits] = await Promise.all([
      platform.security.lists(id, { signal }),
      platform.security.limits(id, { signal }),
    ]);
    const own = customLists.filter(isLists.own);
    const entries = await Promise.all(own.map(({ listId }) => platform.security.entries(id, listId, { signal })));
    return {
      entries: [
        ...BlockedIps,
        ...own.flatMap(({ type }, at) => entries[at]!.map((entry) => isLists.typed(type, entry))),
      ],
      others: customLists.filter((list) => !isLists.own(list)),
      limits,
      sensitivity: shield.dDoSShieldSensitivity,
    };
  },

  render({ entries, others, limits, sensitivity }, { zone }) {
    // Source: docs/platform.md, Access lists.
    const does = { 0: 'none', 1: 'allow', 2: 'block', 3: 'challenge', 4: 'log', 5: 'bypass' };
    const name = bold(nameWithId(zone));
    const isAttack = sensitivity === 4;
    const under = actions(commandButton('Security summary', `security summary ${zone.Id}`));
    if (entries.length + others.length + limits.length === 0 && !isAttack)
      return nothing(mrkdwn`Nothing is blocked on ${name}.`, under);
    return message(
      mrkdwn`Blocked on ${name}:`,
      isAttack &&
        sectionWith(
          mrkdwn`🛡️ ${bold('Attack mode')}: ${labelOf(SENSITIVITIES, sensitivity)}`,
          commandButton('Switch off', `attack off ${zone.Id}`),
        ),
      ...entries.slice(0, 20).map((entry) => {
        // Others may write entries that no command takes.
        const isTaken = passes(() => attackerIn(entry));
        const letIn = isTaken && commandButton('Let in again', `block remove ${zone.Id} ${entry}`);
        return sectionWith(code(shorten(entry, 100)), letIn || undefined);
      }),
      entries.length > 20 && note(`and ${entries.length - 20} more`),
      ...limits.slice(0, 10).map(({ ruleDescription, ruleName = 'a limit', ruleConfiguration }) => {
        const path = ruleConfiguration?.value ?? '';
        return section(mrkdwn`Limit on ${code(path)}: ${ruleDescription || ruleName}`);
      }),
      others.length > 0 &&
        note(
          mrkdwn`Lists of others: ${join(
            others.slice(0, 10).map((one) => {
              const state = one.isEnabled === true ? labelOf(does, one.action ?? 0) : 'off';
              return mrkdwn`${one.name ?? String(one.listId)} (${state}, ${String(one.entryCount ?? 0)})`;
            }),
            ', ',
          )}.`,
        ),
      under,
    );
  },
});
