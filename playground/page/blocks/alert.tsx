/** The `alert` block, which the page uses for its own complaints too. */
import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from '../icons.tsx';

const alertIcons: Record<string, IconName> = {
  default: 'info',
  info: 'info',
  warning: 'warning',
  error: 'error',
  success: 'success',
};

/** A line that warns, with the sign of its level. */
export function Alert({ level, children }: { level: string; children: ComponentChildren }) {
  return (
    <div class={`block alert alert-${level}`} role={level === 'error' ? 'alert' : 'note'}>
      <Icon name={alertIcons[level] ?? 'info'} size={18} />
      <div class="text">{children}</div>
    </div>
  );
}
