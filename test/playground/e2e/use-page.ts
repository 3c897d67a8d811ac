import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { createPage, type Page } from '../../../playground/launcher/page-server.ts';
import { type SlackEmulator, startSlackEmulator } from '../../../playground/slack/emulator.ts';
import { openBrowser, openPage, type PersonAtPage, type Visit } from './browser.ts';
import { type FixtureBot, fixtureCommands, startFixtureBot } from './fixture-bot.ts';

const hints = {
  tries: ['/edge form'],
  chips: [
    { label: 'Say it', line: '/edge say it' },
    { label: 'Be Ben', as: 'ben' },
  ],
};

/** A page with a small bot behind it, new for each test, and the people who visit it. */
export function usePage() {
  const opened: { browser?: Browser; page?: Page; slack?: SlackEmulator; bot?: FixtureBot } = {};
  let people: PersonAtPage[] = [];

  beforeAll(async () => {
    [opened.browser, opened.page] = await Promise.all([openBrowser(), createPage(() => hints)]);
  });

  beforeEach(async () => {
    people = [];
    opened.slack = await startSlackEmulator({ page: opened.page as Page, commands: fixtureCommands });
    opened.bot = await startFixtureBot(opened.slack.environment);
    opened.slack.deliverTo({ eventsUrl: opened.bot.eventsUrl });
  });

  afterEach(async () => {
    const problems = people.flatMap((person) => person.problems);
    await Promise.all(people.map((person) => person.close()));
    await Promise.all([opened.bot?.close(), opened.slack?.close()]);
    expect(problems).toEqual([]);
  });

  afterAll(() => opened.browser?.close());

  return {
    get slack() {
      return opened.slack as SlackEmulator;
    },
    get bot() {
      return opened.bot as FixtureBot;
    },
    async visit(options: Partial<Visit> = {}): Promise<PersonAtPage> {
      const person = await openPage(opened.browser as Browser, { url: this.slack.url, ...options });
      people.push(person);
      return person;
    },
  };
}
