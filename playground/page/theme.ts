/** Light or dark: the system's, until the person says otherwise; kept for the next visit. */
import { useEffect, useState } from 'preact/hooks';

/** Light or dark. */
export type Theme = 'light' | 'dark';

const key = 'edgewise-theme';
const system = () => (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
const kept = (): Theme | undefined => {
  const value = localStorage.getItem(key);
  return value === 'light' || value === 'dark' ? value : undefined;
};

/** The theme of the page, and its switch. */
export function useTheme(): { theme: Theme; toggle(): void } {
  const [theme, setTheme] = useState<Theme>(kept() ?? system());
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
  }, [theme]);
  useEffect(() => {
    const query = matchMedia('(prefers-color-scheme: dark)');
    const follow = () => {
      if (!kept()) setTheme(system());
    };
    query.addEventListener('change', follow);
    return () => query.removeEventListener('change', follow);
  }, []);
  return {
    theme,
    toggle() {
      const next = theme === 'dark' ? 'light' : 'dark';
      localStorage.setItem(key, next);
      setTheme(next);
    },
  };
}
