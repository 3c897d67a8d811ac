import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { downloadLog } from '../../../src/operations/log/download.ts';
import { PlatformError } from '../../../src/platform/errors.ts';
import { line } from '../../logs/lines.ts';
import { ask } from './asking.ts';

const platformOf = (file: () => Readable) => ({ platform: { accessLogs: { download: async () => file() } } });

test('log download gives the day as a file, without authorizations', async () => {
  const uncertain = `${line({ request: '-', country: '12' })}|95|-|Bearer hush`;
  const log = `${uncertain}\n${line()}\r\n${line()}|95|bytes=0-9|Bearer hush|322b688bd63fb63f2babe9de30a5d262|DE\nhush\n${line({ agent: 'a|b' })}`;
  const chunks = Array.from({ length: Math.ceil(log.length / 7) }, (_, n) => Buffer.from(log.slice(7 * n, 7 * n + 7)));
  const found = await ask(
    'log download 1001 yesterday',
    downloadLog,
    platformOf(() => Readable.from(chunks)),
  );
  expect(found.text).toContain('3 requests in a file');
  expect(found.text).toContain('Left out: 2 lines that I couldn’t parse');
  expect(found.files).toMatchObject([{ name: '1001-2026-11-20.log' }]);
  expect(String(found.files?.[0]?.content)).toBe(`${line()}\n${line()}|95|bytes=0-9\n${line({ agent: 'a|b' })}\n`);
});

test('log download says that a log is empty', async () => {
  const found = await ask(
    'log download 1001 yesterday',
    downloadLog,
    platformOf(() => Readable.from([])),
  );
  expect(found.text).toContain('the log is empty');
  expect(found.files).toBeUndefined();
});

test('log download refuses more than 50 MB and stops reading', async () => {
  let read = 0;
  async function* endless() {
    for (;;) {
      read += 1;
      yield Buffer.alloc(10_000_000, 'x');
    }
  }
  const source = Readable.from(endless());
  await expect(
    ask(
      'log download 1001 yesterday',
      downloadLog,
      platformOf(() => source),
    ),
  ).rejects.toThrow('larger than 50 MB');
  expect(source.destroyed).toBe(true);
  expect(read).toBeLessThan(30);
});

test('log download says where there is no such file', async () => {
  const setting = platformOf(() => {
    throw new PlatformError('Not found', { status: 404, service: 'logging', method: 'GET', path: '/x' });
  });
  await expect(ask('log download 1001 yesterday', downloadLog, setting)).rejects.toThrow(
    'This platform does not show the log of a whole day',
  );
});
