/** The App Home tab, as the bot published it for this person. */

import type { UiView } from '../slack/ui-types.ts';
import { Avatar } from './avatar.tsx';
import { Blocks } from './blocks/block.tsx';
import { AppTabs } from './channel.tsx';
import { useDirectory } from './directory.ts';
import { FormContext, useFormOf } from './form.ts';
import { useUiState } from './workspace.ts';

/** The App Home, or a word about it before it is published. */
export function Home() {
  const { home, bot } = useUiState();
  const { users } = useDirectory();
  const user = users.get(bot.userId);
  return (
    <section class="channel" aria-label="App Home">
      <header class="channel-head">
        <Avatar user={user} size={26} />
        <h1>{user?.realName ?? bot.name}</h1>
        <span class="badge">App</span>
      </header>
      <AppTabs here="home" />
      {/* the keyboard scrolls here */}
      <div class="home" tabindex={0} role="tabpanel" aria-label="Home">
        {home ? (
          <HomeView view={home} />
        ) : (
          <div class="home-empty">
            <Avatar user={user} size={56} />
            <p>{bot.name} has not published a home for you yet.</p>
          </div>
        )}
      </div>
    </section>
  );
}

function HomeView({ view }: { view: UiView }) {
  const { me } = useDirectory();
  const { form } = useFormOf({ user: me.id, at: { view: view.id }, surface: 'home', values: view.values });
  return (
    <FormContext.Provider value={form}>
      <Blocks blocks={view.blocks} />
    </FormContext.Provider>
  );
}
