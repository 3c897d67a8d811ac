import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type EmulatorOptions, startSlackEmulator } from '../../../playground/slack/emulator.ts';

/** A bot that answers every delivery as told, and keeps what it was sent. */
export async function bare(
  answer: (body: string) => Promise<{ status?: number; headers?: Record<string, string>; text?: string }>,
  options: EmulatorOptions = {},
) {
  const requests: { headers: Record<string, unknown>; body: string }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    requests.push({ headers: request.headers, body });
    const { status = 200, headers = {}, text = '' } = await answer(body);
    response.writeHead(status, headers).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const eventsUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/slack/events`;
  const slack = await startSlackEmulator({ deliverTo: { eventsUrl }, ...options });
  return {
    slack,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await slack.close();
    },
  };
}
