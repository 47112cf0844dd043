/**
 * `npm run dev [-- MANAGEMENT APP]`: the console with hot reload, on a platform that runs beside it at these two
 * addresses, which are by default those of `npm start`.
 */
import { createServer } from 'vite';
import { platformProxy } from './platform-proxy.ts';
import { settings } from './settings.ts';

const [management = 'http://127.0.0.1:4001', app = 'http://127.0.0.1:4000'] = process.argv.slice(2);
const server = await createServer({
  ...settings,
  cacheDir: '../../node_modules/.cache/console-dev',
  plugins: [settings.plugins, platformProxy({ management, app })],
});
await server.listen();
server.printUrls();
