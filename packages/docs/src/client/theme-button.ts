const key = 'freehold-docs-theme';

/** A button that switches between light and dark, and keeps the choice. */
export function openThemeButton(): void {
  const button = document.querySelector<HTMLButtonElement>('button.theme');
  if (button === null) return;
  const show = () => {
    button.textContent = isDark() ? 'Light' : 'Dark';
    button.setAttribute('aria-label', isDark() ? 'Use light colours' : 'Use dark colours');
  };
  button.addEventListener('click', () => {
    const next = isDark() ? 'light' : 'dark';
    document.documentElement.dataset.theme = next;
    try {
      localStorage.setItem(key, next);
    } catch {
      // The choice holds for this page alone.
    }
    show();
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', show);
  button.hidden = false;
  show();
}

function isDark(): boolean {
  const { theme } = document.documentElement.dataset;
  return theme === undefined ? matchMedia('(prefers-color-scheme: dark)').matches : theme === 'dark';
}
