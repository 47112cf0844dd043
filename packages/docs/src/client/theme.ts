/** Sets the colours that the reader chose, before the page is drawn. Where nothing can be stored, those of the system stay. */
const key = 'freehold-docs-theme';

function chosen(): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

const theme = chosen();
if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
