import { afterEach, beforeEach, expect } from 'vitest';
import { createFakeServer, type FakeServer } from './fake-server.ts';

/** A fake platform per test, checked both ways afterwards: nothing unexpected came, and nothing expected stayed away. */
export function useFakeServer(): () => FakeServer {
  let server: FakeServer;
  beforeEach(async () => {
    server = await createFakeServer();
  });
  afterEach(async () => {
    const { unexpected } = server;
    const left = server.left();
    await server.close();
    expect(unexpected.map((one) => `${one.method} ${one.url}`)).toEqual([]);
    expect(left).toBe(0);
  });
  return () => server;
}

/** What a promise fails with; fails itself when it does not. */
export async function failureOf(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
  throw new Error('It did not fail.');
}
