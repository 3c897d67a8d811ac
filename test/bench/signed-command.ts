import { createHmac } from 'node:crypto';

/** Somebody's `/edge <text>`, as Slack delivers it. */
export interface TypedCommand {
  text: string;
  userId: string;
  /** Where the work behind the acknowledgement answers. */
  responseUrl: string;
  triggerId: string;
}

/** The fields of it. */
export const fieldsOf = ({ text, userId, responseUrl, triggerId }: TypedCommand): Record<string, string> => ({
  token: 'deprecated',
  team_id: 'T0BENCH0001',
  team_domain: 'bench',
  channel_id: 'C0BENCH0001',
  channel_name: 'ops',
  user_id: userId,
  user_name: 'ada',
  command: '/edge',
  text,
  api_app_id: 'A0BENCH0001',
  is_enterprise_install: 'false',
  response_url: responseUrl,
  trigger_id: triggerId,
});

/** The bytes of a signed request with it. */
export function signedRequest(command: TypedCommand, { port, secret }: { port: number; secret: string }): Buffer {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const body = new URLSearchParams(fieldsOf(command)).toString();
  const signature = createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex');
  return Buffer.from(
    [
      'POST /slack/events HTTP/1.1',
      `host: 127.0.0.1:${port}`,
      'user-agent: Slackbot 1.0 (+https://api.slack.com/robots)',
      'accept: application/json,*/*',
      'content-type: application/x-www-form-urlencoded',
      `x-slack-request-timestamp: ${timestamp}`,
      `x-slack-signature: v0=${signature}`,
      `content-length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n'),
  );
}

/** The status of a whole answer; undefined while more of it has to come. */
export function statusOf(answer: string): string | undefined {
  const end = answer.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const head = answer.slice(0, end).toLowerCase();
  const body = answer.slice(end + 4);
  const whole = head.includes('transfer-encoding: chunked')
    ? body.endsWith('0\r\n\r\n')
    : body.length >= Number(/content-length: (\d+)/.exec(head)?.[1] ?? 0);
  return whole ? head.split(' ', 2)[1] : undefined;
}
