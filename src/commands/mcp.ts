import { createInterface } from 'node:readline';

/** The parts of a message that say where it goes. */
interface Message {
  id?: string | number;
  method: string;
  params?: { name?: string; _meta?: Record<string, string> };
}

/** `edgewise mcp`: passes the messages of an agent on this machine on to a bot, with the token of its person. */
const { EDGEWISE_URL = '', EDGEWISE_TOKEN = '' } = process.env;
// Nobody on the network may read the token.
const { protocol = '', hostname = '' } = URL.canParse(EDGEWISE_URL) ? new URL(EDGEWISE_URL) : {};
const isSafe = protocol === 'https:' || (protocol === 'http:' && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname));
if (!isSafe || EDGEWISE_TOKEN === '') {
  console.error(
    'Set EDGEWISE_URL to the address of your bot (https://…), and EDGEWISE_TOKEN to what `token-for-agents create` shows in Slack.',
  );
  process.exit(2);
}
for await (const line of createInterface({ input: process.stdin })) if (line.trim() !== '') void pass(line);

async function pass(line: string): Promise<void> {
  let id: Message['id'];
  let message = 'The bot does not answer. Is EDGEWISE_URL its address?';
  try {
    const { id: own, method, params = {} } = JSON.parse(line) as Message;
    id = own;
    const version = params._meta?.['io.modelcontextprotocol/protocolVersion'];
    const headers = {
      authorization: `Bearer ${EDGEWISE_TOKEN}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      // Since version 2026-07-28 the headers also say what a message is.
      ...(version === undefined ? {} : { 'mcp-protocol-version': version, 'mcp-method': method }),
      ...(version === undefined || params.name === undefined ? {} : { 'mcp-name': params.name }),
    };
    const response = await fetch(`${EDGEWISE_URL.replace(/(?<!\/)\/+$/, '')}/mcp`, {
      method: 'POST',
      headers,
      body: line,
      redirect: 'error',
    });
    const text = await response.text();
    const answer = text.startsWith('{') ? text : /^data: (.*)$/m.exec(text)?.[1];
    // A notification has no answer.
    if (answer !== undefined && id !== undefined) return void process.stdout.write(`${answer}\n`);
    message =
      response.status === 401
        ? 'The token is no longer valid. Create another one with `token-for-agents create` in Slack.'
        : `The bot answers ${response.status}. Try again in a minute.`;
  } catch {}
  if (id !== undefined)
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32000, message } })}\n`);
}
