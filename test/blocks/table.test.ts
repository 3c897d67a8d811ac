import type { DataTableBlock } from '@slack/types';
import { describe, expect, test } from 'vitest';
import { table, tableAsCsv, tableAsText, tableOf } from '../../src/blocks/table.ts';

const zones = {
  caption: 'Zones',
  columns: [{ label: 'Zone' }, { label: 'Requests', align: 'right' as const }],
  rows: [
    ['shop', 1200],
    ['blog', { value: 7, text: '7' }],
  ],
};

const blockOf = (part: { blocks: unknown[] }) => part.blocks[0] as DataTableBlock;

describe('a table', () => {
  test('has sortable numbers in its block and aligned columns in its text', () => {
    const part = table(zones);
    expect(blockOf(part).rows).toEqual([
      [
        { type: 'raw_text', text: 'Zone' },
        { type: 'raw_text', text: 'Requests' },
      ],
      [
        { type: 'raw_text', text: 'shop' },
        { type: 'raw_number', value: 1200, text: '1,200' },
      ],
      [
        { type: 'raw_text', text: 'blog' },
        { type: 'raw_number', value: 7, text: '7' },
      ],
    ]);
    expect(part.text).toBe('Zones\nZone  Requests\n────  ────────\nshop     1,200\nblog         7');
    expect(part.files).toBeUndefined();
  });

  test('says that there is nothing when there is nothing', () => {
    expect(table({ ...zones, rows: [] }).text).toBe('Zones: nothing to show.');
  });

  test('never sends an empty cell or a number that is none', () => {
    const part = table({ ...zones, rows: [['', Number.NaN]] });
    expect(blockOf(part).rows[1]).toEqual([
      { type: 'raw_text', text: '–' },
      { type: 'raw_text', text: '–' },
    ]);
  });

  test('shows a hundred rows and gives all of them in a file', () => {
    const rows = Array.from({ length: 250 }, (_, index) => [`zone-${index}`, index]);
    const part = table({ ...zones, rows });
    expect(blockOf(part).rows).toHaveLength(101);
    expect(part.text).toContain('the first 100 of 250 rows; everything is in the attached file');
    expect(part.files?.[0]?.name).toBe('zones.csv');
    expect(String(part.files?.[0]?.content).trimEnd().split('\r\n')).toHaveLength(251);
  });

  test('keeps to ten thousand characters', () => {
    const rows = Array.from({ length: 90 }, (_, index) => ['x'.repeat(240), index]);
    const part = table({ ...zones, rows });
    const characters = blockOf(part)
      .rows.flat()
      .reduce((sum, cell) => sum + ('text' in cell ? String(cell.text).length : 0), 0);
    expect(characters).toBeLessThanOrEqual(10_000);
    expect(part.files).toHaveLength(1);
  });

  test('shows twenty columns of more and shortens long cells, with the whole in a file', () => {
    const columns = Array.from({ length: 22 }, (_, index) => ({ label: `c${index}` }));
    const part = table({ caption: 'Wide', columns, rows: [columns.map(() => 'y'.repeat(300))] });
    expect(blockOf(part).rows[0]).toHaveLength(20);
    expect(part.text).toContain('the first 20 of 22 columns, shortened cells');
    expect(String(part.files?.[0]?.content)).toContain('y'.repeat(300));
  });

  test('reads back from its block as it was', () => {
    expect(tableAsText(tableOf(blockOf(table(zones))))).toBe(tableAsText(zones));
  });
});

test('a file for a spreadsheet quotes every text and defuses formulas', () => {
  const csv = tableAsCsv({
    caption: 'x',
    columns: [{ label: 'a' }, { label: 'b' }],
    rows: [
      ['=cmd()', -5],
      ['say "hi", then\nleave', '@x'],
    ],
  });
  expect(csv).toBe(`"a","b"\r\n"'=cmd()",-5\r\n"say ""hi"", then\nleave","'@x"\r\n`);
});
