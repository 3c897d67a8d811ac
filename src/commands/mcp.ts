import { createInterface } from 'node:readline';

/** `edgewise mcp`: passes the messages of an agent on this machine on to a bot, with the token of its person. */
async function main({ EDGEWISE_URL = '', EDGEWISE_TOKEN = '' }: NodeJS.ProcessEnv): Promise<void> {
  const address = URL.parse?.(EDGEWISE_URL) ?? (URL.canParse(EDGEWISE_URL) ? new URL(EDGEWISE_URL) : null);
  const isSafe = address?.protocol === 'https:' || /^(localhost|127\.|\[::1\])/.test(address?.hostname ?? '');
  if (address === null || !isSafe || EDGEWISE_TOKEN === '') {
    console.error(
      'Set EDGEWISE_URL to the address of your bot (https://…), and EDGEWISE_TOKEN to what `token-for-agents create` shows in Slack.',
    );
    process.exit(2);
  }
  const door = new URL('/mcp', address);
  for await (const line of createInterface({ input: process.stdin })) if (line.trim() !== '') void pass(line, door);

  async function pass(line: string, to: URL): Promise<void> {
    const { id, method = '', params = {} } = read(line);
    const headers: Record<string, string> = {
      authorization: `Bearer ${EDGEWISE_TOKEN}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    // Over HTTP a message says in its headers, too, what it is.
    const version = params._meta?.['io.modelcontextprotocol/protocolVersion'];
    if (version !== undefined)
      Object.assign(headers, {
        'mcp-protocol-version': version,
        'mcp-method': method,
        ...(params.name === undefined ? {} : { 'mcp-name': params.name }),
      });
    let answer: string | undefined;
    let problem = 'The bot does not answer. Is EDGEWISE_URL its address?';
    try {
      const response = await fetch(to, { method: 'POST', headers, body: line, redirect: 'error' });
      const text = await response.text();
      answer = text.startsWith('{') ? text : /^data: (.*)$/m.exec(text)?.[1];
      problem = WHY[response.status] ?? `The bot answers ${response.status}.`;
    } catch {}
    // A notification has no answer.
    if (id === undefined) return;
    const failed = { jsonrpc: '2.0', id, error: { code: -32000, message: problem } };
    process.stdout.write(`${answer ?? JSON.stringify(failed)}\n`);
  }
}

const WHY: Readonly<Record<number, string>> = {
  401: 'The token counts no more. Make another one with `token-for-agents create` in Slack.',
  404: 'The bot has no such door, or is starting. Try again in a minute.',
  429: 'Too many requests at once. Try again in ten seconds.',
  503: 'The bot is away from Slack, or stopping. Try again in a minute.',
};

interface Passed {
  id?: string | number;
  method?: string;
  params?: { name?: string; _meta?: Record<string, string> };
}

function read(line: string): Passed {
  try {
    return JSON.parse(line);
  } catch {
    return {};
  }
}

await main(process.env);
