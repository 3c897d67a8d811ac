import { expect, it } from 'vitest';
import { shownValue } from '../../../src/operations/variable/add.ts';

it.each(['API_KEY', 'apiKey', 'DB_PASSWORD', 'accessToken', 'client-secret', 'AUTH'])(
  '%s is a secret’s name',
  (name) => {
    expect(shownValue(name, 'x1')).toBe('••••');
  },
);

it.each(['KEYBOARD', 'MONKEY', 'TTL', 'AUTHOR', 'TOKENIZER'])('%s is not', (name) => {
  expect(shownValue(name, 'x1')).toBe('x1');
});

it('an empty value has nothing to hide', () => {
  expect(shownValue('API_KEY', '')).toBe('');
});
