import { commandButton } from '../../blocks/buttons.ts';
import { actions, message, note } from '../../blocks/message.ts';
import { code, mrkdwn } from '../../blocks/mrkdwn.ts';
import { app } from '../arguments/resources/kinds.ts';
import { defineOperation, warningsOf, wordsWith } from '../operation.ts';

const isItUp = (app: string | undefined) => actions(commandButton('Is it up?', `app show ${app}`));

export const restartApp = defineOperation({
  name: 'app restart',
  summary: 'Restart all instances of an application',
  synonyms: { verbs: 'reboot, bounce, recycle, kick', nouns: 'application, container, instances, pods' },
  effect: 'write',
  args: { app: app() },
  examples: ['app restart shop-api'],

  words: ({ target }) => wordsWith('Restart', 'restarted', mrkdwn`the application ${code(target)}`),

  preview: ({ app }) => ({
    // What runs now is not compared, because instances come and go.
    after: { instances: 'all are restarted' },
    warnings: warningsOf(
      app.unlisted && 'This application is not in any list: only its id is known.',
      'A restart cannot be undone, and requests may fail while instances start.',
    ),
  }),

  run: ({ app }, { platform, signal }) => platform.apps.restart(app.id, { signal }),

  render: (_, { app }) => message(note('The platform restarts the instances in the background.'), isItUp(app.id)),

  whenUnknown: ({ app }) =>
    message(note('You can repeat the command: the instances only restart once more.'), isItUp(app)),
});
