import type { App } from '../../../platform/resources/apps.ts';
import type { EdgeScript } from '../../../platform/resources/edge-scripts.ts';
import type { ResolveContext } from '../../context.ts';
import { DATABASES } from './databases.ts';
import { type Kind, lookUp, lookUpNumbered, type Named, nameOrId } from './look-up.ts';
import { ZONES } from './zones.ts';

const SCRIPTS: Kind<EdgeScript> = {
  label: 'Script',
  hint: 'Name or id of an edge script',
  one: 'edge script',
  subject: 'script',
  command: 'script list',
  list: ({ scripts }) => scripts,
  description: ({ DefaultHostname }) => DefaultHostname,
};

const APPS: Kind<App> = {
  label: 'Application',
  hint: 'Name or id of a container application',
  one: 'application',
  subject: 'app',
  command: 'app list',
  // docs/platform.md, Ids
  ids: /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/,
  list: ({ apps }) => apps,
  description: ({ status, displayEndpoint }) => [status, displayEndpoint?.address].filter(Boolean).join(', '),
};

/** All kinds of things that have names. */
export const KINDS: readonly Kind<Named>[] = [ZONES, SCRIPTS, APPS, DATABASES];

export const resolveScript = (text: string, context: ResolveContext) => lookUpNumbered(text, SCRIPTS, context);

export const script = () => nameOrId(SCRIPTS, { resolve: resolveScript });

export type AppRef = App & { unlisted?: true };

export const app = () =>
  nameOrId(APPS, {
    resolve: async (text, context): Promise<AppRef> =>
      (await lookUp(text, APPS, context)) ?? { id: text.trim(), unlisted: true },
  });
