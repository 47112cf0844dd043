// In a layer, so that our own styles win in whatever order the files are loaded.
import '@mantine/core/styles.layer.css';
import './styles.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { router } from './routes.tsx';
import { styleNonce } from './shell/style-nonce.ts';

// The library that locks scrolling behind dialogs takes the nonce of its style from here.
Object.assign(globalThis, { __webpack_nonce__: styleNonce() });

const root = document.getElementById('root');
if (root === null) throw new TypeError('the page has no root');
// The page keeps the frame that it came with until the first screen is there.
void router.load().finally(() =>
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  ),
);
