/**
 * From nothing to a working application, over HTTP alone: a builder signs up and defines an entity, the founder of
 * the workspace lets one user import records, that user loads 250 countries and asks questions about them.
 *
 *   npm start          in one terminal
 *   npm run example    in another
 *
 * Other addresses: `npm run example -- <app url> <management url>`, or FREEHOLD_APP_URL and FREEHOLD_MANAGEMENT_URL.
 * Each run makes an org of its own, so it can be repeated.
 */
import { randomBytes } from 'node:crypto';
import countries from 'world-countries/countries.json' with { type: 'json' };

const appUrl = process.argv[2] ?? process.env.FREEHOLD_APP_URL ?? 'http://127.0.0.1:4000';
const managementUrl = process.argv[3] ?? process.env.FREEHOLD_MANAGEMENT_URL ?? 'http://127.0.0.1:4001';

/** How many records are sent at a time: enough to keep the platform busy, few enough to be a good neighbour. */
const parallelRequests = 16;

const countryEntity = {
  entityName: 'country',
  baseKeys: { pkTemplate: 'org#{org};data#country', skTemplate: 'country#{id}' },
  UpdateParams: [
    { name: 'name', colType: 'string', validate: true, minlength: 1, maxlength: 100 },
    { name: 'code', colType: 'string', validate: true, minlength: 2, maxlength: 2, index: true },
    { name: 'region', colType: 'string', validate: true, index: true },
    { name: 'subregion', colType: 'string', index: true },
    { name: 'capital', colType: 'string' },
    { name: 'area', colType: 'number', validate: true, min: 0, index: true },
    { name: 'landlocked', colType: 'boolean', index: true },
    { name: 'status', colType: 'enum', enumValues: ['officially-assigned', 'user-assigned'], validate: true },
  ],
};

/** Everything that the importer may do: nothing outside of countries, and no deleting. */
const importerPolicy = {
  name: 'importer',
  statements: [
    {
      Sid: 'ImportCountries',
      Effect: 'Allow',
      Action: ['createcountry', 'getcountry', 'listcountry', 'countcountry'],
      Resource: ['*'],
    },
  ],
};

interface CountryRecord {
  readonly id: string;
  readonly name: string;
  readonly area: number;
}

interface Page {
  readonly items: readonly CountryRecord[];
  readonly nexttoken: string | null;
}

interface AppUser {
  readonly id: string;
  readonly token: string;
}

async function main(): Promise<void> {
  const org = await step('a builder signs up', signUpBuilder);
  await step('the builder defines the entity `country`', () =>
    send('POST', `${managementUrl}/api/create-country`, { token: org.builderToken, body: countryEntity }),
  );
  const founder = await step('the first app user signs in and founds the workspace', () => signIn(org, 'founder'));
  const importer = await step('a second app user signs in', () => signIn(org, 'importer'));
  const data = `${appUrl}/app/${org.code}`;

  await step('the founder lets the second user import countries, and no more', async () => {
    await withdrawPolicies(data, founder, importer);
    const policy = await send<{ id: string }>('POST', `${data}/create/aclpolicy`, {
      token: founder.token,
      body: importerPolicy,
    });
    await send('POST', `${data}/create/useraclpolicy`, {
      token: founder.token,
      body: { user_id: importer.id, acl_policy_id: policy.id },
    });
  });

  const records = countries.map(toRecord);
  const created = await step(`the second user loads ${records.length} countries`, () =>
    inParallel(records, (body) =>
      send<CountryRecord>('POST', `${data}/create/country`, { token: importer.token, body }),
    ),
  );
  await askQuestions(data, importer);

  const first = created[0];
  if (first === undefined) throw new Error('no country was loaded');
  await step('the second user tries to delete one', () => showDenial(`${data}/delete/country/${first.id}`, importer));
}

async function askQuestions(data: string, user: AppUser): Promise<void> {
  const token = user.token;
  await step('count all', async () => {
    const { count } = await send<{ count: number }>('GET', `${data}/count/country`, { token });
    say(`${count} countries`);
  });
  await step('count the landlocked ones of Europe', async () => {
    const query = 'region=Europe&landlocked=true';
    const { count } = await send<{ count: number }>('GET', `${data}/count/country?${query}`, { token });
    say(`${count} countries`);
  });
  await step('list Oceania, page by page', async () => {
    const names = await listAll(`${data}/list/country?region=Oceania&sortby=name&sortdir=asc&pagesize=10`, token);
    say(`${names.length} countries, from ${names[0]} to ${names.at(-1)}`);
  });
  await step('list the five largest', async () => {
    const query = 'sortby=area&sortdir=desc&pagesize=5';
    const { items } = await send<Page>('GET', `${data}/list/country?${query}`, { token });
    for (const country of items) say(`${country.name}: ${country.area.toLocaleString('en')} km²`);
  });
  await step('list what starts with `United`', async () => {
    const names = await listAll(`${data}/list/country?name=United&name_op=startswith`, token);
    say(names.sort().join(', '));
  });
}

interface Org {
  readonly code: string;
  readonly clientId: string;
  readonly builderToken: string;
}

async function signUpBuilder(): Promise<Org> {
  const code = `atlas${randomBytes(4).toString('hex')}`;
  const reply = await send<{ token: string; org: { environments: { test: { client_id: string } } } }>(
    'POST',
    `${managementUrl}/auth/signup`,
    {
      body: {
        email: `builder@${code}.example`,
        password: randomBytes(16).toString('hex'),
        name: 'Atlas Builder',
        org_name: 'Atlas',
        org_code: code,
      },
    },
  );
  say(`org code ${code}`);
  return { code, clientId: reply.org.environments.test.client_id, builderToken: reply.token };
}

/** There is no registration: a password login creates the account, and the token exchange makes it a member. */
async function signIn(org: Org, name: string): Promise<AppUser> {
  const headers = { client_id: org.clientId };
  const login = await send<{ token: string }>('POST', `${appUrl}/app/${org.code}/login`, {
    headers,
    body: { email: `${name}@${org.code}.example`, password: randomBytes(16).toString('hex') },
  });
  const exchanged = await send<{ token: string; user_id: string; tenant_code: string }>(
    'GET',
    `${appUrl}/app/${org.code}/token`,
    { headers: { ...headers, oauthtoken: login.token } },
  );
  say(`${name} is a member of workspace ${exchanged.tenant_code}`);
  return { id: exchanged.user_id, token: exchanged.token };
}

/** A new member starts with the policy that the workspace gives to new members; here, nothing but `importer` is wanted. */
async function withdrawPolicies(data: string, admin: AppUser, user: AppUser): Promise<void> {
  const links = await send<{ items: readonly { id: string; user_id: string }[] }>('GET', `${data}/list/useraclpolicy`, {
    token: admin.token,
  });
  for (const link of links.items.filter((item) => item.user_id === user.id)) {
    await send('DELETE', `${data}/delete/useraclpolicy/${link.id}`, { token: admin.token });
  }
}

function toRecord(country: (typeof countries)[number]): Record<string, unknown> {
  const { name, cca2, region, subregion, capital, area, landlocked, status } = country;
  return {
    name: name.common,
    code: cca2,
    region,
    ...(subregion === '' ? {} : { subregion }),
    ...(capital[0] ? { capital: capital[0] } : {}),
    area: Math.max(area, 0),
    landlocked,
    status,
  };
}

async function listAll(url: string, token: string): Promise<string[]> {
  const names: string[] = [];
  let next: string | null = '';
  while (next !== null) {
    const cursor = next === '' ? '' : `&nexttoken=${encodeURIComponent(next)}`;
    const page: Page = await send<Page>('GET', `${url}${cursor}`, { token });
    names.push(...page.items.map((item) => item.name));
    next = page.nexttoken;
  }
  return names;
}

async function showDenial(url: string, user: AppUser): Promise<void> {
  try {
    await send('DELETE', url, { token: user.token });
  } catch (error) {
    if (!(error instanceof Refused) || error.status !== 403) throw error;
    say(`denied with ${error.status}, reason: ${error.reason}`);
    return;
  }
  throw new Error('a delete that no policy allows was accepted');
}

interface SendOptions {
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** An answer that is not a 2xx. Every refusal has the same shape: `code`, `detail` and, for a 403, a `reason`. */
class Refused extends Error {
  readonly status: number;
  readonly reason: string;

  constructor(status: number, problem: { code?: string; detail?: string; reason?: string }) {
    super(`${status} ${problem.code ?? ''}: ${problem.detail ?? ''}`);
    this.status = status;
    this.reason = problem.reason ?? '';
  }
}

async function send<Body>(method: string, url: string, options: SendOptions = {}): Promise<Body> {
  const headers = new Headers(options.headers);
  if (options.token !== undefined) headers.set('authorization', `Bearer ${options.token}`);
  if (options.body !== undefined) headers.set('content-type', 'application/json');
  const body = options.body === undefined ? {} : { body: JSON.stringify(options.body) };
  const response = await fetch(url, { method, headers, ...body });
  const text = await response.text();
  const answer = text === '' ? undefined : JSON.parse(text);
  if (!response.ok) throw new Refused(response.status, answer ?? {});
  return answer as Body;
}

async function inParallel<Input, Output>(
  inputs: readonly Input[],
  work: (input: Input) => Promise<Output>,
): Promise<Output[]> {
  const queue = inputs.entries();
  const outputs: Output[] = [];
  const worker = async () => {
    for (const [index, input] of queue) outputs[index] = await work(input);
  };
  await Promise.all(Array.from({ length: parallelRequests }, worker));
  return outputs;
}

async function step<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  console.log(what);
  const started = performance.now();
  const result = await work();
  say(`${Math.round(performance.now() - started)} ms`);
  return result;
}

function say(line: string): void {
  console.log(`    ${line}`);
}

try {
  await main();
} catch (error) {
  const unreachable = error instanceof TypeError && error.message === 'fetch failed';
  console.error(
    unreachable
      ? `No platform answers at ${appUrl} and ${managementUrl}. Start one with \`npm start\`, or name its two addresses.`
      : error,
  );
  process.exitCode = 1;
}
