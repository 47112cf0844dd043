import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import type { InlineConfig } from 'vite';
import { finishedFolder } from './finished-folder.ts';
import { firstLoad } from './first-load.ts';
import { laterParts } from './later-parts.ts';
import { libraryStyles } from './library-styles.ts';
import { routeTable } from './route-table.ts';
import { usedStyles } from './used-styles.ts';

const folder = join(import.meta.dirname, '..');

/** The folder in which the platform looks for the console. */
export const builtFolder = join(folder, 'dist');

/** Built beside its place and moved there when it is whole, so that no platform serves half a console. */
const unfinished = join(folder, '..', '..', 'node_modules', '.cache', `console-${process.pid}`);

export const settings: InlineConfig = {
  root: folder,
  configFile: false,
  html: { cspNonce: '__NONCE__' },
  build: {
    outDir: unfinished,
    emptyOutDir: true,
    // Nothing is put into the page as text: its policy allows files alone.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    license: { fileName: 'licenses.md' },
    target: 'es2024',
    // Browsers that know `light-dark()`, which otherwise follows the system and not the choice of the user.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
  },
  plugins: [
    react(),
    routeTable(),
    libraryStyles(),
    firstLoad(),
    laterParts(),
    usedStyles(),
    finishedFolder({ from: unfinished, to: builtFolder }),
  ],
};
