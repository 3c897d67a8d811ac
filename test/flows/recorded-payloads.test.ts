import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

/** A folder of payloads that Slack sent to other apps; they are not ours to keep here. */
const FOLDER = process.env.SLACK_PAYLOADS;

type Payload = Record<string, unknown>;
/** What a person would expect: an answer for their eyes, words in the view that they sent, or nothing at all. */
type Expected = 'an answer' | 'a view' | 'silence';

interface Recorded {
  name: string;
  payload: Payload;
  expected: Expected;
}

describe.skipIf(FOLDER === undefined)('payloads that Slack sent to other apps (SLACK_PAYLOADS)', () => {
  let workspace: TestWorkspace;
  let thread: string;
  beforeAll(async () => {
    workspace = await startTestWorkspace();
    thread = await workspace.slack.person('ada').in('#ops').type('something that others talk about');
  });
  afterAll(() => workspace.close());

  it('are found', () => {
    expect(recordedIn(FOLDER ?? '').length).toBeGreaterThan(40);
  });

  /** Sends it as Slack does, and gathers what the bot says to people for it. */
  async function send(payload: Payload) {
    const { slack, logged } = workspace;
    slack.outgoing.splice(0);
    logged.splice(0);
    const isForm = 'command' in payload;
    const isEvent = payload.type === 'event_callback' || payload.event !== undefined;
    const body = isForm ? payload : isEvent ? JSON.stringify(payload) : { payload };
    const { status, text } = await slack.signedRequest(body);
    // Work begins a moment after the acknowledgement.
    for (let quiet = 0; quiet < 2; quiet += 1) {
      await sleep(40);
      await slack.idle();
    }
    const said = slack.outgoing.filter(({ method }) => /^(chat\.|views\.|response_url)/.test(method));
    return { status, text, said, errors: logged.filter((line) => JSON.parse(line).level >= 50) };
  }

  describe.each(FOLDER === undefined ? [] : recordedIn(FOLDER))('$name', ({ payload, expected }) => {
    it(`brings ${expected}`, async () => {
      const { status, text, said, errors } = await send(again(asOurs(payload, workspace, thread)));
      expect(status).toBe(200);
      expect(errors).toEqual([]);
      if (expected === 'an answer')
        expect(said.map(({ method }) => method)).toContainEqual(expect.stringMatching(/^chat\.post/));
      else expect(said).toEqual([]);
      expect(text).toMatch(expected === 'a view' ? /"response_action":"(update|errors)"/ : /^$/);
    });

    it('brings nobody of another workspace more than a refusal', async () => {
      const { status, said } = await send(again(payload));
      expect(status).toBe(200);
      for (const { body } of said) expect(JSON.stringify(body)).not.toMatch(/main-site|Edgewise operates/);
    });
  });

  describe.each(FOLDER === undefined ? [] : blankedIn(FOLDER))('$name, without its values', ({ payload }) => {
    it('ends nothing', async () => {
      expect((await send(payload)).status).toBe(200);
      const ops = workspace.slack.person('ada').in('#ops');
      await ops.type('/edge zone list');
      await ops.expectMessage(/main-site/);
    });
  });
});

/** Every payload in the JSON files, and in the log of messages. */
function recordedIn(folder: string): Recorded[] {
  const found: Recorded[] = [];
  const add = (name: string, payload: Payload) => found.push({ name, payload, expected: expectedOf(payload) });
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
    const entries = Object.entries(JSON.parse(readFileSync(join(folder, file), 'utf8')) as Payload);
    for (const [key, payload] of entries) if (isPayload(payload)) add(`${key} of ${file}`, payload);
  }
  const messages = readFileSync(join(folder, 'sample-messages.md'), 'utf8').matchAll(/body: (['`])(.*)\1$/gm);
  for (const [index, match] of [...messages].entries())
    add(`message ${index + 1}`, JSON.parse((match[2] ?? '').replaceAll('\\\\', '\\').replaceAll("\\'", "'")));
  return found;
}

function blankedIn(folder: string): { name: string; payload: Payload }[] {
  const blanked = join(folder, 'blanked');
  return readdirSync(blanked).map((name) => {
    const payload = JSON.parse(readFileSync(join(blanked, name), 'utf8')) as Payload;
    const event = payload.event === undefined ? {} : { type: 'event_callback' };
    return { name, payload: { ...payload, ...event } };
  });
}

const isPayload = (value: unknown): value is Payload =>
  typeof value === 'object' && value !== null && ('command' in value || typeof (value as Payload).type === 'string');

function expectedOf({ type, command, event, actions }: Payload): Expected {
  if (command !== undefined) return 'an answer';
  if (type === 'view_submission') return 'a view';
  // A button without a value is not one of ours; ours that are gone say so.
  if (type === 'block_actions')
    return (actions as Payload[]).some(({ value }) => value !== undefined) ? 'an answer' : 'silence';
  const { type: kind, channel_type, subtype, bot_id, user } = (event ?? {}) as Payload;
  if (user === 'USLACKBOT' || user === 'USLACK') return 'silence';
  const isDirect = kind === 'message' && channel_type === 'im' && subtype === undefined && bot_id === undefined;
  return kind === 'app_mention' || isDirect ? 'an answer' : 'silence';
}

/** The same, as if it had happened in our workspace: its person is Ada, its channel #ops, its bot is ours. */
function asOurs(payload: Payload, { slack: { workspace } }: TestWorkspace, thread: string): Payload {
  const [bot, ada] = [workspace.user('edgewise').id, workspace.user('ada').id];
  const ours = JSON.stringify(payload)
    .replaceAll(botOf(payload), bot)
    .replace(/"[UW](?:[A-Z0-9]{8,})"/g, (id) => ([bot, 'USLACKBOT'].includes(id.slice(1, -1)) ? id : `"${ada}"`))
    .replace(/"T[A-Z0-9]{8,}"/g, `"${workspace.team.id}"`)
    .replace(/"D[A-Z0-9]{8,}"/g, `"${workspace.directMessage(ada).id}"`)
    .replace(/"[CG][A-Z0-9]{8,}"/g, `"${workspace.channel('#ops').id}"`)
    .replace(/"thread_ts":"[^"]*"/g, `"thread_ts":"${thread}"`);
  return JSON.parse(ours) as Payload;
}

/** The same with ids of its own, so that it is not taken for a delivery that came before. */
function again(payload: Payload): Payload {
  const mark = randomUUID().slice(0, 8);
  const ids = JSON.stringify(payload).replace(/"(event_id|trigger_id|hash)":"([^"]*)"/g, `"$1":"$2-${mark}"`);
  return JSON.parse(ids) as Payload;
}

/** The bot that the payload was sent to. */
function botOf({ authorizations, message }: Payload): string {
  const [authorized] = (authorizations ?? []) as Payload[];
  return String(authorized?.user_id ?? (message as Payload | undefined)?.user ?? 'U00NOBODY');
}
