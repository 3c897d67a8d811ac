import type { Message } from '../../src/blocks/message.ts';
import { memoryOf } from '../../src/slack/form.ts';
import type { Outgoing } from '../../src/slack/out/outgoing.ts';
import type { Bot } from '../../src/slack/services.ts';
import type { Store } from '../../src/store/store.ts';
import type { Process } from './clock.ts';
import type { Gates } from './gates.ts';

export const PEOPLE = ['UADA', 'UBEN', 'UCYD'] as const;
export const TEAM = 'T1';

/** Something that a person can press or send. */
export type Control =
  | { kind: 'button'; action: string; value: string; owner: string | undefined }
  | { kind: 'view'; view: string; confirmation: string; callback: string; memory: string; owner: string };

/** What a person was told: by which words, and what it was about, as far as the bot was asked for something. */
export interface Told {
  person: string;
  text: string;
  about: string | undefined;
}

/** Slack with people before it, as far as the bot can tell. */
export interface Desk {
  controls: Control[];
  told: Told[];
  /** The way out of one process of the bot. */
  outgoing(owner: Process, gates: Gates, store: Pick<Store, 'approvals'>): Outgoing;
}

const PRESSED = /^(confirm|cancel|run|undo|approve|reject|ask-approval|break-glass)$/;

function buttonsIn(blocks: Message['blocks'], owner: string | undefined): Control[] {
  const elements = blocks.flatMap((block) => (block.type === 'actions' && 'elements' in block ? block.elements : []));
  return elements.flatMap((element): Control[] => {
    const { type, action_id, value } = element as { type: string; action_id?: string; value?: string };
    if (type !== 'button' || action_id === undefined || !PRESSED.test(action_id)) return [];
    return [{ kind: 'button', action: action_id, value: value ?? '', owner }];
  });
}

/** `aboutOf`: what the bot is working on when it says something, `personOf` for whom. */
export function createDesk({
  aboutOf,
  personOf,
}: {
  aboutOf(): string | undefined;
  personOf(): string | undefined;
}): Desk {
  const controls: Control[] = [];
  const told: Told[] = [];
  let ids = 0;
  const lost = () => new Error('Slack did not answer');
  const wordsOf = (message: Message) => `${message.text}\n${JSON.stringify(message.blocks)}`;
  const show = (message: Message, owner: string | undefined): void => {
    controls.push(...buttonsIn(message.blocks, owner));
  };
  const showView = (
    view: string,
    shown: Parameters<Outgoing['openView']>[1],
    owner: string,
    about: string | undefined,
  ): void => {
    const memory = shown.type === 'modal' ? (shown.private_metadata ?? '') : '';
    const confirmation = memory === '' ? undefined : memoryOf({ private_metadata: memory }).confirmation;
    told.push({ person: owner, text: JSON.stringify(shown.blocks), about: confirmation ?? about });
    if (confirmation === undefined || shown.type !== 'modal' || shown.submit === undefined) return;
    controls.push({ kind: 'view', view, confirmation, callback: shown.callback_id ?? '', memory, owner });
  };
  return {
    controls,
    told,
    outgoing(process, gates, { approvals }) {
      const slack = <T>(label: string, work: () => T) => gates.pass(process, `slack ${label}`, work, lost);
      const nextId = (prefix: string) => {
        ids += 1;
        return `${prefix}${ids}`;
      };
      // Who is at work is known now, not when Slack gets round to it.
      return {
        toPerson({ user }, message) {
          const about = aboutOf();
          return slack(`to ${user}`, () => {
            told.push({ person: user, text: wordsOf(message), about });
            show(message, user);
          });
        },
        remove: () => slack('takes a message away', () => true),
        erase: () => slack('takes a message away', () => undefined),
        toChannel({ channel = 'D', user }, message) {
          const about = aboutOf();
          return slack('to the channel', () => {
            told.push({ person: user, text: wordsOf(message), about });
            show(message, undefined);
            const ts = nextId('ts');
            return { channel, ts, thread: ts, direct: false };
          });
        },
        direct: async (user) => `D${user}`,
        async toDirect(user, message, { copyOf } = {}) {
          const about = aboutOf();
          const posted = await slack(`directly to ${user}`, () => {
            told.push({ person: user, text: wordsOf(message), about });
            show(message, user);
            const ts = nextId('ts');
            return { channel: `D${user}`, ts, thread: ts };
          });
          if (copyOf !== undefined)
            await approvals.copied(copyOf.id, { channel: posted.channel, ts: posted.ts, isOwn: copyOf.isOwn ?? false });
          return posted;
        },
        sendHeld: async () => undefined,
        post: (_, message) =>
          slack('post', () => {
            show(message, undefined);
            return { ts: nextId('ts') };
          }),
        update: (_, __, message) => slack('update', () => show(message, undefined)),
        findPost: () => slack('history', () => undefined),
        openView(_, view) {
          const [person, about] = [personOf() ?? '', aboutOf()];
          return slack('opens a view', () => {
            const id = nextId('V');
            showView(id, view, person, about);
            return id;
          });
        },
        updateView(id, view) {
          const [person, about] = [personOf() ?? '', aboutOf()];
          return slack('updates a view', () => showView(id, view, person, about));
        },
        reveal: () => slack('reveals', () => undefined),
        publishHome: () => slack('home', () => undefined),
      };
    },
  };
}

/** The poster of a bot that speaks by this. */
export const posterOn = (outgoing: Outgoing): Bot['poster'] => ({
  tell: async (user, text) => void (await outgoing.toDirect(user, text)),
  update: ({ channel, ts, message }) => outgoing.update(channel, ts, message),
});
