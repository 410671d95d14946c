import { effect, signal } from '@preact/signals';

const THEMES = ['system', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];
const ITEM = 'winnow-theme';

const stored = localStorage.getItem(ITEM) as Theme;

/** The colours that the user has chosen; `system` follows the system. */
export const theme = signal<Theme>(THEMES.includes(stored) ? stored : 'system');
effect(() => {
  document.documentElement.dataset.theme = theme.value;
  localStorage.setItem(ITEM, theme.value);
});

/** Chooses the next theme of the list. */
export function switchTheme(): void {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] as Theme;
}
