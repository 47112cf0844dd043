/** `npm run build`: builds the console into `packages/console/dist`, from where the platform serves it. */
import { build } from 'vite';
import { settings } from './settings.ts';

// A page below any path of the platform finds its files by the `<base>` of index.html.
await build({ ...settings, base: './', logLevel: 'warn' });
