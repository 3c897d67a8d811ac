import { request } from 'undici';
import { message } from '../../src/blocks/message.ts';
import { operations } from '../../src/operations/index.ts';
import { slash } from '../../src/own-name.ts';
import { TIMEOUT } from '../../src/slack/clients.ts';
import { buildForm, buildShownView, buildWorkingView } from '../../src/slack/form.ts';
import { hostsOf, isSlacks } from '../../src/slack/hosts.ts';
import { ResponseUrlError } from '../../src/slack/refusals.ts';
import type { Origin } from '../../src/slack/services.ts';
import { hearCommand } from './hear.ts';
import { type Live, Otherwise, type Proof, Skipped } from './proof.ts';
import { CHART, TABLE } from './proofs-messages.ts';

/** A line with every sign that Slack might write in another way. */
const TYPED_LINE = 'doctor fish & <chips> "said" *so* _or_ ~not~ `code` https://example.com/?a=1&b=2';

const BY_ITSELF = 'The bot sends text there by itself: nothing to set.';
const GONE = 'it goes when you reload Slack';

async function typed(live: Live): Promise<string> {
  const { config, settings, channelName, log, say, signal, patience } = live;
  const ready = () => say(`\nType this in ${channelName} within a minute:\n\n  ${slash()} ${TYPED_LINE}\n`);
  const until = AbortSignal.any([signal, AbortSignal.timeout(patience)]);
  try {
    const word = TYPED_LINE.split(' ', 1)[0]!;
    live.heard = await hearCommand({ ...settings, port: config.PORT, log, ready, signal: until }, word);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new Skipped(`port ${config.PORT} is taken: stop the bot for a minute, and start the doctor again`);
  }
  if (live.heard === undefined)
    throw new Skipped('it did not come within a minute; where the bot runs, it may have taken it');
  if (live.heard.line === TYPED_LINE) return 'arrives as it was typed';
  throw new Otherwise(`It arrives as: ${live.heard.line}`);
}

function heardIn({ heard }: Live): Origin {
  if (heard === undefined) throw new Skipped('nobody typed the command');
  return heard.origin;
}

async function answerByUrl(live: Live): Promise<string> {
  const { responseUrl = '' } = heardIn(live);
  if (!isSlacks(hostsOf(live.settings.apiUrl), 'responses', responseUrl))
    throw new Otherwise(`Slack wants the answer at ${new URL(responseUrl).host}, which is none of its hosts.`);
  const { text, blocks } = message(TABLE, CHART);
  const { statusCode, body } = await request(responseUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ text, blocks, response_type: 'ephemeral', replace_original: false }),
    signal: AbortSignal.timeout(TIMEOUT),
  });
  const answer = (await body.text()).slice(0, 200);
  if (statusCode >= 300 || /"ok"\s*:\s*false/.test(answer)) throw new ResponseUrlError(statusCode, answer);
  return `taken with table and chart: look whether you see both; ${GONE}`;
}

async function sayEphemerally(live: Live): Promise<string> {
  const { userId: user } = heardIn(live);
  const { client, channel, call } = live;
  const { text, blocks } = message(TABLE, CHART);
  await call(() => client.chat.postEphemeral({ channel, user, text, blocks }));
  return `taken with table and chart: look whether you see both; ${GONE}`;
}

/** A form that is opened at once and filled later, as the bot does. */
async function openForm(live: Live): Promise<string> {
  const { triggerId = '' } = heardIn(live);
  const { client, call } = live;
  const form = operations.find(({ args }) => Object.keys(args).length > 2) ?? operations[0]!;
  const { view } = await call(() =>
    client.views.open({ trigger_id: triggerId, view: buildWorkingView('Doctor', 'One moment …') }),
  );
  const view_id = view?.id;
  if (view_id === undefined) throw new Otherwise('Slack opened no view.');
  await call(() => client.views.update({ view_id, view: buildForm(form, {}, { channel: live.channel }) }));
  const end = buildShownView('Doctor', message('The doctor is done with this form: close it.'));
  await call(() => client.views.update({ view_id, view: end }));
  return 'opens, and is changed twice';
}

/** Somebody has to type a command for these. The form comes first: its trigger lives three seconds. */
export const TYPED_PROOFS: readonly Proof[] = [
  {
    what: 'a typed command',
    prove: typed,
    otherwise: 'Names with these signs are better given in the form: type a command without its arguments.',
  },
  {
    what: 'a form',
    prove: openForm,
    otherwise: 'Type commands with their arguments, or mention the bot: neither needs a form.',
  },
  { what: 'an answer to a command', prove: answerByUrl, otherwise: BY_ITSELF },
  { what: 'an ephemeral message', prove: sayEphemerally, otherwise: BY_ITSELF },
];
