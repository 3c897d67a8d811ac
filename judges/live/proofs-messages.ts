import { chart } from '../../src/blocks/chart.ts';
import { count } from '../../src/blocks/format.ts';
import { LIMITS } from '../../src/blocks/limits.ts';
import { fields, heading, type Message, message, note, section } from '../../src/blocks/message.ts';
import { code, mrkdwn } from '../../src/blocks/mrkdwn.ts';
import { table } from '../../src/blocks/table.ts';
import { operations } from '../../src/operations/index.ts';
import { buildForm } from '../../src/slack/form.ts';
import { fitMessage } from '../../src/slack/out/fit.ts';
import { codeOf } from '../../src/slack/refusals.ts';
import { differenceIn, type Live, Otherwise, type Proof, postAndRead, Skipped } from './proof.ts';

const BY_ITSELF = 'The bot sends text in its place by itself: nothing to set.';

/** Unseen, by which a message is known again. */
export const METADATA = { event_type: 'edgewise_doctor', event_payload: { slot: 'the doctor’s own' } };

/** A native table, with figures and names. */
export const TABLE: Message = message(
  table({
    caption: 'A table of the doctor',
    columns: [{ label: 'Zone' }, { label: 'Requests', align: 'right' }],
    rows: [
      ['shop', { value: 1234, text: '1,234' }],
      ['docs & more', 56],
    ],
  }),
);

/** A native chart. */
export const CHART: Message = message(
  chart({
    title: 'A chart of the doctor',
    type: 'line',
    categories: ['Mon', 'Tue', 'Wed'],
    series: [{ name: 'Requests', values: [3, 1, 2] }],
  }),
);

const AS_TYPED =
  'Names and log lines may look different in this workspace: please send this line to whoever keeps Edgewise.';

/** Texts that Slack would read as something else, were they not written as they are. */
const FOREIGN = [
  '*bold* _slanted_ ~gone~ 2*3*4',
  '`code` ```fence```',
  '<!channel> <@U012AB3CD> <#C012AB3CD>',
  '<https://example.com|a link> https://example.com',
  'fish & chips &amp; < >',
  ':wave: 10:30:00 👋',
  '> not quoted',
  'ünï 漢字 עברית',
];
const FOREIGN_TEXT: Message = fitMessage(
  message(
    heading(FOREIGN.slice(0, 2).join(' ')),
    ...FOREIGN.map((text) => section(mrkdwn`${text} ${code(text)}`)),
    fields(FOREIGN.map((text, at): [string, string] => [`Field ${at + 1}`, text])),
    note(mrkdwn`${FOREIGN.join(' ')}`),
  ),
);
const FOREIGN_CELLS: Message = message(
  table({ caption: 'Texts', columns: [{ label: 'Text' }], rows: FOREIGN.map((text) => [text]) }),
);

const posted = (what: string, said: Message, otherwise: string): Proof => ({
  what,
  otherwise,
  async prove(live) {
    const difference = differenceIn(said.blocks, (await postAndRead(live, said)).blocks);
    if (difference !== undefined) throw new Otherwise(`Slack took it and changed it: ${difference}.`);
    return 'taken, and comes back as it was sent';
  },
});

async function validate({ client, call }: Live): Promise<string> {
  const form = operations.find(({ args }) => Object.keys(args).length > 2) ?? operations[0]!;
  try {
    for (const { blocks } of [TABLE, CHART, FOREIGN_TEXT, FOREIGN_CELLS])
      await call(() => client.blocks.validate({ message: { blocks } }));
    await call(() => client.blocks.validate({ view: buildForm(form, {}, { channel: '' }) }));
    return 'Slack’s own checker finds nothing wrong with messages and forms';
  } catch (error) {
    if (codeOf(error) === 'unknown_method') throw new Skipped('this Slack has no blocks.validate');
    const { errors } = (error as { data?: { errors?: unknown } }).data ?? {};
    throw errors === undefined ? error : new Otherwise(`Slack’s own checker says: ${JSON.stringify(errors)}.`);
  }
}

/** The bot cuts at the limit: so much is taken, and more is refused. Nobody has to look at so much text for long. */
async function updateLongText(live: Live): Promise<string> {
  const { client, channel, call } = live;
  const short = message('A message of the doctor, to be changed.');
  const { ts = '' } = await postAndRead(live, short);
  const update = (text: string) => call(() => client.chat.update({ channel, ts, text, blocks: [] }));
  const ofBytes = (bytes: number) => 'ä'.repeat(bytes / 2);
  await update(ofBytes(LIMITS.updateText));
  try {
    await update(ofBytes(5_000));
  } catch (error) {
    if (codeOf(error) === 'msg_too_long') return `${count(LIMITS.updateText)} bytes are taken, 5,000 are msg_too_long`;
    throw error;
  } finally {
    await update(short.text);
  }
  throw new Otherwise('Slack took 5,000 bytes too.');
}

async function readMetadata({ client, channel, root, call }: Live): Promise<string> {
  const { messages = [] } = await call(() =>
    client.conversations.history({ channel, oldest: root, inclusive: true, limit: 10, include_all_metadata: true }),
  );
  const found = messages.find(({ ts }) => ts === root);
  if (found === undefined) throw new Otherwise('Slack does not give the message back.');
  const difference = differenceIn(METADATA, found.metadata, 'metadata');
  if (difference !== undefined) throw new Otherwise(`Slack gives the message back without it: ${difference}.`);
  return 'comes back with the message';
}

/** Messages of every kind, in a thread and as an update. */
export const MESSAGE_PROOFS: readonly Proof[] = [
  {
    what: 'blocks.validate',
    prove: validate,
    otherwise: 'Please send this line to whoever keeps Edgewise; until then it sends plainer blocks by itself.',
  },
  posted('a table in a message', TABLE, BY_ITSELF),
  posted('a chart in a message', CHART, BY_ITSELF),
  posted('foreign text', FOREIGN_TEXT, AS_TYPED),
  posted('foreign text in cells', FOREIGN_CELLS, AS_TYPED),
  {
    what: 'metadata read back',
    prove: readMetadata,
    otherwise: 'Give the app the scope metadata.message:read: without it a report that was interrupted may come twice.',
  },
  {
    what: 'a long update',
    prove: updateLongText,
    otherwise: 'The bot keeps below 4,000 bytes, and shortens what is refused by itself: nothing to set.',
  },
];
