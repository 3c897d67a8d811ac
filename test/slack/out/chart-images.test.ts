import type { AnyBlock, ImageBlock } from '@slack/types';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SlackEmulator, startSlackEmulator } from '../../../playground/slack/emulator.ts';
import { chart } from '../../../src/blocks/chart.ts';
import { message } from '../../../src/blocks/message.ts';
import { table } from '../../../src/blocks/table.ts';
import { Secret } from '../../../src/secret.ts';
import { createClients } from '../../../src/slack/clients.ts';
import { hostsOf } from '../../../src/slack/hosts.ts';
import { createOutgoing, type Outgoing } from '../../../src/slack/out/outgoing.ts';
import { createSecretFilter } from '../../../src/slack/out/secrets.ts';

let slack: SlackEmulator;
let outgoing: Outgoing;

beforeAll(async () => {
  slack = await startSlackEmulator({ plainBlocksOnly: true });
  const clients = createClients(Secret.of(slack.environment.SLACK_BOT_TOKEN ?? ''), slack.apiUrl.replace(/\/$/, ''));
  const log = pino({ level: 'silent' });
  outgoing = createOutgoing({
    ...clients,
    secrets: createSecretFilter([]),
    log,
    hosts: hostsOf(slack.apiUrl),
    wait: async () => undefined,
  });
});
afterAll(() => slack.close());

const blocksOf = (channel: string, ts: string) =>
  slack.workspace.message(channel, ts)!.revisions.at(-1)!.blocks as unknown as AnyBlock[];

const requests = chart({
  title: 'Requests a day',
  type: 'area',
  categories: ['Mon', 'Tue'],
  series: [{ name: 'Requests', values: [1, 2] }],
});

test('a chart is a picture where Slack takes no native one, shown when Slack has looked at it, and a table is text', async () => {
  const channel = slack.workspace.channel('ops').id;
  const zones = table({ caption: 'By zone', columns: [{ label: 'Zone' }], rows: [['shop']] });
  const { ts } = await outgoing.post(channel, message(requests, zones));
  const blocks = blocksOf(channel, ts);
  expect(blocks.map(({ type }) => type)).toEqual(['image', 'section', 'rich_text']);
  const { slack_file, alt_text } = blocks[0] as ImageBlock & { slack_file: { id: string } };
  expect(alt_text).toContain('Requests a day (Mon to Tue)');
  const file = slack.workspace.files.get(slack_file.id);
  expect(file?.mimetype).toBe('image/png');
  expect(file?.bytes.subarray(1, 4).toString()).toBe('PNG');
  expect(file?.bytes.readUInt32BE(16)).toBe(1440);
  expect(slack.problems).toEqual([expect.stringContaining('unsupported type: data_visualization')]);
});

test('a chart is text where pictures cannot be uploaded either', async () => {
  const channel = slack.workspace.channel('releases').id;
  const upload = slack.workspace.files.set;
  slack.workspace.files.set = () => {
    throw new Error('no room');
  };
  const { ts } = await outgoing.post(channel, message(requests));
  slack.workspace.files.set = upload;
  const shown = blocksOf(channel, ts);
  expect(JSON.stringify(shown)).toMatch(/Requests a day.*▁█/s);
});
