/** People, channels and groups that mentions name, and the viewer's time zone: all that text needs to be drawn. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { UiChannel, UiState, UiUser, UiUserGroup } from '../slack/ui-types.ts';

/** Everybody and everything that a mention may name. */
export interface Directory {
  me: UiUser;
  bot: UiState['bot'];
  users: Map<string, UiUser>;
  channels: Map<string, UiChannel>;
  groups: Map<string, UiUserGroup>;
  openChannel(id: string): void;
}

/** The directory of the page. */
export const DirectoryContext = createContext<Directory | undefined>(undefined);

/** The directory, inside the shell. */
export function useDirectory(): Directory {
  const directory = useContext(DirectoryContext);
  if (!directory) throw new Error('Text is drawn outside a workspace.');
  return directory;
}
