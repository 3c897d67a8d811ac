import { message } from '../../blocks/message.ts';
import { readSpending } from '../../platform/spending.ts';
import { balanceLine, balanceNotes, balanceTables } from '../../tables/balance.ts';
import { maySeeZone } from '../arguments/resources/zones.ts';
import { defineOperation } from '../operation.ts';
import { shown } from '../unreadable.ts';

export const showBalance = defineOperation({
  name: 'balance show',
  summary: 'Show what is left of the account’s money, for how long, and what it is spent on',
  synonyms: {
    verbs: 'left, how long, how many days, how much, spend, spent, pay, paid, owe, run out',
    nouns: 'money, billing, bill, credit, costs, charges, spending, budget, invoice, funds, this month',
  },
  effect: 'read',
  args: {},
  examples: ['balance show'],

  target: () => 'balance',

  async run(_, context) {
    const { platform, catalogue, now, signal } = context;
    const [spending, zones] = await Promise.all([
      shown('the balance', 'It needs the key of the account’s owner.', () => readSpending(platform, { now, signal })),
      catalogue.zones(),
    ]);
    const nameOf = (id: number) => zones.items.find((zone) => zone.Id === id)?.Name;
    const charges = spending.zones
      .filter(({ id }) => maySeeZone({ Id: id, Name: nameOf(id) }, context))
      .map(({ id, ...one }) => ({ ...one, name: nameOf(id) ?? String(id) }));
    return { ...spending, zones: charges };
  },

  render: (facts, _, reader) =>
    message(balanceLine(facts, reader), ...balanceNotes(facts, reader), ...balanceTables(facts, reader)),
});
