import type { App } from '../../../platform/resources/apps.ts';
import type { ArgumentKind } from '../../argument.ts';
import { checkReference, type Entry, lookUp, type Nouns, nameOrId, nameWithId, wordsFor } from './look-up.ts';

/** Only the id where no list has it. */
export interface AppRef {
  id: string;
  name?: string;
  app?: App;
}

const APPS: Nouns = { one: 'application', many: 'applications', subject: 'app', command: 'app list' };

/** The form of an application's id, which is opaque (docs/platform.md, Ids). */
const ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** `shop-api (HbqFNk0KZjzYOcp)`, or the id while only that is known. */
export function appName(app: AppRef): string {
  return nameWithId(app.name, app.id);
}

const appRefOf = (app: App): AppRef => ({ id: app.id, ...(app.name === undefined ? {} : { name: app.name }), app });

const appEntry = (app: App): Entry<App> => ({
  id: app.id,
  name: app.name,
  description: [app.status, app.displayEndpoint?.address].filter(Boolean).join(', '),
  names: { app: [wordsFor(app.id, app.name)] },
  thing: app,
});

export const app = (label = 'Application'): ArgumentKind<AppRef> =>
  nameOrId<AppRef, App>({
    label,
    hint: 'Name or id of a container application',
    subject: 'app',
    check: (text) => checkReference(text, 'application'),
    async resolve(text, context) {
      const found = await lookUp(text, context.catalogue.apps, appEntry, APPS, context, ID);
      return found === undefined ? { id: text.trim() } : appRefOf(found);
    },
    textOf: ({ id }) => id,
    words: ({ id, name }) => wordsFor(id, name),
    entries: async ({ catalogue }) => (await catalogue.apps()).items.map(appEntry),
  });
