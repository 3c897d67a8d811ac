import { expect, it } from 'vitest';
import { menuParts } from '../../src/operations/help.ts';

it('the menu of help has a command of which no group knows the noun', () => {
  const parts = JSON.stringify(
    menuParts([
      { name: 'zone list', args: {} },
      { name: 'dns list', args: {} },
    ]),
  );
  expect(parts).toMatch(/Cache and zones.*zone list.*More.*dns list.*All commands/s);
});
