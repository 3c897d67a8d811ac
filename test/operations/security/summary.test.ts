import { expect, it } from 'vitest';
import { HOUR } from '../../../playground/platform/clock.ts';
import { useSimulated } from '../database/simulated.ts';
import { blockText, buttonsOf, NOW, rowsOf } from '../performing.ts';

const from = NOW.getTime() - HOUR / 3;
const simulated = useSimulated({
  incidents: (zone) => (zone === 308002 ? { kind: 'flood', from, to: from + 4 * HOUR, share: 1 } : undefined),
});
const shown = async (line: string) => (await (await simulated.perform(line)).run()).message;

it('security summary counts what the shield saw, and each row can be blocked', async () => {
  const message = await shown('security summary shop --from 3h');
  expect(blockText(message)).toMatch(/^The shield saw \*[\d,]+ events\* \(logged [\d,]+, blocked [\d,]+\)/u);
  expect(blockText(message)).toMatch(
    /Rules: bot-detection [\d,]+ · (?:SQL injection|cross-site scripting|file access|malformed request) \(\d{6}\) \d+ · /u,
  );
  const rows = rowsOf(message);
  const row = (start: string) => rows.find(({ text }) => text.includes(` \`${start}`))!;
  expect(row('203.0.113.').text).toMatch(/` · [\d,]+ \(\d+(\.\d)?%\) · BR · AS64666$/u);
  expect(row('AS64666').does).toEqual({
    'Block for 2 hours': 'command:block add 308002 AS64666 --for 2h',
    Block: 'command:block add 308002 AS64666',
    'Limit …': expect.stringContaining('limit add 308002'),
  });
  expect(row('BR').does['Its requests']).toBe('command:log search 308002 --country BR');
  expect(row('t13d1516h2_').does).toHaveProperty('Block');
  expect(buttonsOf(message)).toMatchObject({ 'Attack mode': 'attack on 308002 --for 1h' });
});

it('security summary says that nothing was seen, that nothing watches, and how far it goes back', async () => {
  expect(blockText(await shown('security summary docs --from 1m'))).toContain('The shield saw nothing to stop');
  await expect(shown('security summary staging')).rejects.toThrow('has no shield, so nothing watches');
  await expect(shown('security summary shop --from 4d')).rejects.toThrow('keeps security events for 72 hours');
});
