import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await startTestWorkspace({
    prepare(slack) {
      slack.workspace.user('ben').tz = '';
      slack.workspace.user('gus').tz = 'Mars/Olympus_Mons';
      slack.workspace.user('gus').isRestricted = false;
    },
    environment: { EDGEWISE_ADMINS: 'U0ADA000001,U0BEN000002,U0GUS000003' },
  });
});
afterAll(() => workspace.close());
afterEach(() => {
  expect(workspace.slack.problems).toEqual([]);
  expect(workspace.platform.writes()).toEqual([]);
});

const ada = () => workspace.slack.person('ada');
const ops = () => ada().in('#ops');
const answerTo = async (line: string, reads: RegExp | string = /[\s\S]/) => {
  await ops().type(line);
  return ops().expectMessage(reads);
};

describe('a name that nothing has', () => {
  it.each([
    'clear the cache of shop-images-old',
    'delete app old-mailer',
    'delete the app mailer_old',
    'regenerate the tokens of events-old',
    'block seo bots on shop-legacy',
    'block seo bots on shop:legacy',
    'clear the cache of shop/old',
    'empty the cache of the zone docs–old',
    'errors of main-site-2 yesterday',
    'traffic of api-v2',
    'what hostnames has the zone shop-legacy',
    'purge tag summer-sale on shop-old',
    'invalidate the tokens of shop-events',
  ])('is not taken for another in plain words: %s', async (request) => {
    const answer = await answerTo(`/edge ${request}`, /There is no|I’m not sure what you mean/);
    expect(answer.text).not.toMatch(/Understood/);
    expect(answer.buttons).not.toContain('Cancel');
  });

  it.each([
    'block seo bots on shop.legacy',
    'force https on shop-old.example.com.internal',
    'force https on old-dl.example.com',
    'errors of shop.example.com.old',
    'what hostnames has www.shop.example.com',
  ])('is looked up whole where it has the form of a hostname: %s', async (request) => {
    const answer = await answerTo(`/edge ${request}`, /There is no pull zone|No pull zone has/);
    expect(answer.buttons).not.toContain('Cancel');
  });

  it.each([
    ['cache clear shop-i', 'shop-images'],
    ['app delete worker', 'checkout-worker'],
    ['app delete mail', 'mailer'],
    ['token regenerate event', 'events'],
  ])('is refused where it is typed for a change, and what is near is a button: %s', async (line, near) => {
    await ops().type(`/edge ${line}`);
    const form = await ada().expectModal(/./);
    const refused = await form.expectChange(/There is no/);
    expect(refused.text).toContain(`Did you mean ${near}`);
    expect(refused.buttons).toContain(`Use ${near}`);
    await form.close();
  });

  it.each([
    ['bot set sho seo block', ['shop', 'shop-images']],
    ['bot set main seo block', ['main-site']],
    ['errors show stag', ['staging']],
    ['variable list redirect', ['geo-redirect']],
  ])('is refused where it is typed, and each that has it as a part is a button: %s', async (line, near) => {
    const answer = await answerTo(`/edge ${line}`, /There is no/);
    expect(answer.buttons).toEqual([...near.map((name) => `Use ${name}`), 'Open the form']);
  });

  it('is a whole tag of which nothing is left out', async () => {
    const answer = await answerTo('/edge purge tag summer-sale on shop', /Understood as/);
    expect(answer.text).toContain('Understood as /edge cache purge --zone shop tag:summer-sale');
    await answer.click('Cancel');
  });
});

describe('two values where one is taken', () => {
  it.each([
    ['purge tags news and sports on shop', ['tag:news', 'tag:sports']],
    ['clear the cache of shop and docs', ['shop', 'docs']],
    ['errors of shop and main-site yesterday', ['shop', 'main-site']],
    ['force https on dl.example.com and img.example.com', ['dl.example.com', 'img.example.com']],
    ['delete the apps mailer and demo', ['mailer', 'demo']],
    ['regenerate the tokens of shop and events', ['shop', 'events']],
  ])('are refused with what they were: %s', async (request, values) => {
    const answer = await answerTo(`/edge ${request}`, /takes one/);
    expect(answer.text).not.toMatch(/Understood/);
    for (const value of values) expect(answer.text).toContain(value);
    expect(answer.buttons).not.toContain('Cancel');
  });
});

it('a name that was mistyped behind a flag is mended there, and the rest stays', async () => {
  for (const [line, mended] of [
    [
      'cache purge https://cdn.example.com/a --zone main-stie',
      'cache purge --zone main-site https://cdn.example.com/a',
    ],
    ['cache purge tag:news --zone main-stie', 'cache purge --zone main-site tag:news'],
    ['ssl force new.example.com on --zone main-stie', 'ssl force --zone main-site new.example.com on'],
    ['ssl force new.example.com@main-stie on', 'ssl force new.example.com@main-site on'],
  ] as const) {
    const answer = await answerTo(`/edge ${line}`, /There is no pull zone “main-stie”/);
    const button = answer.buttons.find((label) => label.startsWith('Use '))!;
    await answer.click(button);
    const preview = await ops().expectMessage(/main-site/);
    expect(preview.text).not.toMatch(/There is no/);
    expect(preview.buttons, mended).toContain('Cancel');
    await preview.click('Cancel');
  }
});

describe('the address of a page', () => {
  it.each([
    ['zone show https://shop.example.com/products?category=12#top', /shop[\s\S]*Hostnames/i],
    ['errors show https://shop.example.com/', /shop/],
    ['bot list http://shop.example.com/a', /shop/],
  ])('names the zone of its host: %s', async (line, shown) => {
    const answer = await answerTo(`/edge ${line}`, shown);
    expect(answer.text).not.toMatch(/There is no pull zone|is not a hostname/);
  });

  it('names its host', async () => {
    const preview = await answerTo('/edge ssl force https://dl.example.com/@joe/a?b=c on', /dl\.example\.com/);
    expect(preview.buttons).toContain('Cancel');
    await preview.click('Cancel');
  });
});

describe('a command in a message', () => {
  it.each([
    ['`/edge zone show shop`'],
    ['/edge zone show shop'],
    ['```/edge zone show shop```'],
    ['zone show shop @edgewise thanks'],
    ['zone show shop @edgewise, please'],
  ])('is understood with the bot’s own words and with courtesy around it: %s', async (typed) => {
    const answer = await answerTo(typed.includes('@edgewise') ? typed : `@edgewise ${typed}`, /shop\.example\.com/);
    expect(answer.text).not.toMatch(/Understood|There is no/);
  });

  it.each([
    'please @edgewise zone show shop, thanks @edgewise',
    '@edgewise please run `/edge zone show shop`',
    'hello @edgewise, could you /edge zone show shop for me @edgewise?',
  ])('is found among other words: %s', async (typed) => {
    const answer = await answerTo(typed, /shop\.example\.com/);
    expect(answer.text).toContain('Understood as /edge zone show shop');
  });

  it('is understood in direct messages with /edge before it', async () => {
    const direct = ada().in('@edgewise');
    await direct.type(' /edge errors show main-site');
    const answer = await direct.expectMessage(/main-site/);
    expect(answer.text).not.toMatch(/There is no|Understood/);
  });
});

describe('a time zone', () => {
  it.each([
    ['EST', 'America/New_York'],
    ['pst', 'America/Los_Angeles'],
    ['CEST', 'Europe/Berlin'],
    ['EST5EDT', 'America/New_York'],
    ['Berlin', 'Europe/Berlin'],
    ['Europe/Belrin', 'Europe/Berlin'],
  ])('that is written as %s is refused, and what was probably meant is a button', async (typed, meant) => {
    const answer = await answerTo(
      `/edge report subscribe daily-statistics "weekdays at 9:00" --timezone ${typed}`,
      `“${typed}” is not a time zone`,
    );
    expect(answer.text).toContain(`Did you mean ${meant}?`);
    await answer.click(`Use ${meant}`);
    const preview = await ops().expectMessage(new RegExp(meant));
    await preview.click('Cancel');
  });
});

it.each(['ben', 'gus'])(
  'a time zone that Slack does not say of a person, or that does not exist, is UTC, and that is said: %s',
  async (name) => {
    const person = workspace.slack.person(name).in('#ops');
    await person.type('/edge report subscribe daily-statistics "weekdays at 9:00"');
    const preview = await person.expectMessage(/Slack does not say what your time zone is, so it is UTC/);
    expect(preview.text).toMatch(/UTC/);
    await preview.click('Cancel');
    await person.type('/edge report subscribe daily-statistics "weekdays at 9:00" --timezone Asia/Tokyo');
    const other = await person.expectMessage(/Asia\/Tokyo/);
    expect(other.text).not.toMatch(/does not say/);
    await other.click('Cancel');
  },
);

it('what was typed is offered in a form while the platform is slow', async () => {
  await ops().type('/edge ssl force');
  const form = await ada().expectModal(/Force HTTPS/, { ready: true });
  await form.select('Hostname', 'dl.example.com@308007');
  const asked = workspace.slack.deliveries.filter(({ payload }) => payload.type === 'block_suggestion').at(-1)!;
  await workspace.restart();
  const timeout = AbortSignal.timeout;
  const patience = vi.spyOn(AbortSignal, 'timeout');
  patience.mockImplementation((length) => timeout.call(AbortSignal, length === 2_000 ? 20 : length));
  const mended = workspace.platform.fault('slow=60000@GET /pullzone');
  const offered = async (value: string) => {
    const answer = await workspace.slack.signedRequest({ payload: { ...asked.payload, value } });
    return (JSON.parse(answer.text) as { options: { value: string }[] }).options.map((option) => option.value);
  };
  try {
    expect(await offered('new.example.com')).toEqual(['new.example.com']);
    expect(await offered('no hostname')).toEqual([]);
    expect(await offered('')).toEqual([]);
  } finally {
    mended();
    patience.mockRestore();
  }
  await form.close();
});
