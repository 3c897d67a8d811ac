import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPage } from '../../../playground/launcher/page-server.ts';

describe('the page’s files', () => {
  let server: Server;
  let url: string;

  beforeAll(async () => {
    const answer = await createPage(() => ({ commands: [], tries: ['/edge help'] }));
    server = createServer((request, response) => {
      if (!answer(request, response)) response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterAll(() => new Promise((resolve) => server.close(resolve)));

  it.each([
    ['/', 'text/html', '<div id="page">'],
    ['/page.js', 'text/javascript', 'EventSource'],
    ['/page.css', 'text/css', '--primary'],
    ['/favicon.svg', 'image/svg+xml', '<svg'],
    ['/hints.json', 'application/json', '/edge help'],
  ])('%s is answered as %s', async (path, type, part) => {
    const response = await fetch(url + path);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain(type);
    expect(await response.text()).toContain(part);
  });

  it('allow no script, style or request but their own', async () => {
    const response = await fetch(url);
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe');
    const markup = await response.text();
    expect(markup).not.toMatch(/<script(?![^>]*src="\/page\.js")/);
    expect(markup).not.toMatch(/style=|<style|\son\w+=/);
  });

  it('leave other paths and methods to the emulator', async () => {
    expect((await fetch(`${url}/ui/state`)).status).toBe(404);
    expect((await fetch(url, { method: 'POST' })).status).toBe(404);
  });
});
