/**
 * The demo app of a first start: made once the platform is ready, completed by a later start if this one is killed, and
 * described at each start. What signs in again lies in the data folder, readable by its owner alone.
 */
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { secretToken } from '../lib/ids.ts';
import { defineAutomation, useAutomation } from './automation.ts';
import { desks, emailOf } from './desk-records.ts';
import { change, definitions, settings } from './help-desk.ts';
import { makeDesk, type Sessions } from './make-desk.ts';
import { makeRefusedCalls } from './refused-calls.ts';
import {
  type App,
  type Builder,
  CallRefused,
  type Credentials,
  signIn,
  signInBuilder,
  signUpOrIn,
  type Urls,
} from './sign-in.ts';

interface DemoOptions {
  readonly dataDir: string;
  readonly urls: Urls;
  /** Whether the management gateway has a console to sign in to. */
  readonly consoleState: 'built' | 'building' | 'missing' | 'off';
  /** Whether there is no account yet. */
  readonly isEmpty: () => Promise<boolean>;
}

/** As it is kept. It has a client id once it is complete. */
type StoredDemo = Demo & { readonly client_id?: string };

/**
 * Makes what is missing of the demo.
 * @returns what to print: its addresses and two calls to paste. Empty where the folder has other orgs and no demo.
 */
export async function showDemo(options: DemoOptions): Promise<string> {
  const path = join(options.dataDir, 'demo.json');
  const kept = await readFile(path, 'utf8').catch(() => undefined);
  const isEmpty = await options.isEmpty();
  if (kept === undefined && !isEmpty) return '';
  const demo: StoredDemo = kept === undefined ? newDemo() : (JSON.parse(kept) as StoredDemo);
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
function keep(path: string, demo: StoredDemo): Promise<void> {
  return writePrivate(path, `${JSON.stringify(demo, null, 2)}\n`);
}

/** Puts a new file in the place of the old one, whose mode may be another. */
async function writePrivate(path: string, text: string): Promise<void> {
  await rm(`${path}.new`, { force: true });
  await writeFile(`${path}.new`, text, { mode: 0o600 });
  await rename(`${path}.new`, path);
}

/** @param made the demo, with the sessions that are open already */
async function present(
  options: DemoOptions,
  demo: Demo,
  { builder, clientId, sessions }: CreatedDemo,
): Promise<string> {
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

interface Demo {
  readonly org: string;
  readonly builder: Credentials;
  /** The password of all users of the app. */
  readonly password: string;
  /** The time that the dates of its records are made from. */
  readonly made_at: string;
}

interface CreatedDemo {
  readonly builder: Builder;
  readonly clientId: string;
  /** In the order of the desks. */
  readonly sessions: readonly Sessions[];
}

/** @returns the client id of its test environment, and sessions of its builder and users. */
async function makeDemo(urls: Urls, demo: Demo): Promise<CreatedDemo> {
  const signUp = { name: 'Demo Builder', org_name: 'Demo', org_code: demo.org };
  const builder = await signUpOrIn(urls, { ...demo.builder, signUp });
  const { environments } = await builder.call('/org');
  const clientId = (environments as { readonly test: { readonly client_id: string } }).test.client_id;
  await configure(builder);
  const app: App = { base: `${urls.app}/app/${demo.org}`, clientId };
  const madeAt = Date.parse(demo.made_at);
  const sessions = await Promise.all(desks.map((desk) => makeDesk({ app, desk, password: demo.password, madeAt })));
  const [members] = sessions;
  if (members !== undefined) await useAutomation({ app, builder, workspace: desks[0].code, members });
  return { builder, clientId, sessions };
}

/** Settings, entities and automation, a release that makes them live in production, and a change since. */
async function configure(builder: Builder): Promise<void> {
  for (const [name, value] of Object.entries(settings)) {
    const [group, key] = name.split('.');
    await builder.call('/org/settings', { method: 'PUT', body: { group, name: key, value } });
  }
  const defined = new Set((await builder.itemsOf('/api/entities')).map(({ name }) => name));
  for (const definition of definitions.filter(({ entityName }) => !defined.has(entityName)))
    await builder.call(`/api/create-${definition.entityName}`, { body: definition });
  await defineAutomation(builder);
  await builder.call('/user/provision-prod', { method: 'POST' });
  if ((await builder.itemsOf('/deploy/history')).length === 0) await release(builder);
  const { create } = await builder.call(`/api/entity?entityName=${change.entity}`);
  if (!JSON.stringify(create).includes(`"${change.field}"`))
    await builder.call(`/api/create-${change.entity}`, { method: 'PUT', body: change.body });
}

/** The rollback is refused, since there is nothing to go back to: the audit log tells of refusals too. */
async function release(builder: Builder): Promise<void> {
  await builder.call('/deploy/publish', { body: { all: true, note: 'the help desk' } });
  await builder.call('/deploy/activate', { body: { note: 'the help desk goes live' } });
  await builder.call('/deploy/rollback', { method: 'POST' }).catch((error: unknown) => {
    if (!(error instanceof CallRefused)) throw error;
  });
}
