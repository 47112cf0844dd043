/**
 * What the page does before the first screen can be drawn: it shows the frame in the chosen colours, and asks at once for the
 * files and the replies that this screen needs. Kept small, because the frame waits for it.
 */
import './early.css';
import { startFirstCalls } from './first-calls.ts';
import { screenFiles, screenOf } from './screen-files.ts';

const path = location.pathname.slice(new URL(document.baseURI).pathname.length);
const [area, org = '', env = '', ...segments] = path.split('/').filter((segment) => segment !== '');
const page = document.documentElement;

// Where the library keeps the choice, and the attribute by which it applies it.
const chosen = localStorage.getItem('mantine-color-scheme-value');
if (chosen === 'light' || chosen === 'dark') page.dataset.mantineColorScheme = chosen;
page.dataset.frame = area === 'o' ? 'place' : 'account';
page.dataset.env = env;

void import('./main.tsx');
if (area === 'o') {
  const screen = screenOf(segments);
  // Asked for again, with a reason on the screen, where it does not arrive.
  if (screen !== undefined) screenFiles[screen]().catch(() => undefined);
  startFirstCalls({ org, env, screen, segments, search: new URLSearchParams(location.search) });
}
