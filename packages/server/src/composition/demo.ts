/**
 * The first run: a demo app, made through the platform's own API as a builder and two app users would make it. What
 * signs in again at later starts lies in the data folder, readable by its owner alone.
 */
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { secretToken } from '../lib/ids.ts';

export interface DemoOptions {
  readonly dataDir: string;
  readonly urls: { readonly app: string; readonly management: string };
  /** Whether there is no account yet. */
  readonly isEmpty: () => Promise<boolean>;
}

interface Demo {
  readonly org: string;
  readonly client_id: string;
  readonly builder: Person;
  readonly admin: Person;
  readonly viewer: Person;
}

interface Person {
  readonly email: string;
  readonly password: string;
}

const ticket = {
  entityName: 'ticket',
  UpdateParams: [
    { name: 'title', colType: 'string', validate: true, minlength: 1, maxlength: 120 },
    { name: 'status', colType: 'enum', enumValues: ['open', 'waiting', 'closed'], default: 'open', index: true },
    { name: 'priority', colType: 'number', validate: true, required: false, min: 1, max: 5, index: true },
    { name: 'billable', colType: 'boolean', default: false },
  ],
};

const tickets = [
  { title: 'Printer on the second floor jams', priority: 2 },
  { title: 'Invoice 1042 was sent twice', status: 'waiting', priority: 4, billable: true },
  { title: 'Reset the door code', status: 'closed', priority: 1 },
  { title: 'Mail arrives an hour late', priority: 3 },
  { title: 'New laptop for the new colleague', status: 'waiting', priority: 2, billable: true },
];

/** The trace that the demo's own calls belong to. */
export const demoTraceId = randomBytes(16).toString('hex');

/** What to print: the demo's addresses and two calls to paste. Empty where the folder has other orgs and no demo. */
export async function showDemo(options: DemoOptions): Promise<string> {
  const path = join(options.dataDir, 'demo.json');
  if (await options.isEmpty()) {
    const demo = await makeDemo(options.urls);
    await writeFile(path, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 });
    return describe(options, demo);
  }
  const kept = await readFile(path, 'utf8').catch(() => undefined);
  return kept === undefined ? '' : describe(options, JSON.parse(kept) as Demo);
}

async function makeDemo(urls: DemoOptions['urls']): Promise<Demo> {
  const person = (name: string): Person => ({ email: `${name}@demo.example`, password: secretToken().slice(0, 16) });
  const [builder, admin, viewer] = [person('builder'), person('admin'), person('viewer')];
  const signUp = { ...builder, name: 'Demo Builder', org_name: 'Demo', org_code: 'demo' };
  const signedUp = await call(`${urls.management}/auth/signup`, { body: signUp });
  const org = signedUp.org as { readonly environments: { readonly test: { readonly client_id: string } } };
  const demo: Demo = { org: 'demo', client_id: org.environments.test.client_id, builder, admin, viewer };
  await call(`${urls.management}/api/create-ticket`, { body: ticket, token: String(signedUp.token) });
  const token = await signIn(urls, demo, admin);
  for (const body of tickets) await call(`${urls.app}/app/demo/create/ticket`, { body, token });
  await signIn(urls, demo, viewer);
  return demo;
}

async function describe({ urls, dataDir }: DemoOptions, demo: Demo): Promise<string> {
  const base = `${urls.app}/app/${demo.org}`;
  const [admin, viewer] = await Promise.all([
    bearerOf(join(dataDir, 'demo-admin.jwt'), await signIn(urls, demo, demo.admin)),
    bearerOf(join(dataDir, 'demo-viewer.jwt'), await signIn(urls, demo, demo.viewer)),
  ]);
  return `
A demo app is ready.

  app gateway         ${urls.app}
  management gateway  ${urls.management}   (sign in as ${demo.builder.email}, password ${demo.builder.password})
  org code            ${demo.org}
  client id           ${demo.client_id}

The admin may list the tickets (200):

  curl -i ${base}/list/ticket -H ${admin}

The viewer may not create one (403, with the reason):

  curl -i ${base}/create/ticket -H ${viewer} -H 'Content-Type: application/json' -d '{"title":"May I?"}'

`;
}

/** Keeps the token in a file for its owner alone, so that a call which sends it fits on a line. @returns the header. */
async function bearerOf(path: string, token: string): Promise<string> {
  await writeFile(path, token, { mode: 0o600 });
  return `"Authorization: Bearer $(cat '${path.replaceAll("'", "'\\''")}')"`;
}

async function signIn(urls: DemoOptions['urls'], demo: Demo, person: Person): Promise<string> {
  const headers = { client_id: demo.client_id };
  const { token } = await call(`${urls.app}/app/${demo.org}/login`, { body: person, headers });
  const exchanged = await call(`${urls.app}/app/${demo.org}/token`, {
    headers: { ...headers, oauthtoken: String(token) },
  });
  return String(exchanged.token);
}

interface Call {
  readonly body?: unknown;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

async function call(url: string, { body, token, headers }: Call): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      ...headers,
      traceparent: `00-${demoTraceId}-${demoTraceId.slice(16)}-00`,
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${new URL(url).pathname} answered ${response.status}`);
  return (await response.json()) as Readonly<Record<string, unknown>>;
}
