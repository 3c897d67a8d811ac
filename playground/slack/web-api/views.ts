/** views.* and blocks.validate. */

import { validateMessage, validateView } from '../block-kit/validate.ts';
import { SlackError } from '../core.ts';
import type { Slack } from '../slack.ts';
import type { View } from '../views.ts';
import { type Call, invalidArguments, type Methods } from './call.ts';

export function createViewMethods(slack: Slack): Methods {
  const { core, views } = slack;
  const answer = (view: View): Record<string, unknown> => ({ view: views.payload(view, slack.lookups) });
  const triggerOf = (call: Call): string =>
    call.text('trigger_id') ?? call.need('interactivity_pointer', 'invalid_trigger_id');
  const viewOf = (call: Call): unknown => {
    const view = call.json('view');
    if (view === undefined) throw invalidArguments('missing required field: view');
    return view;
  };

  return {
    'views.open': { run: (call) => answer(views.open(triggerOf(call), viewOf(call))) },
    'views.push': { run: (call) => answer(views.push(triggerOf(call), viewOf(call))) },

    'views.update': {
      run(call) {
        const [viewId, externalId, hash] = [call.text('view_id'), call.text('external_id'), call.text('hash')];
        return answer(
          views.update(
            {
              ...(viewId === undefined ? {} : { viewId }),
              ...(externalId === undefined ? {} : { externalId }),
              ...(hash === undefined ? {} : { hash }),
            },
            viewOf(call),
          ),
        );
      },
    },

    'views.publish': {
      run(call) {
        const user = core.workspace.users.get(call.need('user_id'));
        if (!user || user.isBot) throw new SlackError('user_not_found');
        return answer(views.publish(user.id, viewOf(call), call.text('hash')));
      },
    },

    'blocks.validate': {
      run(call) {
        const { blocks, message, view } = call.arguments;
        if (view !== undefined) {
          const given = call.json('view') as { type?: string };
          const complaints = validateView(given, given.type === 'home' ? 'home' : 'modal');
          if (complaints.length > 0) throw new SlackError('invalid_view', { errors: complaints });
          return {};
        }
        const given = (
          message === undefined ? { blocks: blocks === undefined ? [] : call.json('blocks') } : call.json('message')
        ) as {
          text?: string;
          blocks: unknown;
        };
        const complaints = validateMessage(given);
        const error = message === undefined ? 'invalid_blocks' : 'invalid_message';
        if (complaints.length > 0) throw new SlackError(error, { errors: complaints });
        return {};
      },
    },
  };
}
