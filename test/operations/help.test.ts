import { expect, it } from 'vitest';
import { menuParts } from '../../src/operations/help.ts';

it('the menu of help has a command of which no group knows the noun', () => {
  const named = (name: string) => ({ name, summary: '', effect: 'read' as const, args: {} });
  const parts = JSON.stringify(menuParts([named('zone list'), named('dns list')]));
  expect(parts).toMatch(/Cache and zones.*zone list.*More.*dns list.*All commands/s);
});
