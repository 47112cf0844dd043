/**
 * The demo app of a first start: made once the platform is ready, completed by a later start if this one is killed, and
 * described at each start. What signs in again lies in the data folder, readable by its owner alone.
 */
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { secretToken } from '../lib/ids.ts';
import { type Demo, type MadeDemo, makeDemo } from './make-demo.ts';
import { desks, emailOf } from './people.ts';
import { makeRefusedCalls } from './refused-calls.ts';
import { signIn, signInBuilder, type Urls } from './sign-in.ts';

export interface DemoOptions {
  readonly dataDir: string;
  readonly urls: Urls;
  /** Whether the management gateway has a console to sign in to. */
  readonly consoleState: 'built' | 'building' | 'missing' | 'off';
  /** Whether there is no account yet. */
  readonly isEmpty: () => Promise<boolean>;
}

/** As it is kept. It has a client id once it is complete. */
type KeptDemo = Demo & { readonly client_id?: string };

/**
 * Makes what is missing of the demo.
 * @returns what to print: its addresses and two calls to paste. Empty where the folder has other orgs and no demo.
 */
export async function showDemo(options: DemoOptions): Promise<string> {
  const path = join(options.dataDir, 'demo.json');
  const kept = await readFile(path, 'utf8').catch(() => undefined);
  const isEmpty = await options.isEmpty();
  if (kept === undefined && !isEmpty) return '';
  const demo: KeptDemo = kept === undefined ? newDemo() : (JSON.parse(kept) as KeptDemo);
  // A demo of an earlier version has other users: its calls are not known here.
  if (demo.made_at === undefined) return '';
  if (demo.client_id !== undefined && !isEmpty) {
    const builder = await signInBuilder(options.urls, demo.builder);
    return present(options, demo, { builder, clientId: demo.client_id, sessions: [] });
  }
  await keep(path, demo);
  const made = await makeDemo(options.urls, demo);
  await keep(path, { ...demo, client_id: made.clientId });
  return present(options, demo, made);
}

function newDemo(): Demo {
  const secret = () => secretToken().slice(0, 16);
  const builder = { email: 'builder@demo.example', password: secret() };
  return { org: 'demo', builder, password: secret(), made_at: new Date().toISOString() };
}

/** All or nothing: a file that a killed start has half written would hide its accounts. */
function keep(path: string, demo: KeptDemo): Promise<void> {
  return writePrivate(path, `${JSON.stringify(demo, null, 2)}\n`);
}

/** Puts a new file in the place of the old one, whose mode may be another. */
async function writePrivate(path: string, text: string): Promise<void> {
  await rm(`${path}.new`, { force: true });
  await writeFile(`${path}.new`, text, { mode: 0o600 });
  await rename(`${path}.new`, path);
}

/** @param made the demo, with the sessions that are open already */
async function present(options: DemoOptions, demo: Demo, { builder, clientId, sessions }: MadeDemo): Promise<string> {
  const { urls, dataDir, consoleState } = options;
  const app = { base: `${urls.app}/app/${demo.org}`, clientId };
  const entered = new Map(sessions.flatMap((ofDesk) => [...ofDesk]));
  const sessionOf = async (name: string) => {
    const session = entered.get(name) ?? (await signIn(app, { email: emailOf(name), password: demo.password }));
    entered.set(name, session);
    return session;
  };
  for (const desk of desks) await makeRefusedCalls(app, desk, sessionOf);
  const path = join(dataDir, 'demo.jwt');
  await writePrivate(path, (await sessionOf('Bob')).token);
  const hasConsole = consoleState === 'built' || consoleState === 'building';
  const link = hasConsole ? await builder.call('/auth/sign-in-links', { method: 'POST' }) : undefined;
  return `
A demo app is ready: a help desk with two workspaces and 2,000 records.
${consoleState === 'missing' ? noConsoleText : ''}${link === undefined ? '' : linkText(String(link.url))}
  app gateway         ${urls.app}
  management gateway  ${urls.management}   (sign in as ${demo.builder.email}, password ${demo.builder.password})
  org code            ${demo.org}
  client id           ${clientId}

${callsText(app.base, path)}
`;
}

const noConsoleText = `
Its console is not built: \`npm ci && npm run build\` builds it for the next start, and a release comes with it.
`;

function linkText(url: string): string {
  return `
This link signs you in to its console, once, within 15 minutes:

  ${url}
`;
}

function callsText(base: string, tokenPath: string): string {
  return `An agent of the help desk may list tickets (200), and may not delete one (403, with the reason):

  TOKEN=$(cat '${tokenPath.replaceAll("'", "'\\''")}')
  curl -i ${base}/list/ticket -H "Authorization: Bearer $TOKEN"
  curl -i -X DELETE ${base}/delete/ticket/1 -H "Authorization: Bearer $TOKEN"
`;
}
