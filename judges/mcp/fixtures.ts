import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  type ContentBlock,
  createRequestStateCodec,
  fromJsonSchema,
  type InputRequests,
  inputRequired,
  type McpServer,
  ResourceTemplate,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';

/** What the suite calls: tools, resources and prompts that no product has. Source: its SERVER_REQUIREMENTS.md and scenarios. */

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const WAV = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=';

const text = (said: string): ContentBlock => ({ type: 'text', text: said });
const image: ContentBlock = { type: 'image', data: PNG, mimeType: 'image/png' };
const resource = (uri: string): ContentBlock => ({
  type: 'resource',
  resource: { uri, mimeType: 'text/plain', text: 'This is an embedded resource content.' },
});

/** What a person at the other end is asked for by a form with one field. */
const field = (name: string) =>
  inputRequired.elicit({
    message: `${name}?`,
    requestedSchema: {
      type: 'object',
      properties: { [name]: { type: name === 'ok' ? 'boolean' : 'string' } as never },
    },
  });
const sampled = () =>
  inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: 'Hello?' } }],
    maxTokens: 50,
  });

export const stateCodec = createRequestStateCodec<{ round: number }>({
  key: crypto.getRandomValues(new Uint8Array(32)),
});

type Answer = ContentBlock[] | ReturnType<typeof inputRequired>;

/** Asks until everything was answered. */
async function asking({ mcpReq }: ServerContext, inputRequests: InputRequests, sealed = false): Promise<Answer> {
  const isAnswered = Object.entries(inputRequests).every(([key, { method }]) =>
    method === 'elicitation/create'
      ? acceptedContent(mcpReq.inputResponses, key) !== undefined
      : mcpReq.inputResponses?.[key] !== undefined,
  );
  if (isAnswered && (!sealed || mcpReq.requestState() !== undefined)) return [text('state-ok')];
  return inputRequired({ inputRequests, ...(sealed ? { requestState: await stateCodec.mint({ round: 1 }) } : {}) });
}

async function inRounds({ mcpReq }: ServerContext): Promise<Answer> {
  const { round = 0 } = mcpReq.requestState<{ round?: number }>() ?? {};
  if (round === 2) return [text('done')];
  const inputRequests = round === 0 ? { step1: field('name') } : { step2: field('color') };
  return inputRequired({ inputRequests, requestState: await stateCodec.mint({ round: round + 1 }) });
}

async function progressing({ mcpReq }: ServerContext): Promise<Answer> {
  const progressToken = mcpReq._meta?.progressToken;
  for (const progress of progressToken === undefined ? [] : [0, 50, 100])
    await mcpReq.notify({
      method: 'notifications/progress',
      params: { progressToken: progressToken!, progress, total: 100 },
    });
  return [text('done')];
}

function asFarAsDeclared(context: ServerContext): Promise<Answer> {
  const declared = (context.mcpReq.envelope as Record<string, Partial<Record<string, object>>> | undefined)?.[
    CLIENT_CAPABILITIES_META_KEY
  ];
  const { elicitation, sampling, roots } = declared ?? {};
  return asking(context, {
    ...(elicitation && { user_name: field('name') }),
    ...(sampling && { greeting: sampled() }),
    ...(roots && { client_roots: inputRequired.listRoots() }),
  });
}

const TOOLS: Readonly<Record<string, (context: ServerContext) => Answer | Promise<Answer>>> = {
  test_simple_text: () => [text('This is a simple text response for testing.')],
  test_image_content: () => [image],
  test_audio_content: () => [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }],
  test_embedded_resource: () => [resource('test://embedded-resource')],
  test_multiple_content_types: () => [text('All of them:'), image, resource('test://mixed-content-resource')],
  test_error_handling() {
    throw new Error('This tool intentionally returns an error for testing');
  },
  test_tool_with_progress: progressing,
  test_streaming_elicitation: () => [text('done')],
  async test_logging_tool({ mcpReq }) {
    await mcpReq.log('info', 'Who did not ask for logs does not read this.');
    return [text('done')];
  },
  test_missing_capability: (context) => asking(context, { llm_answer: sampled() }),
  test_input_required_result_elicitation: (context) => asking(context, { user_name: field('name') }),
  test_input_required_result_sampling: (context) => asking(context, { capital_question: sampled() }),
  test_input_required_result_list_roots: (context) => asking(context, { client_roots: inputRequired.listRoots() }),
  test_input_required_result_request_state: (context) => asking(context, { confirm: field('ok') }, true),
  test_input_required_result_tampered_state: (context) => asking(context, { confirm: field('ok') }, true),
  test_input_required_result_multiple_inputs: (context) =>
    asking(context, { user_name: field('name'), greeting: sampled(), client_roots: inputRequired.listRoots() }, true),
  test_input_required_result_multi_round: inRounds,
  test_input_required_result_capabilities: asFarAsDeclared,
};

/** Tools that are looked at for how their arguments are described. */
const DESCRIBED = {
  test_x_mcp_header: {
    type: 'object',
    properties: { region: { type: 'string', 'x-mcp-header': 'Region' }, level: { type: 'integer' } },
  },
  json_schema_2020_12_tool: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: {
      address: {
        $anchor: 'addressDef',
        type: 'object',
        properties: { street: { type: 'string' }, city: { type: 'string' } },
      },
    },
    properties: {
      name: { type: 'string' },
      address: { $ref: '#/$defs/address' },
      contactMethod: { type: 'string', enum: ['phone', 'email'] },
      phone: { type: 'string' },
      email: { type: 'string' },
    },
    allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
    if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: ['phone'] },
    else: { required: ['email'] },
    additionalProperties: false,
  },
};

const user = (...content: ContentBlock[]) => ({
  messages: content.map((one) => ({ role: 'user' as const, content: one })),
});

export function registerFixtures(server: McpServer): void {
  for (const [name, answer] of Object.entries(TOOLS))
    server.registerTool(name, { description: name, inputSchema: z.object({}) }, async (_, context) => {
      const content = await answer(context);
      return Array.isArray(content) ? { content } : content;
    });
  for (const [name, schema] of Object.entries(DESCRIBED))
    server.registerTool(name, { description: name, inputSchema: fromJsonSchema(schema as never) }, () => ({
      content: [text('done')],
    }));

  const contents = (uri: string, said: object) => ({ contents: [{ uri, mimeType: 'text/plain', ...said }] }) as never;
  const about = { description: 'Of the suite', mimeType: 'text/plain' };
  for (const [name, said] of [
    ['static-text', { text: 'This is the content of the static text resource.' }],
    ['static-binary', { mimeType: 'image/png', blob: PNG }],
    ['watched-resource', { text: 'Watched resource content' }],
  ] as const)
    server.registerResource(name, `test://${name}`, about, () => contents(`test://${name}`, said));
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined });
  server.registerResource('template', template, about, ({ href }, { id }) =>
    contents(href, { mimeType: 'application/json', text: JSON.stringify({ id, templateTest: true }) }),
  );

  const words = (...names: string[]) => z.object(Object.fromEntries(names.map((name) => [name, z.string()])));
  const prompt = (name: string, argsSchema: z.ZodObject | undefined, answer: (...given: never[]) => unknown) =>
    server.registerPrompt(name, { description: name, ...(argsSchema && { argsSchema }) } as never, answer as never);
  prompt('test_simple_prompt', undefined, () => user(text('This is a simple prompt for testing.')));
  prompt('test_prompt_with_arguments', words('arg1', 'arg2'), ({ arg1, arg2 }: Record<string, string>) =>
    user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  );
  prompt('test_prompt_with_embedded_resource', words('resourceUri'), ({ resourceUri = '' }: Record<string, string>) =>
    user(resource(resourceUri), text('Please process the embedded resource above.')),
  );
  prompt('test_prompt_with_image', undefined, () => user(image, text('Please analyze the image above.')));
  prompt('test_input_required_result_prompt', undefined, async (context: ServerContext) => {
    const answer = await asking(context, { user_context: field('context') });
    return Array.isArray(answer) ? user(...answer) : answer;
  });
  server.server.setRequestHandler('completion/complete', () => ({
    completion: { values: [], total: 0, hasMore: false },
  }));
}
