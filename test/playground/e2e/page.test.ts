import { expect, it } from 'vitest';
import { ADA, clientOf, OPS } from '../slack/web-client.ts';
import { describeInBrowser } from './browser.ts';
import { usePage } from './use-page.ts';

describeInBrowser('the page, drawing messages,', () => {
  const at = usePage();

  it('shows what is typed, and what the bot says to it', async () => {
    const ada = await at.visit();
    await ada.type('/edge say *It works* <https://edge.example|here>');
    const message = await ada.expectMessage('It works here');
    expect(await message.locator.locator('strong').innerText()).toBe('It works');
    expect(await message.locator.getByRole('link', { name: 'here' }).getAttribute('href')).toBe('https://edge.example');
    await ada.type('thanks');
    await ada.expectMessage(/Ada Ops.*thanks/);
  });

  it('draws markup in a message as text', async () => {
    const ada = await at.visit();
    await ada.type('/edge say <img src=x onerror=alert(1)> <javascript:alert(1)|press>');
    const message = await ada.expectMessage('onerror');
    expect(await message.locator.locator('img, script, a').count()).toBe(0);
  });

  it('draws every kind of block, and none as unsupported', async () => {
    const ada = await at.visit();
    await ada.type('/edge text');
    await ada.expectMessage('Force SSL on shop.example');
    await ada.go('#releases');
    await ada.type('/edge elements');
    await ada.expectMessage('Which regions?');
    await ada.screenshot('page-elements');
    await ada.go('edgewise');
    await ada.type('/edge charts');
    const charts = await ada.expectMessage('Requests per day');
    expect(await charts.locator.locator('.bar').count()).toBe(21);
    expect(await ada.page.locator('.unsupported').count()).toBe(0);
    await ada.screenshot('page-charts');
  });

  it('shows a block that it does not know, by name', async () => {
    const ada = await at.visit();
    await ada.type('hello');
    await ada.expectMessage('hello');
    // The emulator refuses such a block: it gets in where the page reads the state.
    await ada.page.route('**/ui/state?*', async (route) => {
      const state = await (await route.fetch()).text();
      await route.fulfill({ body: state.replaceAll('"blocks":[]', '"blocks":[{"type":"hologram","block_id":"x"}]') });
    });
    await ada.page.reload();
    await ada.page.getByText('Unsupported block hologram').waitFor();
  });

  it('sorts, filters and pages a data table', async () => {
    const ada = await at.visit();
    await ada.type('/edge tables');
    const { locator } = await ada.expectMessage('Top missing paths');
    const numbers = () => locator.locator('.data-table tbody tr td:nth-child(2)').allInnerTexts();
    await locator.getByRole('button', { name: 'Requests' }).click();
    await locator.getByRole('button', { name: 'Requests' }).click();
    expect(await numbers()).toEqual(['94', '84', '74', '67', '57']);
    await locator.getByRole('button', { name: 'Next page' }).click();
    await locator.getByText('6–10 of 12').waitFor();
    await locator.getByRole('textbox', { name: 'Filter Top missing paths' }).fill('missing-12');
    expect(await numbers()).toEqual(['3']);
  });
});

describeInBrowser('the page, with buttons, menus and threads,', () => {
  const at = usePage();

  it('asks before a button that wants it, and presses only after a yes', async () => {
    const ada = await at.visit();
    await ada.type('/edge elements');
    const message = await ada.expectMessage('Which regions?');
    await message.click('Delete app');
    await ada.answer('Keep it');
    await message.click('Delete app');
    await ada.answer('Delete');
    await ada.expectMessage('You used delete: "checkout"');
    const presses = at.slack.deliveries.filter(({ body }) => body.includes('%22action_id%22%3A%22delete%22'));
    expect(presses).toHaveLength(1);
  });

  it('replaces a message that the bot updates', async () => {
    const ada = await at.visit();
    await ada.type('/edge elements');
    await (await ada.expectMessage('Which regions?')).click('Run it');
    await ada.expectMessage('Run by @ada');
    await ada.expectNoMessage('Which regions?');
  });

  it('tells the bot what is chosen in menus', async () => {
    const ada = await at.visit();
    await ada.type('/edge elements');
    const message = await ada.expectMessage('Which regions?');
    await message.choose('Choose a zone', 'Blog');
    await ada.expectMessage('You used zone: "blog"');
    await message.choose('Find a script', 'geo-router', 'geo');
    await ada.expectMessage('You used script: "4100"');
    await message.choosePoint('Restart');
    await ada.expectMessage('You used more: "restart"');
    await message.check('Hard');
    await ada.expectMessage('You used how: "hard"');
  });

  it('shows an ephemeral message to the one who asked and to nobody else', async () => {
    const [ada, ben] = await Promise.all([at.visit(), at.visit({ as: 'ben' })]);
    await ada.type('/edge secret');
    await ben.type('/edge nonsense');
    const word = await ada.expectMessage('A word for @ada alone.');
    expect(await word.isEphemeral()).toBe(true);
    await word.expectText('Only visible to you');
    await ben.expectMessage('nonsense is not a command');
    await ada.expectNoMessage('nonsense is not a command');
    await ben.expectNoMessage('A word for');
    await ben.become('ada');
    await ben.expectMessage('A word for @ada alone.');
  });

  it('keeps a thread beside the channel', async () => {
    const ada = await at.visit();
    await ada.type('@edgewise good morning');
    const message = await ada.expectMessage('good morning');
    await message.openThread();
    const thread = await ada.expectThread();
    await thread.expectMessage('You said:');
    await thread.type('@edgewise and again');
    await thread.expectMessage('You said: @edgewise and again');
    await message.expectText('3 replies');
    await ada.page.keyboard.press('Escape');
    await ada.page.locator('aside.thread').waitFor({ state: 'detached' });
  });

  it('downloads the file of a message', async () => {
    const ada = await at.visit();
    await ada.type('/edge file');
    const message = await ada.expectMessage('Access log');
    expect(await message.download('access.csv')).toEqual({ name: 'access.csv', content: 'path,requests\n/,42\n' });
  });
});

describeInBrowser('the page, with forms and the home,', () => {
  const at = usePage();

  it('shows the complaints of a form at their fields, keeps what was typed, and sends it with its file', async () => {
    const ada = await at.visit();
    await ada.type('/edge form');
    const form = await ada.expectModal('Force SSL');
    await form.fill('Hostname', 'nonsense');
    await form.choose('State', 'on');
    await form.attach('Document', { name: 'spec.json', content: '{}' });
    await form.submit();
    expect(await form.errors()).toEqual(['nonsense is not a hostname.']);
    await ada.screenshot('page-form-error');
    await form.fill('Hostname', 'shop.example');
    await form.submit();
    await ada.expectNoModal();
    await ada.expectMessage('sent shop.example on with spec.json');
  });

  it('stacks views three deep and goes back one by one', async () => {
    const ada = await at.visit();
    await ada.type('/edge stack');
    await (await ada.expectModal('View 1')).click('Open the next');
    await (await ada.expectModal('View 2')).click('Open the next');
    await ada.expectModal('View 3');
    await ada.page.keyboard.press('Escape');
    await ada.expectModal('View 2');
    await (await ada.expectModal('View 2')).cancel();
    await ada.expectModal('View 1');
    await ada.page.keyboard.press('Escape');
    await ada.expectNoModal();
  });

  it('shows the home that the bot published, and tells the bot of presses there', async () => {
    const ada = await at.visit();
    await ada.go('Edgewise home');
    await ada.page.getByText('Two confirmations wait for you.').waitFor();
    await ada.page.getByRole('tab', { name: 'Messages' }).click();
    await ada.composer.waitFor();
    expect(await ada.composer.getAttribute('aria-label')).toBe('Message edgewise');
  });
});

describeInBrowser('the page, with its composer,', () => {
  const at = usePage();

  it('works with the keyboard alone', async () => {
    const ada = await at.visit();
    const { keyboard } = ada.page;
    await ada.page.locator('[aria-label="Message #ops"]:focus').waitFor();
    await keyboard.type('/ed');
    await keyboard.press('Enter');
    expect(await ada.composer.inputValue()).toBe('/edge ');
    await keyboard.type('form ');
    expect(await ada.composer.inputValue()).toBe('/edge form ');
    await keyboard.press('Enter');
    await ada.expectModal('Force SSL');
    await ada.page.locator('[aria-label=Hostname]:focus').waitFor();
    await keyboard.type('shop.example');
    await keyboard.press('Tab');
    await keyboard.press('ArrowDown');
    await ada.page.getByRole('option', { name: 'on', exact: true }).waitFor();
    await keyboard.press('ArrowDown');
    await keyboard.press('Enter');
    // Tab stays inside the form, all the way around.
    for (let presses = 0; presses < 25; presses++) {
      await keyboard.press('Tab');
      expect(
        await ada.page.evaluate(
          'document.activeElement.closest("dialog") ? "inside" : document.activeElement.outerHTML',
        ),
      ).toBe('inside');
    }
    await ada.page.locator('dialog').getByLabel('Hostname', { exact: true }).first().focus();
    await keyboard.press('Enter');
    await ada.expectNoModal();
    await ada.expectMessage('sent shop.example off');
    await ada.page.locator('[aria-label="Message #ops"]:focus').waitFor();
    await keyboard.press('ArrowUp');
    expect(await ada.composer.inputValue()).toBe('/edge form');
  });

  it('has the focus again after a press on Send, on a chip and on what closes a modal', async () => {
    const ada = await at.visit();
    const hasFocus = () => ada.page.locator('[aria-label="Message #ops"]:focus').waitFor();
    const press = (name: string) => ada.page.getByRole('button', { name, exact: true }).click();
    await ada.composer.fill('/edge elements');
    await press('Send');
    await hasFocus();
    await (await ada.expectMessage('Which regions?')).click('Run it');
    await press('Say it');
    await ada.expectMessage(/Edgewise.*it$/);
    await hasFocus();
    await press('/edge form');
    await hasFocus();
    await ada.type('/edge stack');
    await ada.expectModal('View 1');
    await ada.page.keyboard.press('Escape');
    await hasFocus();
    await press('Be Ben');
    await ada.page.getByRole('button', { name: /Ben Member/ }).waitFor();
    await hasFocus();
    expect(await ada.page.getByRole('button', { name: 'Be Ben' }).count()).toBe(0);
  });

  it('sends the whole line on Enter while suggestions are open', async () => {
    const ada = await at.visit();
    await ada.composer.focus();
    await ada.page.keyboard.type('/edge say s');
    await ada.page.keyboard.press('Enter');
    await ada.expectMessage(/Edgewise.*Ms$/);
  });

  it('takes the next line while the bot still thinks about the one before', async () => {
    const ada = await at.visit();
    await ada.type('/edge slow');
    await ada.type('/edge say quick');
    await ada.expectMessage(/quick/);
    await ada.expectNoMessage('took its time');
    at.bot.goOn();
    await ada.expectMessage('took its time');
  });
});

describeInBrowser('the page', () => {
  const at = usePage();

  it('counts what arrives elsewhere', async () => {
    const [ada, ben] = await Promise.all([at.visit({ at: 'releases' }), at.visit({ as: 'ben' })]);
    await ben.type('look here');
    await ada.page.getByRole('button', { name: /ops.*1/ }).waitFor();
    await ada.go('#ops');
    await ada.expectMessage('look here');
    expect(await ada.page.locator('.count').count()).toBe(0);
  });

  it('fits a narrow window', async () => {
    const ada = await at.visit({ width: 390, height: 760 });
    const overflow = () => ada.page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    await ada.type('/edge elements');
    await ada.expectMessage('Which regions?');
    expect(await overflow()).toBeLessThanOrEqual(0);
    await ada.page.getByRole('button', { name: 'Open the channel list' }).click();
    await ada.go('#releases');
    expect(await ada.composer.getAttribute('aria-label')).toBe('Message #releases');
    await ada.type('/edge tables');
    await ada.expectMessage('Top missing paths');
    expect(await overflow()).toBeLessThanOrEqual(0);
    await ada.type('/edge form');
    const form = await ada.expectModal('Force SSL');
    const box = await form.locator.boundingBox();
    expect(box).toMatchObject({ x: 0, width: 390 });
    await ada.screenshot('page-narrow-form');
  });

  it('is dark where the system is, and light again at a press', async () => {
    const ada = await at.visit({ theme: 'dark' });
    await ada.page.locator('html[data-theme=dark]').waitFor();
    await ada.page.getByRole('button', { name: 'Switch to light' }).click();
    await ada.page.locator('html[data-theme=light]').waitFor();
    await ada.page.reload();
    await ada.page.locator('html[data-theme=light]').waitFor();
  });

  it('lets people change and delete what they wrote', async () => {
    const ada = await at.visit();
    await ada.type('hello @ben & co');
    await ada.expectMessage('hello @ben & co');
    const locator = ada.page.locator('article[data-user=ada]').last();
    await locator.hover();
    await locator.getByRole('button', { name: 'Edit message' }).click();
    const input = locator.getByRole('textbox', { name: 'Edit message' });
    expect(await input.inputValue()).toBe('hello @ben & co');
    await input.fill('goodbye @ben');
    await input.press('Enter');
    await ada.expectMessage(/goodbye @ben.*\(edited\)/);
    await locator.hover();
    await locator.getByRole('button', { name: 'Edit message' }).click();
    await locator.getByRole('button', { name: 'Delete' }).click();
    await ada.page.getByText('goodbye').waitFor({ state: 'detached' });
  });

  it('loses modals, and what only one person saw, when it is loaded anew, and shows nothing of it while they are away', async () => {
    const ada = await at.visit();
    await ada.type('/edge nonsense');
    await ada.expectMessage('is not a command');
    await ada.type('/edge form');
    await ada.expectModal('Force SSL');
    await ada.page.reload();
    await ada.composer.waitFor();
    await ada.expectNoModal();
    await ada.expectNoMessage('is not a command');
    await ada.page.locator('.person-switch').click();
    await ada.page.getByText('Set yourself as away').click();
    await ada.page.getByRole('button', { name: /Ada Ops, Admin, away/ }).waitFor();
    const client = clientOf(at.slack);
    await client.chat.postEphemeral({ channel: OPS, user: ADA, text: 'nobody hears this' });
    await client.chat.postMessage({ channel: OPS, text: 'everybody does' });
    await ada.expectMessage('everybody does');
    await ada.expectNoMessage('nobody hears this');
    await ada.type('/edge say back');
    await ada.expectMessage('back');
    await ada.page.getByRole('button', { name: /Ada Ops, Admin\. / }).waitFor();
  });

  it('says when the bot does not answer', async () => {
    const ada = await at.visit();
    at.slack.deliverTo({ eventsUrl: 'http://127.0.0.1:9/slack/events' });
    await ada.type('/edge form');
    await ada.page
      .getByText(/\/edge failed|did not respond|dispatch_failed/)
      .first()
      .waitFor();
  });
});
