import { message, note, nothing } from '../../blocks/message.ts';
import { mrkdwn, visibleJson } from '../../blocks/mrkdwn.ts';
import type { StoredAuditEntry } from '../../store/audit-entry.ts';
import { defineOperation } from '../operation.ts';
import { filterArguments, filterOf, filterWords } from './filter.ts';

const MOST = 20_000;

export const auditExport = defineOperation({
  name: 'audit export',
  summary: 'Get the audit as a file, one entry a line',
  synonyms: { verbs: 'download, save, file, dump', nouns: 'audit log, trail, audit trail' },
  effect: 'read',
  args: filterArguments,
  examples: ['audit export', 'audit export --target shop', 'audit export --changes'],

  target: (args) => filterWords(args),

  async run(args, context) {
    const { audit, signal, progress } = context;
    const { zone: _, ...filter } = await filterOf(args, context);
    const entries: StoredAuditEntry[] = [];
    let before: number | undefined;
    while (entries.length < MOST && !signal.aborted) {
      const page = await audit.list({ ...filter, before, limit: 500 });
      entries.push(...page);
      progress(entries.length, undefined, 'records');
      before = page.at(-1)?.number;
      if (page.length < 500) return { entries, more: false };
    }
    return { entries, more: true };
  },

  render: ({ entries, more }) => {
    if (entries.length === 0) return nothing('No entries match.');
    const lines = entries.map((entry) => visibleJson(JSON.stringify(entry))).join('\n');
    return message(
      { blocks: [], text: '', files: [{ name: 'audit.jsonl', title: 'Audit', content: `${lines}\n` }] },
      mrkdwn`${entries.length} ${entries.length === 1 ? 'entry' : 'entries'}, newest first, one JSON object a line.`,
      more && note(`These are the newest ${MOST}. Older ones are in the store.`),
    );
  },
});
