import type { App } from '../../../platform/resources/apps.ts';
import type { ArgumentKind } from '../../argument.ts';
import type { ResolveContext } from '../../context.ts';
import {
  checkReference,
  type Entry,
  lookUp,
  type Nouns,
  namesUnknown,
  nameWithId,
  suggestEntries,
  theirs,
  typedOption,
  wordsFor,
} from './look-up.ts';

/** An application as far as it is known: only its id while the platform lists none, or not this one. */
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

const check = (text: string) => checkReference(text, 'application');

async function resolve(text: string, context: ResolveContext): Promise<AppRef> {
  const { catalogue, fresh } = context;
  const typed = text.trim();
  const { items, missing } = await catalogue.apps({ fresh });
  if (missing !== undefined) {
    if (ID.test(typed)) return { id: typed };
    throw namesUnknown(typed, missing, APPS);
  }
  const byId = theirs(items, (app) => appEntry(app).names, context).find((app) => app.id === typed);
  if (byId !== undefined) return appRefOf(byId);
  const found = await lookUp(typed, (options) => catalogue.apps(options), appEntry, APPS, context, ID);
  return found === undefined ? { id: typed } : appRefOf(found);
}

/** A container application by name or id. */
export function app(label = 'Application'): ArgumentKind<AppRef> {
  return {
    label,
    hint: 'Name or id of a container application',
    shape: 'word',
    required: true,
    field: { type: 'suggest', placeholder: 'Name or id' },
    check,
    resolve: (text, context) => resolve(text ?? '', context),
    textOf: ({ id }) => id,
    names: { of: ['app'], read: ({ id, name }: AppRef) => ({ app: [wordsFor(id, name)] }) },
    async suggest(query, context) {
      const { items } = await context.catalogue.apps();
      return suggestEntries(query, items.map(appEntry), context, (typed) => typedOption(typed, check));
    },
  };
}
