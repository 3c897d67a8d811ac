import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CONFIRM } from '../support/changes.ts';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

describe('a request in plain words', () => {
  let workspace: TestWorkspace;
  beforeAll(async () => {
    workspace = await startTestWorkspace();
  });
  afterAll(() => workspace.close());
  afterEach(() => {
    expect(workspace.slack.problems).toEqual([]);
    expect(workspace.platform.writes()).toEqual([]);
  });

  const ops = (name = 'ada') => workspace.slack.person(name).in('#ops');
  const asked = async (line: string, reads: RegExp, name?: string) => {
    ops(name).readAll();
    await ops(name).type(line);
    return ops(name).expectMessage(reads);
  };

  it.each([
    ['errors of main-site yesterday', 'errors show main-site yesterday', /main-site/],
    ['which hostnames has the zone main-site', 'zone show main-site', /main-site/],
    ['lsit the zones pls', 'zone list', /main-site/],
    ['show last hour of main-site', 'stats show --from 1h main-site', /main-site/],
    ['main-site since monday', 'stats show --from monday main-site', /main-site/],
    ['when did main-site break', 'errors show main-site', /main-site/],
    ['cancel the purge tonight', 'approval list', /\nNothing is waiting for approval\. Nothing is planned\.$/],
    ['502s on main-site in the last 2 hours', 'log search --from 2h --status 502 main-site', /main-site/],
  ])('is run where it reads, and says what it was taken for: %s', async (request, line, shown) => {
    const answer = await asked(`/edge ${request}`, shown);
    expect(answer.text).toContain(`Understood as /edge ${line}`);
  });

  it.each([
    ['/edge pls force https on dl.example.com', 'ssl force dl.example.com on'],
    ['/edge stop forcing https on img.example.com for half an hour', 'ssl force --for 30m img.example.com off'],
    ['/edge stop forcing https on img.example.com for half a day', 'ssl force --for 12h img.example.com off'],
    ['/edge stop forcing https on img.example.com for half a week', 'ssl force --for 84h img.example.com off'],
    ['@edgewise can you allow ai bots on main-site', 'bot set main-site AIScraper allow'],
    ['/edge block 198.51.100.7 on shop for 2 hours', 'block --for 2h add shop 198.51.100.7'],
    ['/edge turn attack mode on for shop for 1 hour', 'attack --for 1h on shop'],
    ['/edge turn of https for img.example.com', 'ssl force img.example.com off'],
    ['/edge block RU on shop for 2 hours', 'block --for 2h add shop RU'],
  ])('is shown first where it changes something: %s', async (request, line) => {
    const preview = await asked(request, /Understood as/);
    expect(preview.text).toContain(`Understood as /edge ${line}`);
    expect(preview.buttons).toEqual([expect.stringMatching(CONFIRM), 'Cancel']);
    await preview.click('Cancel');
  });

  it.each([
    ['ben cleared the cache of main-site already', 'cache clear main-site'],
    ['clear the cache of main-site tomorrow', 'cache clear main-site'],
    ['clear the cache of main-site and block ai bots', 'cache clear main-site'],
    ['clear the cache of nothing-like-it', 'cache clear'],
    ['clear the cache of main-stie', 'cache clear main-site'],
    ['how do I clear the cache of main-site', 'cache clear main-site'],
  ])('runs nothing when it may mean something else, and offers what may be meant: %s', async (request, line) => {
    const answer = await asked(`/edge ${request}`, /I didn’t do anything: I’m not sure what you mean/);
    expect(answer.text).not.toMatch(/Understood/);
    expect(answer.buttons).toContain(line);
    expect(answer.buttons.length).toBeLessThanOrEqual(3);
    await answer.click(line);
    const form = await workspace.slack.person('ada').expectModal(/Cache clear/, { ready: true });
    await form.close();
  });

  it.each([
    ['force https on for shop', 'ssl force shop.example.com on shop'],
    ['purg /app.js on main site', 'cache purge https://cdn.example.com/app.js main-site'],
    ['clear /products/7 for shop', 'cache purge https://shop.example.com/products/7 shop'],
  ])('offers what is said of a zone for its hostnames, and runs nothing: %s', async (request, line) => {
    const answer = await asked(`/edge ${request}`, /I didn’t do anything/);
    expect(answer.text).not.toMatch(/Understood|takes one value/);
    expect(answer.buttons).toHaveLength(3);
    expect(answer.buttons[0]).toBe(line);
  });

  it.each([
    ['tonight at 02:00', '"tonight 02:00"'],
    ['tomorrow 9am', '"tomorrow 9am"'],
    ['next monday at noon', '"monday 12:00"'],
    ['at 02:00 UTC', '"02:00 utc"'],
    ['in 2 hours', '"in 2h"'],
  ])('is shown first, with its time, where it is to be done later: force https %s', async (when, at) => {
    const preview = await asked(`/edge force https on dl.example.com ${when}`, /Runs later:/);
    expect(preview.text).toContain(`Understood as /edge ssl force --at ${at} dl.example.com on`);
    expect(preview.buttons).toEqual(['Plan it', 'Cancel']);
    await preview.click('Cancel');
  });

  it.each([
    'turn https on and off for dl.example.com',
    'enable and disable force https on dl.example.com',
    'block and unblock ai bots on main-site',
    'allow or block seo bots on main-site',
    'mute and unmute subscription 3',
    'no cache of main-site is to be cleared',
    'block all bots but seo on main-site',
    'force https for all apart from dl.example.com',
  ])('runs nothing where it contradicts itself: %s', async (request) => {
    const answer = await asked(`/edge ${request}`, /I didn’t do anything: I’m not sure what you mean/);
    expect(answer.text).not.toMatch(/Understood/);
    expect(answer.buttons).not.toContain('Cancel');
  });

  it.each([
    'don’t purge main-site',
    'never clear the cache of main-site',
    'the cache of main-site is not to be cleared',
    'do not block ai bots on main-site',
    'lets not purge main-site',
    'we are not going to purge main-site',
    'nobody should purge main-site',
    'no need to purge main-site',
    'dont list the zones',
    'never show errors of main-site',
    'never mind',
  ])('does nothing where it is refused, and offers nothing of it: %s', async (request) => {
    const answer = await asked(`/edge ${request}`, /I didn’t do anything/);
    expect(answer.text).toBe('I didn’t do anything.');
    expect(answer.buttons).toEqual([]);
  });

  it.each([
    ['what’s broken?', 'now'],
    ['what is down', 'now'],
    ['anything wrong right now?', 'now'],
    ['any incidents', 'now'],
    ['who is on it', 'now'],
    ['who’s on it?', 'now'],
    ['is anybody on it', 'now'],
    ['help me, the site is down', 'now'],
    ['help me! what is down', 'now'],
    ['did my change make it worse?', 'now'],
    ['is it over?', 'now'],
    ['is it over yet', 'now'],
    ['is it fixed?', 'now'],
    ['is the incident resolved', 'now'],
    ['is it getting better', 'now'],
    ['is it getting worse', 'now'],
    ['how bad is it', 'now'],
    ['what changed before this?', 'changes list'],
    ['what changed on main-site before this?', 'changes list main-site'],
    ['did anything change before this on shop', 'changes list shop'],
    ['can we roll back the last change?', 'audit list --changes --undo'],
    ['can I roll it back', 'audit list --undo'],
    ['put back shop', 'audit list --target shop --undo'],
    ['put back the last deploy', 'audit list --command "script publish" --undo'],
    ['undo the purge of shop', 'audit list --command "cache purge" --target shop --undo'],
    ['I purged shop, take it back', 'audit list --command "cache purge" --target shop --undo'],
    ['who switched force https on shop', 'audit list --command "ssl force" --target shop'],
    ['take it back', 'audit list --undo'],
    ['roll it back', 'audit list --undo'],
    ['when did it start', 'now'],
    ['who is on the incident', 'now'],
    ['who is on shop', 'errors show shop'],
    ['is shop broken', 'errors show shop'],
    ['is main-site fixed?', 'errors show main-site'],
    ['is shop fixed yet', 'errors show shop'],
    ['is shop getting better', 'errors show shop'],
    ['how bad is shop', 'errors show shop'],
    ['did main-site recover', 'errors show main-site'],
    ['has shop recovered', 'errors show shop'],
    ['when did main-site recover', 'errors show main-site'],
    ['when did shop start failing?', 'errors show shop'],
    ['did anything change on shop?', 'changes list shop'],
    ['has anything changed on shop', 'changes list shop'],
    ['any changes on shop?', 'changes list shop'],
    ['did anyone change anything last hour', 'changes list --since 1h'],
    ['did somebody change something on shop', 'changes list shop'],
    ['what did people change today', 'changes list --since today --until today'],
    ['did ben change anything on shop', 'audit list --actor ben --target shop --changes'],
    ['how is main-site doing', 'stats show main-site'],
    ['404s on main-site today', 'log search --from today --to today --status 404 main-site'],
    ['404s on shop today', 'log search --from today --to today --status 404 shop'],
    ['why is main-site slow', 'stats show --slow main-site'],
    ['main-site is so slow', 'stats show --slow main-site'],
    ['is the origin of main-site slow', 'stats show --slow main-site'],
    ['which ip hammers main-site', 'log summary --top address main-site'],
    ['errors on main-site in the last 2 hours', 'errors show --since 2h main-site'],
    ['who touched main-site today', 'changes list --since today --until today main-site'],
    ['who changed shop', 'changes list shop'],
    ['what changed on shop yesterday', 'changes list --since yesterday --until yesterday shop'],
    ['changes on shop', 'changes list shop'],
    ['what did ben change today', 'audit list --actor ben --day today --changes'],
    ['who’s blocked on main-site', 'block list main-site'],
    ['what attacks did the shield see on main-site', 'security summary main-site'],
    ['sum up the errors of main-site in the last hr', 'errors show --since 1h main-site'],
    ['stats from yday', 'stats show --from yesterday --to yesterday'],
    ['cache hit rate of main-site', 'stats show main-site'],
    ['mute error-summary for 2 hours', 'report mute error-summary 2h'],
    ['mute the errors report for 2 hours', 'report mute error-summary 2h'],
    ['stop the error summary', 'report unsubscribe error-summary'],
    ['which zones have errors', 'now'],
    ['errors of shop this morning', 'errors show --since 06:00 shop'],
    ['what changed this evening', 'changes list --since 18:00'],
    ['log of shop until 10:00', 'log search --to 10:00 shop'],
    ['compare main-site', 'stats show --compare main-site'],
    ['who cleared main-site yesterday', 'audit list --command "cache clear" --target main-site --day yesterday'],
    ['cancel the planned purge', 'approval list'],
    ['good evening, is api ok', 'zone show api'],
    ['is api ok', 'zone show api'],
    ['is downloads ok', 'zone show downloads'],
    ['status of api', 'zone show api'],
    ['is api back up', 'zone show api'],
    ['show me the api certificate', 'zone show api'],
    ['which changes did @ben make yesterday', 'audit list --actor (?:<@\\w+>|@ben) --day yesterday --changes'],
    ['undo my last change', 'audit list (?:--changes )?--undo'],
    ['site is down', 'now'],
    ['who turned off https on main-site', 'audit list --command "ssl force" --target main-site'],
    ['cert for shop.example.com expired?', 'zone show shop.example.com'],
    ['🔥 errors of main site', 'errors show main-site'],
    ['put back the last change on shop', 'audit list --target shop --changes --undo'],
  ])('is answered as an engineer asks it: %s', async (request, line) => {
    const answer = await asked(`@edgewise ${request}`, /Understood as/);
    expect(answer.text).toMatch(new RegExp(`Understood as /edge ${line}$`, 'm'));
  });

  it.each([
    ['roll back geo-redirect', 'script publish geo-redirect previous'],
    ['go back to the last version', 'script publish previous'],
    ['roll back the deploy', 'script publish previous'],
    // Ada is in Berlin.
    ['ben purged shop at 02:00', 'cache clear shop 02:00 Europe/Berlin'],
    // A change is done once.
    ['purge shop every night at 02:00', 'cache clear shop'],
    ['purge shop every night', 'cache clear shop'],
    ['purge shop every now and then', 'cache clear shop'],
    ['restart mailer every morning', 'app restart mailer'],
    // No hour is said.
    ['errors of shop last night', 'errors show shop'],
    ['errors of shop until yesterday', 'errors show shop'],
    ['delete mailer in the evening', 'app delete mailer'],
    ['restart mailer first thing in the morning', 'app restart mailer'],
    ['purge shop this evening', 'cache clear shop'],
    ['block 198.51.100.7 on shop until morning', 'block add shop 198\\.51\\.100\\.7'],
    ['block 198.51.100.7 on shop for some time', 'block add shop 198\\.51\\.100\\.7'],
    ['purge shop from time to time', 'cache clear shop'],
    ['block 198.51.100.7 on shop until then', 'block add shop 198\\.51\\.100\\.7'],
    ['block 198.51.100.7 on shop until tomorrow 9am', 'block add shop 198\\.51\\.100\\.7'],
    ['203.0.113.7 is blocked on shop', 'block add shop 203\\.0\\.113\\.7'],
    ['https is forced on dl.example.com', 'ssl force dl\\.example\\.com on'],
    ['take back purge', 'audit list undo cache purge'],
  ])('runs nothing yet, and offers first what was meant: %s', async (request, line) => {
    const { buttons } = await asked(`/edge ${request}`, /I didn’t do anything/);
    expect(buttons[0]).toMatch(new RegExp(`^${line}$`));
  });

  it.each(['stop', 'stop it', 'turn shop off', 'restarts of main-site', 'cache hit rates of main-site'])(
    'offers no change to: %s',
    async (line) => {
      const { buttons } = await asked(`/edge ${line}`, /[.?]/);
      expect(buttons.filter((one) => /^(ssl|bot|cache|token|report (?:un|dis))/.test(one))).toEqual([]);
    },
  );

  it.each([
    'clear the cache of everything but main-site',
    'clear the cache of all besides main-site',
    'purge all zones save shop',
    'delete all apps but mailer',
    'restart everything other than mailer',
    'block everyone but 198.51.100.7 on shop',
    'cancel the planned purge of shop',
    'call off the restart of mailer',
    'abort the deletion of mailer',
    'stop purging shop',
  ])('offers no change of what is excepted, denied or cancelled: %s', async (line) => {
    const { buttons } = await asked(`/edge ${line}`, /I didn’t do anything/);
    expect(buttons.filter((one) => /^(?:cache|app (?:delete|restart)|block add)/.test(one))).toEqual([]);
  });

  it.each([
    ['purge', 'Cache purge'],
    ['clear', 'Cache clear'],
    ['clear the cache', 'Cache clear'],
    ['restart an app', 'App restart'],
    ['shop is under attack', 'Attack mode'],
  ])('opens the form for the rest where only values are missing: %s', async (line, title) => {
    await ops().type(`/edge ${line}`);
    const form = await workspace.slack.person('ada').expectModal(title, { ready: true });
    await form.close();
  });

  it('is greeted and thanked back', async () => {
    await asked('/edge hi', /Edgewise operates/);
    await asked('/edge help me', /Edgewise operates/);
    for (const said of ['thanks!', 'thx mate', 'perfect 👍', 'ok']) await asked(`/edge ${said}`, /^You’re welcome\.$/);
  });

  it.each([
    ['"main-site" errors', ['errors show main-site']],
    ['purge shop --force', ['cache clear shop', 'cache purge shop', 'zone show shop']],
    ['errors for shop and api', ['errors show shop', 'errors show api', 'zone show shop']],
    ['clear cache of shp', ['cache clear shop', 'cache purge shop', 'log search shop']],
    ['purge mainsite', ['cache purge main-site', 'cache clear main-site']],
    ['errors shop-imges', ['now', 'errors show shop-images']],
    ['fehler auf shop', ['zone show shop', 'database query shop', 'zone list']],
    ['who changed nosuchzone today', ['changes list today', 'audit list today changes', 'audit export today changes']],
    ['ping', ['What can I do?']],
    ['roll back main-site', ['audit list main-site undo', 'changes list main-site', 'script publish previous']],
    ['revert', ['script publish previous', 'audit list undo', 'changes list']],
  ])('leads somewhere, whatever it is: %s', async (request, buttons) => {
    expect((await asked(`/edge ${request}`, /I didn’t do anything|There is no command/)).buttons).toEqual(buttons);
  });

  it.each([
    ['clear the cache of nothing-like-it', 'nothing-like-it'],
    ['purge the "frobnitz" of shop', 'frobnitz'],
    ['purge the frobnitz of shop --force', 'frobnitz'],
    ['what changed before yesterday', 'before'],
    ['what changed before this morning', 'before'],
    ['what changed before 2 hours ago', 'before'],
  ])('says which words it does not know: %s', async (request, word) => {
    const answer = await asked(`/edge ${request}`, /I’m not sure what you mean/);
    expect(answer.text).toContain(`I don’t know ${word}.`);
  });

  it.each([
    'take it back and purge shop',
    'take it back, purge shop',
    'purge shop then roll it back',
    'clear the cache of shop and take it back',
  ])('offers both where a change and its undoing are asked for: %s', async (line) => {
    const { buttons } = await asked(`/edge ${line}`, /I didn’t do anything/);
    expect(buttons).toEqual(expect.arrayContaining(['cache clear shop', 'audit list shop undo']));
  });

  it('is refused by its rule to who may not, who is offered only to ask somebody who may', async () => {
    expect((await asked('/edge force https on dl.example.com', /You may not/, 'ben')).buttons).toEqual([
      'Ask ada to do it',
    ]);
    expect((await asked('/edge force https somewhere', /I’m not sure what you mean/, 'ben')).buttons).not.toContain(
      'ssl force',
    );
  });

  it('changes nothing of a whole zone where a page of it was named', async () => {
    const answer = await asked(
      '/edge clear the cache of https://main-site.edge.example.net/a.css',
      /Understood as \/edge cache purge https:\/\/main-site\.edge\.example\.net\/a\.css/,
    );
    expect(answer.text).not.toContain('cache clear');
  });

  it('leaves what is typed as a command to the grammar', async () => {
    const answer = await asked('/edge stats show --hourley', /has no --hourley/);
    await answer.click('Use stats show --hourly');
    await ops().expectMessage(/Whole account/);
    const watched = await asked('/edge block add shop 198.51.100.7 --watch --for 2h', /^block has no --watch:/);
    expect(watched.text).not.toContain('I don’t know');
    await asked('/edge errors show main-site someday', /“someday” is not a day/);
  });

  it.each([
    ['report mute 3 --for 2h', 'Use report mute 3 --duration 2h'],
    ['token create orders --both --for 30d', 'Use token create orders --both --expiry 30d'],
  ])('offers the line with what it has instead of --for: %s', async (line, button) => {
    expect((await asked(`/edge ${line}`, /has no --for/)).buttons[0]).toBe(button);
  });

  it('offers the name that is near as a button, which runs the corrected line', async () => {
    const answer = await asked('/edge zone show main-stie', /There is no pull zone “main-stie”/);
    await answer.click('Use main-site');
    await ops().expectMessage(/main-site[\s\S]*Hostnames/i);
    // The form of what the corrected line runs is no second choice.
    expect((await asked('/edge sll force', /There is no command “sll”/)).buttons).toEqual(['Use ssl force']);
    expect((await asked('/edge nwo', /There is no command “nwo”/)).buttons).toEqual(['Use now']);
    const other = await asked('/edge zoen show "main-site"', /There is no command “zoen”/);
    await other.click('Use zone show "main-site"');
    await ops().expectMessage(/main-site[\s\S]*Hostnames/i);
  });
});

describe('help', () => {
  let workspace: TestWorkspace;
  beforeAll(async () => {
    workspace = await startTestWorkspace();
  });
  afterAll(() => workspace.close());
  const ops = () => workspace.slack.person('ada').in('#ops');

  it('begins with five goals, then nine groups, whose buttons open forms', async () => {
    await ops().type('/edge');
    const menu = await ops().expectMessage(/Edgewise operates/);
    expect(menu.buttons.slice(0, 5)).toEqual([
      'What’s broken?',
      'Purge',
      'Look at errors',
      'Who changed what',
      'HTTPS on or off',
    ]);
    expect(menu.buttons).toHaveLength(5 + 9 * 3 + 1);
    expect(menu.text).not.toMatch(/<hostname>/);
    await menu.click('ssl force');
    const form = await workspace.slack.person('ada').expectModal(/Force HTTPS/, { ready: true });
    await form.close();
  });

  it.each([
    ['https', 'ssl force'],
    ['purge', 'cache purge'],
    ['how do I block a bot', 'bot set'],
    ['5xx in the access log', 'log search'],
    ['who changed something', 'audit list'],
  ])('finds %s by what it means', async (topic, name) => {
    await ops().type(`/edge help ${topic}`);
    const found = await ops().expectMessage(new RegExp(`${name} `));
    expect(found.buttons).toContain(name);
    expect(found.buttons.length).toBeLessThanOrEqual(5);
  });

  it('offers what is about https to whoever types no more than that', async () => {
    await ops().type('/edge https');
    const found = await ops().expectMessage(/I didn’t do anything: I’m not sure what you mean/);
    expect(found.buttons).toContain('ssl force');
  });

  it('has the grammar of one command, with two examples', async () => {
    await ops().type('/edge help ssl force');
    const one = await ops().expectMessage(/ssl force <hostname> <on\|off>/);
    expect(one.text.match(/^\/edge ssl force cdn/gm)).toHaveLength(2);
  });
});

it('a request is understood in time where the platform is long in listing what it does not speak of', async () => {
  const workspace = await startTestWorkspace();
  try {
    workspace.platform.fault('slow=60000@GET /compute/script');
    const ada = workspace.slack.person('ada').in('#ops');
    await ada.type('/edge errors of main-site yesterday');
    const answer = await ada.expectMessage(/main-site/);
    expect(answer.text).toContain('Understood as /edge errors show main-site yesterday');
    expect(workspace.slack.problems).toEqual([]);
  } finally {
    await workspace.close();
  }
});
