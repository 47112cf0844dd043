/** The client library against a started platform. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  type App,
  type AppOptions,
  cel,
  createApp,
  etagOf,
  FreeholdError,
  type JoinOffer,
  type Session,
  VersionConflictError,
} from '@freehold/client';
import { allowIssuers, clientAtProvider, personAt, startIdentityProvider } from './identity-provider.ts';
import { codeTo, fromElsewhere, platformForMails } from './mails.ts';
import { defineEntity, definition, manage, newEmail, type Org, password, signUp } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const org = await signUp(gateways);
await defineEntity(org, definition('customer', [{ name: 'name' }]));
await defineEntity(
  org,
  definition('ticket', [
    { name: 'title', validate: true, index: true },
    { name: 'amount', colType: 'number', index: true },
    { name: 'state', colType: 'enum', enumValues: ['open', 'done'], default: 'open', index: true },
    { name: 'customer_id', colType: 'guid', lookup: { entity: 'customer' } },
  ]),
);

const appOf = ({ app: url, code, clientId }: Org, options: Partial<AppOptions> = {}) =>
  createApp({ url, org: code, clientId, ...options });

async function signedIn(): Promise<App> {
  const app = appOf(org);
  await app.signIn({ email: newEmail('user'), password });
  return app;
}

const founder = await signedIn();

test('a user signs in, and the app says who it is', async () => {
  const app = appOf(org);
  assert.equal(app.session, undefined);
  const email = newEmail('user');
  const seen: (string | undefined)[] = [];
  app.onSessionChange((session) => seen.push(session?.email));
  const session = await app.signIn({ email, password });
  assert.deepEqual([session.email, session.tenantCode], [email, 'main']);
  assert.deepEqual(app.session, session);
  await app.signOut();
  assert.equal(app.session, undefined);
  assert.deepEqual(seen, [email, undefined]);
  await assert.rejects(app.entity('ticket').list(), { name: 'FreeholdError', code: 'token_missing', status: 401 });
});

test('records are created, read, changed, listed, counted and deleted', async () => {
  const tickets = founder.entity('ticket');
  const ticket = await tickets.create({ title: 'Lamp', amount: 40 });
  assert.equal((await tickets.get(ticket.id)).title, 'Lamp');
  assert.equal((await tickets.update(ticket.id, { amount: null })).amount, undefined);
  const where = { title: { startswith: 'La' }, state: { in: ['open', 'done'] } };
  assert.deepEqual((await tickets.list({ where, sort: '-amount', total: true })).total, 1);
  assert.equal(await tickets.count({ filter: 'title == "Lamp"' }), 1);
  assert.equal(await tickets.delete(ticket.id), undefined);
  await assert.rejects(tickets.get(ticket.id), { code: 'not_found', status: 404 });
});

test('a change of a record that another caller has changed is a conflict that says the current tag', async () => {
  const tickets = founder.entity('ticket');
  const read = await tickets.create({ title: 'Desk' });
  const changed = await tickets.update(read.id, { amount: 1 }, { ifMatch: read });
  await assert.rejects(tickets.update(read.id, { amount: 2 }, { ifMatch: read }), (error) => {
    assert.ok(error instanceof VersionConflictError && error instanceof FreeholdError);
    assert.deepEqual([error.status, error.currentEtag], [412, etagOf(changed)]);
    return true;
  });
  assert.equal((await tickets.get(read.id)).amount, 1);
});

test('a refusal has its code, its id and what is wrong with which member', async () => {
  await assert.rejects(founder.entity('ticket').create({ amount: 'much' }), (error) => {
    assert.ok(error instanceof FreeholdError);
    assert.deepEqual([error.status, error.code], [400, 'validation_failed']);
    assert.match(error.errorAt('/amount') ?? '', /number/);
    assert.match(error.errorAt('/title') ?? '', /required/);
    assert.ok(error.requestId !== undefined && error.detail !== '' && error.title !== '');
    return true;
  });
});

test('the list goes on from page to page, and an iterator takes all of them', async () => {
  const customers = founder.entity('customer');
  for (let index = 0; index < 7; index++) await customers.create({ name: `c${index}` });
  const first = await customers.list({ pageSize: 3, sort: 'name', fields: ['name'] });
  const second = await customers.list({ pageSize: 3, sort: 'name', fields: ['name'], cursor: first.nextToken });
  assert.deepEqual(
    [...first.items, ...second.items].map(({ name }) => name),
    ['c0', 'c1', 'c2', 'c3', 'c4', 'c5'],
  );
  const names: unknown[] = [];
  for await (const { name } of customers.each({ pageSize: 3, sort: '-name' })) names.push(name);
  assert.deepEqual(names, ['c6', 'c5', 'c4', 'c3', 'c2', 'c1', 'c0']);
  const sizes: number[] = [];
  for await (const { items } of customers.pages({ pageSize: 4 })) sizes.push(items.length);
  assert.deepEqual(sizes, [4, 3]);
});

test('conditions are sent as they are meant, also with values that look like an expression', async () => {
  const tickets = founder.entity('ticket');
  const title = `a "quoted" \\ title, with ' and \u2028`;
  const ticket = await tickets.create({ title, amount: 7.5 });
  const ids = async (query: Parameters<typeof tickets.list>[0]) =>
    (await tickets.list(query)).items.map(({ id }) => id);
  assert.deepEqual(await ids({ where: { title } }), [ticket.id]);
  assert.deepEqual(await ids({ filter: cel`title == ${title}` }), [ticket.id]);
  assert.deepEqual(
    await ids({
      filter: cel`title in ${[title]} && amount == ${7.5} && created_at < ${new Date(Date.now() + 60_000)}`,
    }),
    [ticket.id],
  );
  assert.deepEqual(await ids({ filter: cel`title == ${`" || true || "`}` }), []);
  assert.deepEqual(await ids({ where: { amount: { between: [7, 8] }, customer_id: { exists: false } } }), [ticket.id]);
  for (const stamp of ['id', 'created_by', 'updated_by', 'created_at', 'updated_at'])
    assert.deepEqual(await ids({ where: { [stamp]: ticket[stamp] ?? '', title } }), [ticket.id], stamp);
  await assert.rejects(tickets.list({ where: { title: { in: ['a,b'] } } }), TypeError);
});

test('related records come with the reply', async () => {
  const customer = await founder.entity('customer').create({ name: 'Ann' });
  const ticket = await founder.entity('ticket').create({ title: 'x', customer_id: customer.id });
  const shown = await founder.entity('ticket').get(ticket.id, { expand: ['customer_id.ticket_via_customer_id'] });
  const related = shown.expand as {
    customer_id: { name: string; expand: { ticket_via_customer_id: { items: unknown[] } } };
  };
  assert.equal(related.customer_id.name, 'Ann');
  assert.equal(related.customer_id.expand.ticket_via_customer_id.items.length, 1);
});

test('a batch is all or nothing and names the operation that was refused, or has a result for each', async () => {
  const tickets = founder.entity('ticket');
  const current = await tickets.create({ title: 'standing' });
  const atomic = founder
    .batch('atomic')
    .create('ticket', { title: 'never' })
    .update('ticket', current.id, { amount: 1 }, { ifMatch: 1 });
  await assert.rejects(atomic.send(), { name: 'VersionConflictError', operation: 1 });
  assert.equal(await tickets.count({ where: { title: 'never' } }), 0);
  const results = await founder
    .batch('independent')
    .create('ticket', { title: 'made' })
    .create('ticket', {})
    .update('ticket', current.id, { amount: 2 }, { ifMatch: current })
    .delete('ticket', current.id)
    .send();
  assert.deepEqual(
    results.map(({ status }) => status),
    [201, 'refused', 200, 204],
  );
  const refused = results[1];
  assert.ok(
    refused?.status === 'refused' && refused.error.operation === 1 && refused.error.code === 'validation_failed',
  );
  const related = await founder
    .batch('atomic')
    .create('customer', { name: 'Bea' }, { ref: 'bea' })
    .create('ticket', { title: 'of Bea', customer_id: { $ref: 'bea' } })
    .create('ticket', { title: 'of Bea, too', customer_id: { $ref: 0 } })
    .send();
  const [bea, ...ofBea] = related.map((result) => (result.status === 201 ? result.record : undefined));
  assert.deepEqual(
    ofBea.map((ticket) => ticket?.customer_id),
    [bea?.id, bea?.id],
  );
  const full = founder.batch('independent');
  for (let index = 0; index < 100; index++) full.delete('ticket', 'x');
  assert.throws(() => full.delete('ticket', 'x'), RangeError);
});

test('a create whose reply is lost is sent again and makes one record', async () => {
  let lost = 0;
  const losing: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (init?.method !== 'POST' || !String(input).includes('/create/') || lost++ > 0) return response;
    throw new TypeError('the connection broke');
  };
  const app = appOf(org, { fetch: losing });
  await app.signIn({ email: newEmail('user'), password });
  await founder.entity('useraclpolicy').create({
    user_id: app.session?.userId,
    acl_policy_id: (await founder.entity('aclpolicy').list({ where: { name: 'adminacl' } })).items[0]?.id,
  });
  await app.workspaces.switchTo('main');
  const made = await app.entity('ticket').create({ title: 'once' });
  assert.equal(lost, 2);
  assert.equal(await founder.entity('ticket').count({ where: { title: 'once' } }), 1);
  assert.equal((await founder.entity('ticket').get(made.id)).title, 'once');
});

test('a key of the caller makes a create count once over several calls', async () => {
  const tickets = founder.entity('ticket');
  const idempotencyKey = crypto.randomUUID();
  const made = [1, 2].map(() => tickets.create({ title: 'keyed' }, { idempotencyKey }));
  const [one, two] = await Promise.all(made);
  assert.equal(one?.id, two?.id);
});

test('a user is told what he may do', async () => {
  const user = await signedIn();
  const ticket = await founder.entity('ticket').create({ title: 'x' });
  assert.equal(await founder.can('update', 'ticket', ticket.id), true);
  assert.equal(await user.can('update', 'ticket', ticket.id), false);
  assert.equal(await user.can('get', 'ticket'), true);
  assert.equal((await user.permissions()).entities.ticket?.create, false);
  await assert.rejects(user.entity('ticket').create({ title: 'x' }), (error) => {
    assert.ok(error instanceof FreeholdError);
    assert.deepEqual([error.code, error.reason], ['access_denied', 'implicit_deny']);
    assert.ok(error.decisionId !== undefined);
    return true;
  });
});

test('a logic block is run, and returns what it says', async () => {
  const content = {
    name: 'double',
    steps: [{ id: 'n', type: 'transform', value: '{{ input.n }}' }],
    returns: '{{ steps.n }}',
  };
  const reply = await manage(org, 'POST', '/config/logicblock', { body: { name: 'double', content } });
  assert.equal(reply.status, 201, reply.text);
  assert.deepEqual(await founder.run('double', { n: 2 }), { state: 'done', returns: 2 });
  assert.equal(await founder.can('run', 'double'), true);
  await assert.rejects(founder.run('none'), { code: 'not_found' });
});

test('a user signs in with a token of a provider that the org allows', async () => {
  const provider = await startIdentityProvider();
  after(() => provider.close());
  await allowIssuers(org, [{ issuer: provider.issuer, audiences: [clientAtProvider] }]);
  const app = appOf(org);
  const session = await app.signInWithToken(provider.token(personAt('ann')));
  assert.equal(session.tenantCode, 'main');
  await assert.rejects(app.signInWithToken('x.y.z'), { code: 'token_invalid' });
  assert.deepEqual(app.session, session);
});

test('a user whose address another account has hears of it before the session begins, and is in that one after its link', async () => {
  const neighbour = await signUp(await platformForMails());
  const elsewhere = (url: string | URL | Request, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    for (const [name, value] of Object.entries(fromElsewhere())) headers.set(name, value);
    return fetch(url, { ...init, headers });
  };
  const provider = await startIdentityProvider();
  after(() => provider.close());
  await allowIssuers(neighbour, [{ issuer: provider.issuer, audiences: [clientAtProvider] }]);
  const email = newEmail('joiner');
  const older = await appOf(neighbour, { fetch: elsewhere }).signIn({ email, password });
  const app = appOf(neighbour, { fetch: elsewhere });
  const offers: (JoinOffer & { readonly session: Session | undefined })[] = [];
  const arrive = (onJoin: (offer: JoinOffer) => Promise<void>) =>
    app.signInWithToken(provider.token(personAt('joiner', { email })), { onJoin });
  const reason = new Error('not now');
  await assert.rejects(
    arrive(() => Promise.reject(reason)),
    reason,
  );
  assert.deepEqual([app.session], [undefined]);
  const note = async (offer: JoinOffer) => void offers.push({ ...offer, session: app.session });
  const stayed = await arrive(note);
  assert.notEqual(stayed.userId, older.userId);
  const [{ since, session } = {}] = offers;
  assert.deepEqual([Number.isNaN(Date.parse(since ?? '')), session], [false, undefined]);
  const joined = await arrive(async (offer) => {
    await offer.sendLink();
    const body = { code: await codeTo(neighbour, email, 'verify-email') };
    await app.request('POST', '/verify-email', { body, headers: { 'client-id': neighbour.clientId } });
  });
  assert.deepEqual([joined.userId, app.session?.userId], [older.userId, older.userId]);
  await arrive(note);
  assert.equal(offers.length, 1);
});

test('a new password ends the other sessions of the user, and not this one', async () => {
  const email = newEmail('user');
  const [here, there] = [appOf(org), appOf(org, { onSignedOut: ({ code }) => over.push(code) })];
  const over: string[] = [];
  for (const app of [here, there]) await app.signIn({ email, password });
  await here.changePassword({ current: password, next: 'another correct horse' });
  assert.ok((await here.entity('ticket').list()).items.length > 0);
  await assert.rejects(there.entity('ticket').list(), { code: 'token_invalid' });
  assert.deepEqual([over, there.session], [['token_invalid'], undefined]);
});

test('a platform that cannot be reached is an error of its own, and an abort is none', async () => {
  const app = appOf({ ...org, app: 'http://127.0.0.1:9' }, { retries: 0 });
  await assert.rejects(app.signIn({ email: newEmail('user'), password }), { code: 'network', status: 0 });
  const reason = new Error('enough');
  await assert.rejects(founder.entity('ticket').list({ signal: AbortSignal.abort(reason) }), reason);
});

test('any other call goes by its path', async () => {
  const me = await founder.request<{ readonly email: string }>('GET', '/user/me');
  assert.equal(me.email, founder.session?.email);
  const body = 'title,amount\nShelf,20\n';
  const headers = { 'Content-Type': 'text/csv' };
  const imported = await founder.request<{ readonly created: number }>('POST', '/import/ticket', { body, headers });
  assert.equal(imported.created, 1);
});
