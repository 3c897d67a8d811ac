import { expect, it } from 'vitest';
import { UsageError } from '../src/errors.ts';

it.each([
  ['It cannot be read: The end is missing..', 'It cannot be read: The end is missing.'],
  ['It cannot be read: Why not?.', 'It cannot be read: Why not?'],
  ['It cannot be read: and so on….', 'It cannot be read: and so on…'],
  ['“a.” is no host.', '“a.” is no host.'],
  ['It stands at ../x.', 'It stands at ../x.'],
])('a refusal ends with one full stop: %s', (written, read) => {
  expect(new UsageError(written).message).toBe(read);
});
