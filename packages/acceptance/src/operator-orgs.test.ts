import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { assertProblem, assertRefusal } from './assert-problem.ts';
import { call } from './call.ts';
import { documentedManagement } from './documented-gateway.ts';
import { assertNow } from './moments.ts';
import { testOnOneDay as test } from './on-one-day.ts';
import { assertForOperatorAlone, operate, shown } from './operator.ts';
import { create, defineEntity, definition, foundedOrg, joinOrg, manage, type Org, random, signUp } from './org.ts';
import { givePlan, observe, operatorKey, type ShownPlan, withOperator } from './plans.ts';
import { platformOfFile } from './platform-for-tests.ts';
import { deploy, prodFounder, provision, rollback } from './promotion.ts';

interface OrgUsage {
  readonly api_calls: { readonly today: number; readonly month: number };
  readonly records_added: number;
  readonly runs: number;
  readonly deliveries: number;
  readonly script_ms: number;
  readonly mails: number;
}

interface PlatformOrg {
  readonly code: string;
  readonly name: string;
  readonly created_at: string;
  readonly plan: Omit<ShownPlan, 'org'>;
  readonly usage: OrgUsage;
  readonly org_users: number;
  readonly has_prod: boolean;
}

interface Environment {
  readonly created_at: string | null;
  readonly records: number;
  readonly entities: number;
  readonly indexes: number;
}

interface OrgDetails extends Omit<PlatformOrg, 'has_prod'> {
  readonly requires_second_factor: boolean;
  readonly used: Readonly<Record<string, number>>;
  readonly limits: readonly { limit_name: string; used: number; limit: number; percent: number }[];
  readonly environments: {
    readonly test: Environment;
    readonly prod:
      | (Environment & { release: { version: number; activated_at: string; live_since: string } | null })
      | null;
  };
}

interface Page {
  readonly items: readonly PlatformOrg[];
  readonly nexttoken: string | null;
}

const gateways = await platformOfFile(withOperator);

/** A beginning that no other org of the platform has. */
function newPrefix(): string {
  return `p${randomBytes(5).toString('hex')}`;
}

async function orgsWith(prefix: string, suffixes: readonly string[]): Promise<readonly Org[]> {
  const made: Org[] = [];
  for (const suffix of suffixes) made.push(await signUp(gateways, `${prefix}${suffix}`));
  return made;
}

test('the operator sees the orgs by code, page by page, each once', async () => {
  const prefix = newPrefix();
  await orgsWith(prefix, ['c', 'a', 'e', 'b', 'd']);
  await orgsWith(newPrefix(), ['a']);
  const codes: string[] = [];
  const pages: number[] = [];
  for (let next = ''; ; ) {
    const page = await shown<Page>(gateways, `/orgs?q=${prefix}&pagesize=2${next}`);
    codes.push(...page.items.map(({ code }) => code));
    pages.push(page.items.length);
    if (page.nexttoken === null) break;
    next = `&nexttoken=${page.nexttoken}`;
  }
  assert.deepEqual(
    codes,
    ['a', 'b', 'c', 'd', 'e'].map((suffix) => prefix + suffix),
  );
  assert.deepEqual(pages, [2, 2, 1]);
  assert.deepEqual(await shown<Page>(gateways, `/orgs?q=${prefix}z`), { items: [], nexttoken: null });
  assert.equal((await shown<Page>(gateways, `/orgs?q=${prefix}a`)).items.length, 1);
  const all = await shown<Page>(gateways, '/orgs?q=&pagesize=50');
  assert.deepEqual(
    all.items.map(({ code }) => code),
    all.items.map(({ code }) => code).toSorted(),
  );
});

test('the operator finds an org by a part of its name or code, in any case, page by page', async () => {
  const word = random();
  const founded = async (name: string) => {
    const code = newPrefix();
    const body = {
      email: `${code}@example.com`,
      password: 'correct horse battery',
      name: 'Bea',
      org_name: name,
      org_code: code,
    };
    const reply = await call('POST', `${gateways.management}/auth/signup`, { body });
    assert.ok(reply.status < 300, reply.text);
    return code;
  };
  const bakery = await founded(`Bakery ${word} & Söhne`);
  const codes = [bakery, await founded(`${word.toUpperCase()} Ltd`)].toSorted();
  await founded('Something else');
  const foundBy = async (query: string): Promise<readonly string[]> => {
    const all: string[] = [];
    for (let next = ''; ; ) {
      const page = await shown<Page>(gateways, `/orgs?${query}${next}`);
      all.push(...page.items.map(({ code }) => code));
      if (page.nexttoken === null) return all;
      next = `&nexttoken=${page.nexttoken}`;
    }
  };
  assert.deepEqual(await foundBy(`part=${word}`), codes);
  assert.deepEqual(await foundBy(`part=${word.toUpperCase()}&pagesize=1`), codes);
  assert.deepEqual(await foundBy(`part=${word}${encodeURIComponent(' & sÖHNE')}`), [bakery]);
  const [first = ''] = codes;
  assert.deepEqual(await foundBy(`part=${first.slice(2).toUpperCase()}`), [first]);
  assert.deepEqual(await foundBy(`part=${word}&q=${first}`), [first]);
  assert.deepEqual(await foundBy(`part=${word}&q=${first}z`), []);
  assert.deepEqual(await foundBy(`part=${word}%25`), []);
});

test('an org has its plan, its usage of this month and the number of its builders', async () => {
  const { org, founder } = await foundedOrg(gateways);
  await defineEntity(org, definition('order', [{ name: 'title' }]));
  for (const title of ['One', 'Two', 'Three']) await create(founder, 'order', { title });
  await joinOrg(org, 'developer');
  await givePlan(org, { records: 4 });
  const { usage } = await observe(org);
  const [first, ...others] = (await shown<Page>(gateways, `/orgs?q=${org.code}`)).items;
  assert.deepEqual(others, []);
  const { created_at, plan, usage: month, ...rest } = first ?? assert.fail();
  assert.deepEqual(rest, { code: org.code, name: `Org ${org.code}`, org_users: 2, has_prod: false });
  assertNow(created_at);
  assert.deepEqual([plan.name, plan.limits, typeof plan.updated_at], ['own', { records: 4 }, 'string']);
  assert.deepEqual(month, {
    api_calls: { today: usage.api_calls.today, month: usage.api_calls.month },
    ...{ records_added: 3, runs: 0, deliveries: 0, script_ms: 0, mails: 0 },
  });
  assert.ok(month.api_calls.today >= 4, `${month.api_calls.today} calls`);
});

test('the details of an org say how much of each limit is used', async () => {
  const { org, founder } = await foundedOrg(gateways);
  await defineEntity(org, definition('order', [{ name: 'title' }]));
  for (const title of ['One', 'Two', 'Three']) await create(founder, 'order', { title });
  const limits = { api_calls_per_day: 1000, records: 4, entities: 1, policies: 0, runs_per_day: 0, mails_per_day: 7 };
  await givePlan(org, limits);
  const details = await shown<OrgDetails>(gateways, `/orgs/${org.code}`);
  const by = new Map(details.limits.map(({ limit_name, ...expected }) => [limit_name, expected]));
  assert.deepEqual([...by.keys()].sort(), Object.keys(limits).sort());
  const calls = (await observe(org)).usage.api_calls.today;
  assert.deepEqual(by.get('api_calls_per_day'), { used: calls, limit: 1000, percent: Math.floor(calls / 10) });
  assert.deepEqual(by.get('records'), { used: 3, limit: 4, percent: 75 });
  assert.deepEqual(by.get('entities'), { used: 1, limit: 1, percent: 100 });
  assert.equal(by.get('policies')?.percent, 100);
  assert.ok((by.get('policies')?.used ?? 0) > 0);
  assert.deepEqual(by.get('runs_per_day'), { used: 0, limit: 0, percent: 100 });
  assert.deepEqual(by.get('mails_per_day'), { used: 0, limit: 7, percent: 0 });
  assert.deepEqual(details.used, {
    ...{ api_calls_per_day: calls, api_calls_per_month: calls, records: 3, entities: 1, indexes: details.used.indexes },
    policies: by.get('policies')?.used,
    ...{ runs_per_day: 0, deliveries_per_day: 0, script_seconds_per_day: 0, mails_per_day: 0 },
  });
  // They are the same where the plan limits nothing, so the effect of another plan is known before it is set.
  await givePlan(org, {});
  const unlimited = await shown<OrgDetails>(gateways, `/orgs/${org.code}`);
  assert.deepEqual([unlimited.limits, unlimited.used], [[], details.used]);
  assert.equal(details.environments.prod, null);
  assert.deepEqual([details.environments.test.records, details.environments.test.entities], [3, 1]);
});

test('the details of an org name the release that is live, also after a rollback', async () => {
  const { org } = await foundedOrg(gateways);
  await defineEntity(org, definition('order', [{ name: 'title' }]));
  const { provisioned_at } = await provision(org);
  const prodOf = async () => (await shown<OrgDetails>(gateways, `/orgs/${org.code}`)).environments.prod;
  assert.deepEqual(await prodOf(), { created_at: provisioned_at, records: 0, entities: 0, indexes: 0, release: null });
  await deploy(org);
  await create(await prodFounder(org), 'order', { title: 'One' });
  const first = await prodOf();
  assert.deepEqual([first?.records, first?.entities, first?.release?.version], [1, 1, 1]);
  assert.equal(first?.release?.activated_at, first?.release?.live_since);
  await defineEntity(org, definition('note', [{ name: 'title' }]));
  await deploy(org);
  const second = await prodOf();
  assert.deepEqual([second?.entities, second?.release?.version], [2, 2]);
  await rollback(org);
  const third = await prodOf();
  assert.deepEqual(
    [third?.entities, third?.release?.version, third?.release?.activated_at],
    [1, 1, first?.release?.activated_at],
  );
  assert.ok(Date.parse(third?.release?.live_since ?? '') >= Date.parse(second?.release?.live_since ?? ''));
});

test('the orgs of the platform are for the operator alone, and show nothing that is theirs', async () => {
  const founded = await foundedOrg(gateways);
  const { org } = founded;
  const { org: other } = await foundedOrg(gateways);
  for (const path of ['/orgs', `/orgs?q=${org.code}&pagesize=50`, `/orgs/${org.code}`, `/orgs/${other.code}`])
    await assertForOperatorAlone(path, founded);
  await manage(org, 'PUT', '/org/security', { body: { second_factor: 'off' } });
  for (const path of [`/orgs?q=${org.code}`, `/orgs/${org.code}`]) {
    const { text } = await operate(gateways, path);
    assert.ok(text.includes(org.code));
    for (const secret of [org.builder.email, org.clientId, founded.founder.email, operatorKey])
      assert.ok(!text.includes(secret), text);
  }
});

test('nonsense in a call for orgs is refused by a sentence that names it', async () => {
  const { org } = await foundedOrg(gateways);
  const queries = [
    'q=Acme',
    'q=a-b',
    'q=%00',
    'q=%25',
    `q=${'a'.repeat(33)}`,
    'pagesize=0',
    'pagesize=51',
    'pagesize=x',
    `part=${'a'.repeat(65)}`,
    'part=a&part=b',
  ];
  for (const query of [...queries, 'q=a&q=b', 'limit=1', 'pagesize=1e1', 'pagesize=']) {
    const { detail } = assertProblem(await operate(gateways, `/orgs?${query}`), 'invalid_request');
    const [name = ''] = query.split('=');
    assert.ok(detail.includes(name), `${query}: ${detail}`);
  }
  for (const token of ['x', 'a'.repeat(8000), '%00', ''])
    assertRefusal(await operate(gateways, `/orgs?nexttoken=${token}`), [400]);
  const { nexttoken } = await shown<Page>(gateways, '/orgs?pagesize=1');
  assert.ok(nexttoken !== null);
  for (const other of [`q=${org.code}`, 'part=a'])
    assertProblem(await operate(gateways, `/orgs?${other}&nexttoken=${nexttoken}`), 'invalid_cursor');
  for (const code of ['absent', 'a', 'a'.repeat(40), `${org.code}-main`, 'toString', '__proto__', '%2e%2e', '%00'])
    assertRefusal(await operate(gateways, `/orgs/${code}`), [400, 404]);
  assertProblem(await operate(gateways, '/orgs/absent'), 'not_found');
});

test('the document describes the routes of orgs', async () => {
  const { org } = await foundedOrg(gateways);
  const management = await documentedManagement(org);
  const token = operatorKey;
  await management.send('listPlatformOrgs', { token, query: { q: org.code, pagesize: '50' } });
  await management.send('readPlatformOrg', { token, path: { org: org.code } });
  await management.send('readPlatformOrg', { token, path: { org: 'absent' } });
  assert.ok(management.hasMet('listPlatformOrgs', 200) && management.hasMet('readPlatformOrg', 200));
});
