import type { IncomingMessage } from 'node:http';
import { RefusedRequest } from './http-server.ts';

/** Reads bodies. Rejects with RefusedRequest. Slack's come at once, so of too many the one goes that is waited for longest. */
export function createBodyReader(): (request: IncomingMessage) => Promise<Buffer> {
  const unfinished = new Set<{ refuse(status: number, reason: string): void }>();
  let together = 0;
  return (request) =>
    new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let size = 0;
      const leave = () => {
        const isUnfinished = unfinished.delete(body);
        if (isUnfinished) together -= size;
        return isUnfinished;
      };
      const body = {
        refuse(status: number, reason: string) {
          if (!leave()) return;
          chunks.length = 0;
          reject(new RefusedRequest(status, reason));
        },
      };
      unfinished.add(body);
      request.on('data', (chunk: Buffer) => {
        if (!unfinished.has(body)) return;
        size += chunk.length;
        together += chunk.length;
        chunks.push(chunk);
        // Slack's are far smaller: a view is 250 kB.
        if (size > 1_000_000) return body.refuse(413, 'too large');
        for (const oldest of unfinished) {
          if (together <= 64_000_000) return;
          oldest.refuse(503, 'too many bodies');
        }
      });
      request.on('end', () => {
        if (leave()) resolve(Buffer.concat(chunks));
      });
      request.on('close', () => body.refuse(400, 'broken off'));
    });
}
