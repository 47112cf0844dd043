/**
 * `npm run example:helpdesk`: the help desk of the demo in a browser. It uses the platform that runs at the ports of
 * `npm start`, or starts one, and serves the app with Vite. `PORT` names another port for the page.
 *
 * The page is at `localhost`, since that is what an app of a new org admits to its API from any port.
 */
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { createServer } from 'vite';
import { demoPlatform } from './demo-platform.ts';
import { joinBothDesks } from './join-both-desks.ts';

const platform = await demoPlatform();
const { url, org, clientId, password } = platform;
await joinBothDesks(platform);
// Vite gives the app the variables of the environment that begin with VITE_.
process.env.VITE_FREEHOLD_URL = url;
process.env.VITE_FREEHOLD_ORG = org;
process.env.VITE_FREEHOLD_CLIENT_ID = clientId;
const root = import.meta.dirname;
const server = await createServer({
  root,
  configFile: false,
  cacheDir: join(root, '../../node_modules/.cache/helpdesk'),
  server: { host: 'localhost', port: Number(process.env.PORT ?? 5173), fs: { allow: [join(root, '../..')] } },
  plugins: [react()],
  logLevel: 'warn',
});
await server.listen();
process.stdout.write(`
The help desk is at ${server.resolvedUrls?.local[0]}

Sign in with the password ${password} as

  lea@demo.example   lead, in both workspaces
  bob@demo.example   agent of Lumen Lighting
  zoe@demo.example   requester of Lumen Lighting
  tom@demo.example   agent of Harbour Bikes
  pia@demo.example   requester of Harbour Bikes

Ctrl-C ends it.
`);
