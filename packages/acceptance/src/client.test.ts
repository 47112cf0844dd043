/** The client library against a started platform. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type App, createApp, etagOf, FreeholdError, VersionConflictError } from '@freehold/client';
import { defineEntity, definition, newEmail, type Org, password, signUp } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const org = await signUp(gateways);
await defineEntity(
  org,
  definition('ticket', [
    { name: 'title', validate: true, index: true },
    { name: 'amount', colType: 'number', index: true },
    { name: 'state', colType: 'enum', enumValues: ['open', 'done'], default: 'open', index: true },
  ]),
);

const appOf = ({ app: url, code, clientId }: Org) => createApp({ url, org: code, clientId });

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
