/** `npm run dev:console`: the console with hot reload, on a platform that runs beside it. */
import { createServer } from 'vite';
import { settings } from './settings.ts';

const server = await createServer({ ...settings, cacheDir: '../../node_modules/.cache/console-dev' });
await server.listen();
server.printUrls();
