/** People as coloured initials; the bot as its mark. */
import type { UiUser } from '../slack/ui-types.ts';
import { Icon } from './icons.tsx';

const colours = 8;

/** The same colour for the same person, always. */
const colourOf = (id: string) =>
  [...id].reduce((sum, character) => (sum * 59 + character.charCodeAt(0)) % 9973, 7) % colours;

const initialsOf = (user: UiUser) =>
  (user.realName || user.name)
    .split(/\s+/)
    .map((word) => word[0] ?? '')
    .slice(0, 2)
    .join('')
    .toUpperCase();

/** The picture of a person or the bot: its mark or its initials. */
export function Avatar({ user, size = 36 }: { user: UiUser | undefined; size?: number }) {
  const style = { '--size': `${size}px` };
  if (!user || user.id === 'USLACKBOT')
    return (
      <span class="avatar avatar-system" style={style} aria-hidden="true">
        <Icon name="info" size={size * 0.6} />
      </span>
    );
  if (user.role === 'bot')
    return (
      <span class="avatar avatar-bot" style={style} aria-hidden="true">
        <Mark />
      </span>
    );
  return (
    <span class={`avatar avatar-${colourOf(user.id)}`} style={style} aria-hidden="true">
      {initialsOf(user)}
    </span>
  );
}

/** Three nodes on the edge of a circle: the project's mark. */
export const Mark = () => (
  <svg viewBox="0 0 36 36" width="100%" height="100%" aria-hidden="true">
    <path
      d="M24.500 11.500A9.500 9.500 0 1 0 27.500 18"
      fill="none"
      stroke="currentColor"
      stroke-width="3"
      stroke-linecap="round"
    />
    <path d="M13.500 18h14" stroke="currentColor" stroke-width="3" stroke-linecap="round" />
    <circle cx="26" cy="10.500" r="2.600" fill="currentColor" />
  </svg>
);
