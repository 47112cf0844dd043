/** Compares what both gateways do with what their documents say, for every request. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import fc from 'fast-check';
import { assertProblem } from './assert-problem.ts';
import { AuthenticatorApp } from './authenticator-app.ts';
import { type CallOptions, call } from './call.ts';
import { documentedApp, documentedManagement } from './documented-gateway.ts';
import { deliveries, makeEvent, sentAgain, startReceiver } from './event-receiver.ts';
import { eventually } from './eventually.ts';
import { everyType, everyValue } from './every-type.ts';
import { allowIssuers, clientAtProvider, personAt, startIdentityProvider } from './identity-provider.ts';
import { codeTo } from './mails.ts';
import { isRecording, writeExamples } from './openapi-examples.ts';
import { jsonLine, requestsTo, type SampleValues } from './openapi-requests.ts';
import { backupSettings, whenBackup } from './operator-backups.ts';
import {
  act,
  allow,
  appUrl,
  create,
  defineEntity,
  definition,
  exchangeToken,
  foundedOrg,
  memberWith,
  newEmail,
  password,
  signIn,
  signUp,
} from './org.ts';
import { operatorKey } from './plans.ts';
import { temporaryDirectory, whyNoDataDir } from './platform.ts';
import { platformOf, platformOfFile } from './platform-for-tests.ts';
import { type CreationOptions, SoftwareAuthenticator } from './software-authenticator.ts';
import { signMessage } from './standard-webhook.ts';

const { org, founder } = await foundedOrg(
  // The document of the issuer is there where the issuer is an address.
  await platformOfFile({ env: { FREEHOLD_PUBLIC_URL: 'https://apps.example.com' } }),
);
await defineEntity(org, everyType);
const app = await documentedApp(founder);
/** Browsers make passkeys for a name, and for no address. */
const named = org.management.replace('127.0.0.1', 'localhost');
const management = await documentedManagement({ ...org, management: named });

const existing = await create(founder, 'thing', everyValue);
const spare: string[] = [];
for (let made = 0; made < 10; made++) spare.push((await create(founder, 'thing', { title: 'spare' })).id);
const unprivileged = await memberWith(founder, []);
const denial = assertProblem(await act(unprivileged, 'GET', '/list/thing'), 'access_denied');

/** Values of parameters, some of which lead somewhere. */
const known: SampleValues = {
  id: [existing.id, 'nothing'],
  'If-Match': ['*', '"0"', 'x'],
  'If-None-Match': ['*', '"0"'],
  Prefer: ['return=minimal', 'return=representation'],
  client_id: [org.clientId, 'unknown'],
  'X-Org': [org.code, org.code, 'unknown'],
  oauthtoken: [founder.token, 'a.b.c'],
  code: ['not_found', 'nothing'],
  tenant_code: [founder.tenantCode, 'nothing'],
  apiname: ['create-it'],
  'Idempotency-Key': ['a', 'b', ''],
  entityName: ['thing', 'nothing'],
  entity: ['thing', 'nothing'],
  entityname: ['nothing'],
  request_id: [denial.request_id, 'nothing'],
  decision_id: [String(denial.decision_id), 'nothing'],
};
/** Other numbers of requests: fewer that hash passwords, and one that ends its session. */
const runsOf: Readonly<Record<string, number>> = {
  signUp: 4,
  logIn: 4,
  logOut: 1,
  changePassword: 4,
  forgotPassword: 4,
  sendVerification: 4,
  endTokens: 4,
  beginTotp: 4,
  beginPasskey: 4,
  signInByPasskey: 4,
  removeSecondFactor: 4,
  renewRecoveryCodes: 4,
  deleteThing: 30,
};

/**
 * What ends tokens uses a token that no other test needs, and operations that set something use an org of their own.
 */
const ownTokens: Readonly<Record<string, () => Promise<string>>> = {
  logOut: anotherSession,
  changePassword: async () => (await signIn(org)).token,
  endTokens: async () => (await signIn(org)).token,
  changeSetting: async () => (await signUp(org)).builder.token,
};

const gateways = [
  { name: 'app', gateway: app, token: founder.token, otherToken: unprivileged.token },
  { name: 'management', gateway: management, token: org.builder.token, otherToken: founder.token },
];

// Before the requests of all sorts, which use up the mails that may be asked for from one network.
test('a caller by a provider hears of the account that waits under the address, and has its link mailed', async (t) => {
  const provider = await startIdentityProvider();
  t.after(() => provider.close());
  await allowIssuers(org, [{ issuer: provider.issuer, audiences: [clientAtProvider] }]);
  t.after(() => allowIssuers(org, []));
  const { email } = await signIn(org);
  const { token } = (await exchangeToken(org, provider.token(personAt(email, { email })))).body;
  assert.ok((await app.send<{ readonly join?: unknown }>('readMe', { token })).body.join !== undefined);
  assert.equal((await app.send('sendJoinLink', { token })).status, 202);
});

test('codes are mailed and used in the way that the documents tell', async () => {
  const { token, email } = await signIn(org);
  const headers = { client_id: org.clientId };
  assert.equal((await app.send('sendVerification', { token })).status, 202);
  const verify = { headers, body: { code: await codeTo(org, email, 'verify-email') } };
  assert.equal((await app.send('verifyEmail', verify)).status, 204);
  assert.equal((await app.send('verifyEmail', verify)).status, 404);
  assert.equal((await app.send('forgotPassword', { headers, body: { email } })).status, 202);
  const new_password = `${password}!`;
  const reset = { headers, body: { code: await codeTo(org, email, 'reset-password'), new_password } };
  assert.equal((await app.send('resetPassword', reset)).status, 204);
  const builder = { email: newEmail('forgetful'), password, name: 'Fay', org_name: 'Other' };
  const made = await management.send<{ readonly token: string }>('signUp', { body: builder });
  const body = { current_password: password, new_password };
  assert.equal((await management.send('changePassword', { token: made.body.token, body })).status, 204);
  assert.equal((await management.send('forgotPassword', { body: { email: builder.email } })).status, 202);
  const code = await codeTo(org, builder.email, 'code');
  assert.equal((await management.send('resetPassword', { body: { code, new_password } })).status, 204);
  const link = await management.send<{ readonly code: string }>('createSignInLink', { token: org.builder.token });
  assert.equal((await management.send('signInByLink', { body: { code: link.body.code } })).status, 200);
  const verifier = 'v'.repeat(43);
  const command = await management.send<{ readonly code: string }>('decideCommandSignIn', {
    ...{ token: org.builder.token, body: { challenge: hash('sha256', verifier, 'base64url'), allow: true } },
  });
  assert.equal(command.status, 201);
  assert.equal((await management.send('signInCommand', { body: { code: command.body.code, verifier } })).status, 200);
  assert.equal((await management.send('readInbox', {})).status, 200);
  const page = await management.send('readInbox', { headers: { accept: 'text/html' } });
  assert.deepEqual([page.status, page.text.includes(code)], [200, true]);
});

interface FactorReply {
  readonly token: string;
  readonly code: string;
  readonly secret: string;
  readonly challenge: string;
  readonly rpId: string;
  readonly user: { readonly id: string };
  readonly recovery_codes: readonly string[];
  readonly second_factor: { readonly token: string };
}

test('second factors are added, used and removed in the way that the documents tell', async () => {
  const send = async (name: string, status: number, request: Parameters<typeof management.send>[1]) => {
    const reply = await management.send<FactorReply>(name, request);
    assert.equal(reply.status, status, `${name}: ${reply.text}`);
    return reply.body;
  };
  const email = newEmail('guarded');
  const { token } = await send('signUp', 201, { body: { email, password, name: 'Gus', org_name: 'Guarded' } });
  const { secret } = await send('beginTotp', 201, { token, body: { password } });
  const code = new AuthenticatorApp(secret).next();
  const codes = [...(await send('confirmTotp', 200, { token, body: { code } })).recovery_codes];
  const proof = () => ({ recovery_code: codes.pop() });
  const step = (await send('logIn', 202, { body: { email, password } })).second_factor;
  await send('completeSignIn', 200, { body: { token: step.token, ...proof() } });
  const link = await send('createSignInLink', 201, { token });
  await send('signInByLink', 202, { body: { code: link.code } });
  const options = await send('beginPasskey', 201, { token, body: proof() });
  const key = new SoftwareAuthenticator(new URL(named).origin);
  const passkey = key.create(options as unknown as CreationOptions);
  await send('addPasskey', 201, { token, body: { name: 'laptop', passkey } });
  await send('renamePasskey', 200, { token, path: { id: key.id }, body: { name: 'old laptop' } });
  const requested = await send('readPasskeyChallenge', 200, {});
  await send('signInByPasskey', 200, { body: { passkey: key.get(requested) } });
  await send('listSecondFactors', 200, { token });
  await send('changeOrgSecurity', 200, { token, body: { second_factor: 'required' } });
  const challenge = await send('readFactorChallenge', 200, { token });
  await send('renewRecoveryCodes', 201, { token, body: { passkey: key.get(challenge) } });
  const next = await send('readFactorChallenge', 200, { token });
  const removal = { token, path: { id: 'totp' }, body: { passkey: key.get(next) } };
  assert.equal((await management.send('removeSecondFactor', removal)).status, 204);
  const invite = { token: org.builder.token, body: { email, role: 'developer' } };
  await send('acceptInvitation', 202, { body: { code: (await send('inviteOrgUser', 201, invite)).code, password } });
  const member = { token, body: { email: newEmail('member'), role: 'developer' } };
  const accept = { code: (await send('inviteOrgUser', 201, member)).code, password, name: 'Mia' };
  const joined = await send('acceptInvitation', 200, { body: accept });
  const made = await send('beginTotp', 201, { token: joined.token, body: { password } });
  const confirm = { code: new AuthenticatorApp(made.secret).next() };
  await send('confirmTotp', 200, { token: joined.token, body: confirm });
  const reset = { token, path: { id: joined.user.id } };
  assert.equal((await management.send('resetSecondFactors', reset)).status, 204);
});

for (const { name, gateway, token, otherToken } of gateways) {
  const { document } = gateway;

  test(`the document of the ${name} gateway is valid OpenAPI 3.1`, async () => {
    const { text } = await gateway.send('readOpenapi', { token });
    const { valid, errors } = await new Validator().validate(JSON.parse(text));
    assert.ok(valid, JSON.stringify(errors));
  });

  test(`the document of the ${name} gateway is not sent again to who has it`, async () => {
    const first = await gateway.send('readOpenapi', { token });
    const headers = { 'if-none-match': first.headers.get('etag') ?? '' };
    assert.equal((await gateway.send('readOpenapi', { token, headers })).status, 304);
  });

  // What they are asked is another thing each time, so none of it is recorded.
  for (const operation of isRecording ? [] : document.operations) {
    test(`${name}: whatever ${operation.id} is asked, its answer is described in the document`, async () => {
      const leading = operation.id === 'deleteThing' ? { ...known, id: [...spare, 'nothing'] } : known;
      const own = (await ownTokens[operation.id]?.()) ?? token;
      await fc.assert(
        fc.asyncProperty(requestsTo(document, operation, leading), async (request) => {
          await gateway.send(operation.id, { ...request, ...(operation.isPublic ? {} : { token: own }) });
        }),
        { numRuns: runsOf[operation.id] ?? 15 },
      );
    });

    test(`${name}: the errors that keep a caller out of ${operation.id} are described too`, async () => {
      const statuses: number[] = [];
      for (const request of [{}, { token: 'junk' }, { token: otherToken }])
        statuses.push((await gateway.send(operation.id, request)).status);
      if (!operation.isPublic) assert.deepEqual(statuses.slice(0, 2), [401, 401]);
      const send = async (request: CallOptions) => (await gateway.send(operation.id, { token, ...request })).status;
      if (Object.keys(operation.bodies).length > 0)
        assert.equal(await send({ body: 'a', headers: { 'content-type': 'text/plain' } }), 415);
      if (operation.body === undefined) return;
      // What is signed is not read before its signature is found right.
      assert.equal(await send({ body: '{' }), operation.id === 'receiveHook' ? 401 : 400);
      assert.equal(await send({ body: ' '.repeat(1024 * 1024 + 1) }), 413);
    });
  }
}

test('records are written and read, with conditions and without, in ways that the document tells of', async () => {
  const request = { token: founder.token, path: { id: existing.id } };
  assert.equal((await app.send('createThing', { token: founder.token, body: everyValue })).status, 201);
  assert.equal((await app.send('updateThing', { ...request, body: everyValue })).status, 200);
  assert.equal((await app.send('getThing', { ...request, headers: { 'if-none-match': '*' } })).status, 304);
  const update = { ...request, body: { seats: 5 }, headers: { 'if-match': '"0"' } };
  assert.equal((await app.send('updateThing', update)).status, 412);
  assert.equal((await app.send('listThing', { token: founder.token })).status, 200);
  assert.equal((await app.send('countThing', { token: founder.token })).status, 200);
});

test('people come in the way that the documents tell', async () => {
  const headers = { client_id: org.clientId };
  const body = { email: founder.email, password };
  const { token: oauthtoken } = (await app.send<{ readonly token: string }>('logIn', { headers, body })).body;
  assert.equal((await app.send('exchangeToken', { headers: { ...headers, oauthtoken } })).status, 200);
  const changer = await signIn(org);
  const change = { current_password: password, new_password: `${password}!` };
  const changed = await app.send<{ readonly token: string }>('changePassword', { token: changer.token, body: change });
  assert.equal(changed.status, 200);
  assert.equal((await app.send('endTokens', { token: changed.body.token, body: {} })).status, 204);
  const other = { email: newEmail('other'), password, name: 'Otto Other', org_name: 'Other' };
  assert.equal((await management.send('signUp', { body: other })).status, 201);
  const { token } = org.builder;
  const rotated = {
    token: (await management.send<{ readonly token: string }>('signUp', { body: { ...other, email: newEmail('rot') } }))
      .body.token,
    path: { env: 'test' },
  };
  assert.equal((await management.send('rotateClientId', rotated)).status, 200);
  const invite = { token, body: { email: newEmail('ina'), role: 'developer' } };
  const invited = await management.send<{ readonly id: string; readonly code: string }>('inviteOrgUser', invite);
  assert.equal(invited.status, 201);
  const promoted = { token, path: { id: invited.body.id }, body: { role: 'org_admin' } };
  assert.equal((await management.send('changeOrgUser', promoted)).status, 200);
  const accept = { body: { code: invited.body.code, password, name: 'Ina Invited' } };
  const accepted = await management.send<{ readonly user: { readonly id: string } }>('acceptInvitation', accept);
  assert.equal(accepted.status, 200);
  const removed = { token, path: { id: accepted.body.user.id } };
  assert.equal((await management.send('removeOrgUser', removed)).status, 204);
  assert.equal((await management.send('switchOrg', { token, body: { org: org.code } })).status, 200);
  const spare = await anotherSession();
  const { items } = (
    await management.send<{ readonly items: readonly { readonly id: string; readonly current: boolean }[] }>(
      'listSessions',
      { token: spare },
    )
  ).body;
  const id = items.find(({ current }) => current)?.id ?? '';
  assert.equal((await management.send('endSession', { token, path: { id } })).status, 204);
});

test('an entity is defined, changed, shown and removed in the way that the documents tell', async () => {
  const { token } = org.builder;
  const body = {
    ...definition('visit', [{ name: 'title', maxlength: 5 }]),
    Views: { short: { fields: [{ name: 'title', as: 'name' }] } },
  };
  const define = { token, path: { apiname: 'create-visit' }, body };
  assert.ok(management.document.fits(management.document.operation('defineEntity').body ?? {}, body));
  assert.equal((await management.send('defineEntity', { ...define, query: { dry_run: 'true' } })).status, 200);
  assert.equal((await management.send('defineEntity', define)).status, 201);
  assert.equal((await management.send('defineEntity', define)).status, 409);
  assert.equal((await management.send('defineEntity', { ...define, query: { env: 'prod' } })).status, 403);
  const views = { Views: { other: { fields: [{ name: 'title' }] } } };
  const change = { token, path: { apiname: 'list-visit' }, body: views };
  assert.equal((await management.send('changeApi', change)).status, 200);
  assert.equal((await management.send('changeApi', { ...change, headers: { 'if-match': '"0"' } })).status, 412);
  const widen = {
    ...change,
    path: { apiname: 'create-visit' },
    body: { UpdateParams: [{ name: 'title', index: true }] },
  };
  assert.equal((await management.send('changeApi', widen)).status, 200);
  await eventually('the index that was added', async () => {
    const { status, text } = await management.send('readEntity', { token, query: { entityName: 'visit' } });
    assert.equal(status, 200);
    return !text.includes('"building"');
  });
  const isDocumented = async () =>
    (await documentedApp(founder)).document.operations.some(({ id }) => id === 'listVisit');
  assert.equal(await isDocumented(), true);
  assert.equal((await management.send('removeEntity', { token, query: { entityname: 'visit' } })).status, 204);
  assert.equal(await isDocumented(), false);
});

test('workspaces are made, changed, left and removed in the way that the document tells', async () => {
  const { token: home, email } = await signIn(org);
  const send = (name: string, request: CallOptions & { readonly path?: Readonly<Record<string, string>> }) =>
    app.send<Readonly<Record<string, string>>>(name, { token: home, ...request });
  const { status, body: made } = await send('createWorkspace', { body: { name: 'Branch' } });
  assert.equal(status, 201);
  assert.equal((await send('switchTenant', { body: { tenant_code: made.code } })).status, 200);
  const headers = { client_id: org.clientId, oauthtoken: home };
  const { token } = (await app.send<{ readonly token: string }>('exchangeToken', { headers })).body;
  assert.equal((await send('updateWorkspace', { token, body: { name: 'Twig' } })).status, 200);
  const { body: first } = await send('createInvitation', { token: founder.token, body: { email, role: 'x' } });
  const path = { id: String(first.id) };
  assert.equal((await send('listInvitations', { token: founder.token })).status, 200);
  const again = await send('resendInvitation', { token: founder.token, path });
  assert.equal(again.status, 200);
  assert.equal((await send('readMyInvitations', {})).status, 200);
  assert.equal((await send('leaveWorkspace', { body: { tenant_code: 'main' } })).status, 204);
  assert.equal((await send('acceptInvitation', { token, body: { code: again.body.code } })).status, 200);
  const other = await send('createInvitation', { token: founder.token, body: { email: newEmail('other') } });
  const withdrawn = { token: founder.token, path: { id: String(other.body.id) } };
  assert.equal((await send('deleteInvitation', withdrawn)).status, 204);
  assert.equal((await send('deleteWorkspace', { token, body: { code: made.code } })).status, 204);
});

test('a delete of very many records, and its job, are answered in the way that the documents tell', async () => {
  const { token } = founder;
  const lookup = { entity: 'thing', onDelete: 'cascade' };
  await defineEntity(org, definition('piece', [{ name: 'thing_id', colType: 'guid', lookup }]));
  const headers = { 'content-type': 'application/x-ndjson' };
  // A job may have come to its end before it is cancelled.
  for (let status = 409; status === 409; ) {
    const { id } = await create(founder, 'thing', { title: 'abc' });
    const body = `${JSON.stringify({ thing_id: id })}\n`.repeat(1000);
    assert.equal((await act(founder, 'POST', '/import/piece', { body, headers })).status, 200);
    const started = await app.send<{ readonly id: string }>('deleteThing', { token, path: { id } });
    assert.equal(started.status, 202, started.text);
    const path = { id: started.body.id };
    ({ status } = await app.send('cancelJob', { token, path }));
    assert.equal((await app.send('readJob', { token, path })).status, 200);
    // The next removal waits for this one to let go.
    const remove = () => act(founder, 'DELETE', `/delete/thing/${id}`);
    await eventually('the end of the removal', async () => (await remove()).status !== 409);
  }
});

test('all that can be shown without being changed first is shown in the way that the documents tell', async () => {
  const { token } = founder;
  const path = { id: (await create(founder, 'thing', { title: 'abc' })).id };
  const met = async (gateway: typeof app, name: string, request: Parameters<typeof app.send>[1] = {}) => {
    const { status, text } = await gateway.send(name, request);
    assert.ok(status === 200 || status === 204, `${name}: ${text}`);
  };
  await met(app, 'updateMe', { token, body: { fn: 'Fay', ln: 'Founder' } });
  for (const name of ['readPermissions', 'readTenants']) await met(app, name, { token });
  await met(app, 'listProviders', { headers: { client_id: org.clientId } });
  for (const name of ['getThing', 'deleteThing']) await met(app, name, { token, path });
  for (const gateway of [app, management]) await met(gateway, 'readProblemPage', { path: { code: 'not_found' } });
  const shown = ['readMe', 'readOrg', 'listAuditEntries', 'listConfigKinds', 'listOrgUsers'];
  for (const name of [...shown, 'listSettings', 'exportUsage'])
    await met(management, name, { token: org.builder.token });
  await met(management, 'exportUsage', { token: org.builder.token, query: { format: 'csv' } });
  await met(management, 'readEntityEndpoints', { token: org.builder.token, query: { entity: 'thing' } });
  const part = { token: org.builder.token, query: { entity: 'thing' } };
  const { headers } = await management.send('readAppOpenapi', part);
  await management.send('readAppOpenapi', { ...part, headers: { 'if-none-match': headers.get('etag') ?? '' } });
  const query = { path: { decision_id: String(denial.decision_id) } };
  await met(management, 'readDecision', { token: org.builder.token, ...query });
  await met(management, 'logOut', { token: await anotherSession() });
});

test('batches run, and are answered again, in the way that the document tells', async () => {
  const operations = [
    { action: 'create', entity: 'thing', data: { title: 'abc' } },
    { action: 'update', entity: 'thing', id: existing.id, data: { seats: 6 } },
    { action: 'delete', entity: 'thing', id: existing.id, if_match: '"0"' },
  ];
  const headers = { 'idempotency-key': 'batch' };
  const request = { token: founder.token, headers, body: { mode: 'independent', operations } };
  const { status, headers: first } = await app.send('batch', request);
  const { headers: second } = await app.send('batch', request);
  assert.deepEqual(
    [status, first.get('idempotency-replayed'), second.get('idempotency-replayed')],
    [200, null, 'true'],
  );
  assert.equal((await app.send('batch', { ...request, body: { mode: 'atomic', operations: [] } })).status, 400);
  assert.equal((await app.send('createThing', { ...request, body: { title: 'abc' } })).status, 422);
});

test('files are taken and given in the way that the document tells', async () => {
  const { token } = founder;
  const rows = Array.from({ length: 1200 }, () => jsonLine({ title: 'abc' })).join('');
  for (const accept of ['application/json', 'application/x-ndjson']) {
    const headers = { 'content-type': 'application/x-ndjson', accept };
    const { status, text } = await app.send('importThing', { token, query: { dry_run: 'true' }, headers, body: rows });
    assert.equal(status, 200, text);
    assert.equal(text.includes('"progress"'), accept === 'application/x-ndjson');
  }
  for (const format of ['csv', 'jsonl'])
    assert.equal((await app.send('exportThing', { token, query: { format } })).status, 200);
});

test('servers and builders get into an app in the way that the documents tell', async () => {
  const { token } = org.builder;
  const body = { env: 'test', tenant_code: 'main', name: 'Sync', policies: ['vieweracl'] };
  const made = await management.send<{ readonly id: string; readonly key: string }>('createServiceKey', {
    token,
    body,
  });
  assert.equal(made.status, 201);
  assert.equal((await app.send('listThing', { token: made.body.key })).status, 200);
  assert.equal((await app.send('readMe', { token: made.body.key })).status, 200);
  assert.equal((await app.send('updateMe', { token: made.body.key, body: {} })).status, 403);
  assert.equal((await management.send('listServiceKeys', { token })).status, 200);
  assert.equal((await management.send('removeServiceKey', { token, path: { id: made.body.id } })).status, 204);
  const acting = { env: 'test', tenant_code: 'main', user_id: founder.id };
  const given = await management.send<{ readonly token: string }>('impersonate', { token, body: acting });
  assert.equal(given.status, 200);
  assert.equal((await app.send('listThing', { token: given.body.token })).status, 200);
});

test('the document describes suspended accounts', async (t) => {
  const provider = await startIdentityProvider();
  t.after(() => provider.close());
  const of = await signUp(org);
  const { token } = of.builder;
  await allowIssuers(of, [{ issuer: provider.issuer, audiences: [clientAtProvider] }]);
  await signIn(of);
  const [merged, removed] = [await signIn(of), await signIn(of)];
  for (const { email } of [merged, removed])
    assert.equal((await exchangeToken(of, provider.token(personAt(email, { email })))).status, 200);
  const met = async (name: string, status: number, options: CallOptions & { readonly path?: { id: string } } = {}) =>
    assert.equal((await management.send(name, { token, ...options })).status, status, name);
  await met('listSuspendedAccounts', 200);
  await met('mergeSuspendedAccount', 200, { path: { id: merged.id } });
  await met('removeSuspendedAccount', 204, { path: { id: removed.id } });
});

test('the document describes accounts of app users and invitations into workspaces', async () => {
  const { org: of, founder: admin } = await foundedOrg(org);
  const { token } = of.builder;
  const { id } = await signIn(of);
  const met = async (name: string, status: number, options: Parameters<typeof management.send>[1] = {}) => {
    const reply = await management.send<{ readonly id: string }>(name, { token, ...options });
    assert.equal(reply.status, status, `${name}: ${reply.text}`);
    return reply.body;
  };
  await met('listAppUsers', 200);
  await met('readAppUser', 200, { path: { id } });
  await met('disableAppUser', 204, { path: { id }, body: { env: 'test', reason: 'abuse' } });
  await met('readAppUser', 200, { path: { id } });
  await met('enableAppUser', 204, { path: { id }, body: { env: 'test' } });
  await met('revokeAppUserTokens', 204, { path: { id }, body: { env: 'test' } });
  const path = { tenant_code: admin.tenantCode };
  const body = { env: 'test', email: newEmail('guest') };
  const invited = await met('inviteToWorkspace', 201, { path, body });
  await met('listWorkspaceInvitations', 200, { path });
  const one = { ...path, id: invited.id };
  await met('resendWorkspaceInvitation', 200, { path: one, body: { env: 'test' } });
  await met('withdrawWorkspaceInvitation', 204, { path: one });
});

test('the document describes jobs about the data of persons', async () => {
  const of = await signUp(org);
  const { token } = of.builder;
  await signIn(of);
  const [kept, ended] = [await signIn(of), await signIn(of)];
  const env = { env: 'test' };
  const over = async (name: string, sent: Parameters<typeof management.send>[1]) => {
    const started = await management.send<{ readonly id: string }>(name, { token, ...sent });
    assert.equal(started.status, 202, started.text);
    const path = { id: started.body.id };
    return eventually('the end of the job', async () => {
      const { status, body } = await management.send<Job>('readPersonJob', { token, path });
      assert.equal(status, 200);
      return body.state === 'done' && { path, seen: body.seen };
    });
  };
  const { path } = await over('exportAppUser', { path: { id: kept.id }, body: env });
  assert.equal((await management.send('readPersonFile', { token, path })).status, 200);
  const [from, into] = [{ id: ended.id }, kept.id];
  const { seen } = await over('mergeAppUser', { path: from, query: { dry_run: 'true' }, body: { ...env, into } });
  await over('mergeAppUser', { path: from, body: { ...env, into, seen } });
  await over('eraseAppUser', { path: { id: into }, body: { ...env, records: 'keep', confirm: kept.email } });
  assert.equal((await management.send('listPersonJobs', { token })).status, 200);
});

interface Job {
  readonly state: string;
  readonly seen: string | null;
}

test('access is asked about in the way that the documents tell', async () => {
  const { token } = org.builder;
  const action = { name: 'get' };
  const question = { subject: { type: 'user', id: founder.id }, action, resource: { type: 'thing', id: existing.id } };
  assert.equal((await app.send('evaluateAccess', { token: founder.token, body: question })).status, 200);
  for (const body of [question, { ...question, evaluations: [{}, { action: { name: 'fly' } }, { action: 1 }] }])
    assert.equal((await app.send('evaluateAccesses', { token: founder.token, body })).status, 200);
  const tenant_code = founder.tenantCode;
  const request = { method: 'GET', path: `/item/thing/${existing.id}`, record: { id: existing.id } };
  const simulation = { token, body: { tenant_code, user_id: founder.id, ...request } };
  assert.equal((await management.send('simulateAccess', simulation)).status, 200);
  const statements = [allow('getthing*', '/list/*')];
  const draft = { tenant_code, statements, ...request, context: { request: { ip: '10.0.0.1' }, user: { id: 'a' } } };
  assert.equal((await management.send('simulateAccess', { token, body: draft })).status, 200);
  assert.equal((await management.send('lintStatements', { token, body: { statements } })).status, 200);
  const trial = { tenant_code, draft: { statements }, principals: [founder.id] };
  assert.equal((await management.send('replayAccess', { token, body: trial })).status, 200);
  const use = { token, query: { tenant_code, user_id: founder.id } };
  assert.equal((await management.send('suggestPolicy', use)).status, 200);
  assert.equal((await management.send('listReported', { token, query: { tenant_code } })).status, 200);
  const query = { tenant_code, pagesize: '1' };
  assert.equal((await management.send('readAccessMatrix', { token, query })).status, 200);
  const member = { token, path: { id: founder.id }, query: { tenant_code } };
  assert.equal((await management.send('readMember', member)).status, 200);
  for (const [list, read, link] of [
    ['listWorkspacePolicies', 'readWorkspacePolicy', 'policy_id'],
    ['listWorkspaceGroups', 'readWorkspaceGroup', 'group_id'],
  ] as const) {
    const { body } = await management.send<{ readonly items: readonly { readonly id: string }[] }>(list, {
      token,
      query,
    });
    const id = body.items[0]?.id ?? '';
    assert.equal((await management.send(read, { token, path: { id }, query: { tenant_code } })).status, 200, read);
    const holders = { token, query: { tenant_code, [link]: id } };
    assert.equal((await management.send('listHolders', holders)).status, 200, link);
  }
  assert.equal((await management.send('findDecision', { token, query: { pagesize: '5' } })).status, 200);
});

test('settings are settled in the way that the document tells', async () => {
  const { token } = org.builder;
  const body = { group: 'acl', name: 'cache_seconds', value: 30, prod_value: 60 };
  assert.equal((await management.send('changeSetting', { token, body })).status, 200);
  assert.equal((await management.send('changeSetting', { token, body, query: { env: 'prod' } })).status, 403);
  await call('GET', appUrl(org, '/token'), { headers: { origin: 'https://stranger.example' } });
  const { body: refused } = await management.send<{ readonly items: readonly unknown[] }>('listRefusedOrigins', {
    token,
  });
  assert.equal(refused.items.length, 1);
});

test('config items are made, changed, compared, brought back and taken away in the way that the document tells', async () => {
  const { token } = org.builder;
  const steps = [{ id: 'read', type: 'list', entity: 'thing' }];
  const content = { name: 'greet', steps };
  const path = { kind: 'logicblock', name: 'greet' };
  const send = (name: string, request: object = {}) =>
    management.send<{ readonly version: number }>(name, { token, path, ...request });
  assert.equal((await send('makeConfigItem', { body: { name: 'greet', content } })).status, 201);
  const body = { ...content, description: 'Says hello.' };
  const { version } = (await send('replaceConfigItem', { body })).body;
  assert.equal((await send('replaceConfigItem', { body, headers: { 'if-match': '"0"' } })).status, 412);
  assert.equal((await send('listConfigItems')).status, 200);
  const shown = await send('readConfigItem');
  assert.equal(shown.status, 200);
  const held = { headers: { 'if-none-match': shown.headers.get('etag') ?? '' } };
  assert.equal((await send('readConfigItem', held)).status, 304);
  assert.equal((await send('listItemVersions')).status, 200);
  const compared = { path: { ...path, version: String(version) }, query: { compare: 'active' } };
  assert.equal((await send('readItemVersion', compared)).status, 200);
  assert.equal((await send('removeConfigItem')).status, 204);
  assert.equal((await send('restoreConfigItem', { body: { version } })).status, 200);
  assert.equal((await send('removeConfigItem')).status, 204);
});

test('configuration is promoted, brought back and kept in files in the way that the document tells', async () => {
  const { token } = org.builder;
  const send = (name: string, request: object = {}) =>
    management.send<Readonly<Record<string, string>>>(name, { token, ...request });
  const met = async (name: string, status: number, request: object = {}) => {
    const reply = await send(name, request);
    assert.equal(reply.status, status, `${name}: ${reply.text}`);
    return reply;
  };
  await met('provisionProd', 200, { body: { founder_email: newEmail('founder') } });
  await met('readDiff', 200);
  await met('publish', 201, { body: { all: true, note: 'all of it' } });
  await met('readStaged', 200);
  await met('withdraw', 204, { path: { kind: 'entity', name: 'thing' } });
  await met('withdrawAll', 204);
  const [spare] = [{ kind: 'entity', name: 'spare' }];
  await defineEntity(org, definition('spare', []));
  await met('publish', 201, { body: { items: [spare] } });
  await met('activate', 200);
  await met('activate', 409, { body: { note: 'again', force: false } });
  await met('rollback', 409, { body: {} });
  await met('removeEntity', 204, { query: { entityname: 'spare' } });
  await met('publish', 201, { body: { items: [spare] } });
  await met('activate', 200, { body: { note: 'without the spare one' } });
  await met('listRetired', 200);
  await met('rollback', 200, { body: { note: 'it was needed' } });
  await met('rollback', 412, { body: { version: 2, live: 999 } });
  await met('rollback', 200, { body: { version: 2 } });
  await met('listReleases', 200, { query: { pagesize: '2' } });
  await met('readRelease', 200, { path: { version: '1' } });
  await met('readRelease', 200, { path: { version: '1' }, query: { compare: 'live' } });
  await met('removeRetired', 204, { path: { name: 'spare' } });
  const { text: body } = await met('exportConfig', 200);
  const headers = { 'content-type': 'application/x-tar' };
  const { base = '' } = (await met('importConfig', 200, { body, headers })).body;
  await met('importConfig', 200, { body, headers, query: { base, remove: 'true' } });
  const { id } = (await met('createDeployKey', 201, { body: { name: 'pipeline', scope: 'publish' } })).body;
  await met('listDeployKeys', 200);
  await met('removeDeployKey', 204, { path: { id } });
});

test('jobs on entities are answered in the way that the document tells', async () => {
  const { token } = org.builder;
  await defineEntity(org, definition('pair', [{ name: 'title' }]));
  for (const title of ['a', 'a']) await create(founder, 'pair', { title });
  // It cannot be built, so its job is there until it is cancelled.
  const body = { UniqueIndexes: [{ indexName: 'by_title', fields: ['title'] }] };
  const path = { apiname: 'create-pair' };
  assert.equal((await management.send('changeApi', { token, path, body })).status, 200);
  type Listed = { readonly items: readonly { readonly id: string; readonly state: string }[] };
  const failed = await eventually('the end of the attempt', async () => {
    const { items } = (await management.send<Listed>('listEntityJobs', { token })).body;
    return items.find(({ state }) => state === 'failed');
  });
  const job = { token, path: { id: failed.id } };
  assert.equal((await management.send('readEntityJob', job)).status, 200);
  assert.equal((await management.send('cancelEntityJob', job)).status, 200);
  assert.equal((await management.send('cancelEntityJob', job)).status, 404);
});

test('the document tells where alerts are sent', async () => {
  const { token } = org.builder;
  const met = async (name: string, status: number, body?: object) =>
    assert.equal(
      (await management.send(name, { token, ...(body === undefined ? {} : { body }) })).status,
      status,
      name,
    );
  await met('changeAlertPercents', 200, { percents: [50, 100] });
  await met('setAlertWebhook', 200, { url: 'http://127.0.0.1:1/' });
  await met('showAlertWebhook', 200);
  await met('testAlertWebhook', 202);
  await met('removeAlertWebhook', 204);
});

test('the document tells of secrets for other systems', async () => {
  const secret = { token: org.builder.token, path: { name: 'stripe' } };
  const body = { value: 'a value', hosts: ['api.example.com'] };
  assert.equal((await management.send('setSecret', { ...secret, body })).status, 200);
  assert.equal((await management.send('listSecrets', { token: org.builder.token })).status, 200);
  assert.equal((await management.send('removeSecret', secret)).status, 204);
});

test('the document tells how a logic block is run', async () => {
  const content = { name: 'add', steps: [{ id: 'sum', type: 'transform', value: 1 }], returns: '{{ steps.sum }}' };
  const made = { token: org.builder.token, path: { kind: 'logicblock' }, body: { name: 'add', content } };
  assert.equal((await management.send('makeConfigItem', made)).status, 201);
  const request = { token: founder.token, body: {} };
  assert.equal((await app.send('runLogicBlock', { ...request, path: { name: 'add' } })).status, 200);
  assert.equal((await app.send('runLogicBlockAt', { ...request, path: { name: 'add', path: 'x' } })).status, 200);
});

test('the document tells how a run waits, is cancelled and begun again', async () => {
  const steps = [
    { id: 'made', type: 'create', entity: 'thing', values: { title: 'made' } },
    { id: 'pause', type: 'wait', seconds: 86_400 },
  ];
  const { token } = org.builder;
  const body = { name: 'pause', content: { name: 'pause', steps } };
  const made = await management.send('makeConfigItem', { token, path: { kind: 'logicblock' }, body });
  assert.equal(made.status, 201);
  const request = { token: founder.token, body: {} };
  const { status, body: waiting } = await app.send<{ readonly run: string }>('runLogicBlock', {
    ...request,
    path: { name: 'pause' },
  });
  assert.equal(status, 202);
  assert.equal((await app.send('runLogicBlockAt', { ...request, path: { name: 'pause', path: 'x' } })).status, 202);
  const path = { id: waiting.run };
  assert.equal((await management.send('listRuns', { token })).status, 200);
  assert.equal((await management.send('cancelRun', { token, path })).status, 204);
  assert.equal((await management.send('readRun', { token, path })).status, 200);
  assert.equal((await management.send('retryRun', { token, path, body: {} })).status, 202);
  assert.equal((await app.send('readOwnRun', { token: founder.token, path })).status, 200);
  const workspaces = await management.send<{ items: readonly { code: string }[] }>('listOrgWorkspaces', { token });
  const tenant_code = workspaces.body.items[0]?.code;
  const started = await management.send('beginRun', { token, path: { name: 'pause' }, body: { tenant_code } });
  assert.equal(started.status, 202);
  const draft = { tenant_code, content: body.content };
  assert.equal((await management.send('testLogicBlock', { token, body: draft })).status, 200);
});

test('the document tells of schedules, and how they are paused', async () => {
  const { token } = org.builder;
  const schedule = { cron: '0 0 29 2 *', timezone: 'UTC', missed: 'skip' };
  const policies = [{ Effect: 'Allow', Action: ['getthing'], Resource: ['/item/thing/*'] }];
  const content = { name: 'leap', run_as: 'app', policies, schedule, steps: [{ id: 'a', type: 'set', values: {} }] };
  const body = { name: 'leap', content };
  const made = await management.send('makeConfigItem', { token, path: { kind: 'logicblock' }, body });
  assert.equal(made.status, 201);
  const path = { name: 'leap' };
  assert.equal((await management.send('pauseSchedule', { token, path })).status, 204);
  const { body: listed } = await management.send<{ readonly items: readonly unknown[] }>('listSchedules', { token });
  assert.equal(listed.items.length, 1);
  assert.equal((await management.send('resumeSchedule', { token, path })).status, 204);
});

test('the document tells of hooks and of the messages that they take', async () => {
  const { token } = org.builder;
  const hook = { signature: 'standard', secrets: ['hook'] };
  const policies = [{ Effect: 'Allow', Action: ['getthing'], Resource: ['/item/thing/*'] }];
  const content = { name: 'hook', run_as: 'app', policies, hook, steps: [{ id: 'a', type: 'set', values: {} }] };
  const body = { name: 'hook', content };
  const made = await management.send('makeConfigItem', { token, path: { kind: 'logicblock' }, body });
  assert.equal(made.status, 201);
  const secret = `whsec_${Buffer.from('the key of this hook').toString('base64')}`;
  const set = { token, path: { name: 'hook' }, body: { value: secret, hosts: [] } };
  assert.equal((await management.send('setSecret', set)).status, 200);
  const path = { name: 'hook' };
  assert.equal((await management.send('setHook', { token, path, body: { paused: false } })).status, 200);
  assert.equal((await management.send('listHooks', { token })).status, 200);
  assert.equal((await management.send('readHook', { token, path })).status, 200);
  const paid = { order: '1042', state: 'paid' };
  const event = { specversion: '1.0', id: '1042-paid', type: 'order.paid', source: 'https://shop.example.com' };
  const messages = {
    'application/json': JSON.stringify(paid),
    'application/x-www-form-urlencoded': `${new URLSearchParams(paid)}`,
    'application/cloudevents+json': JSON.stringify({ ...event, data: paid }),
  };
  for (const [type, message] of Object.entries(messages)) {
    const headers = { ...signMessage(secret, type, message), 'content-type': type };
    const sent = { path, query: { env: 'test' }, body: message, headers };
    assert.equal((await app.send('receiveHook', sent)).status, 202, type);
  }
});

test('the document tells how a delivery is sent again, a sample, and with which secret', async (t) => {
  const receiver = await startReceiver(t);
  await makeEvent(org, 'told', receiver.url, { entity_name: 'thing' });
  const { token } = org.builder;
  assert.equal((await act(founder, 'POST', '/create/thing', { body: { title: 'sent' } })).status, 201);
  const [one] = await deliveries(org, '?event=told', (items) => items.some(({ state }) => state === 'delivered'));
  assert.ok(one);
  const shown = await management.send('readDelivery', { token, path: { id: one.id } });
  assert.deepEqual([shown.status, shown.body], [200, one]);
  assert.equal((await management.send('listEvents', { token })).status, 200);
  // A receipt is there a moment before its delivery can be sent again.
  const sentMany = (query: Readonly<Record<string, string>>, status: number) =>
    eventually('a delivery to send again', async () => {
      const body = { event: 'told', state: 'delivered' };
      const many = await management.send<{ readonly count: number }>('redeliverMany', { token, query, body });
      assert.equal(many.status, status);
      return many.body.count === 1;
    });
  await sentMany({ dry_run: 'true' }, 200);
  const again = await sentAgain(() => management.send('redeliver', { token, path: { id: one.id } }));
  assert.equal(again.status, 202);
  const sample = { token, path: { name: 'told' }, body: { record: {} } };
  assert.equal((await management.send('testEvent', sample)).status, 200);
  await deliveries(org, '?event=told', (items) => items.every(({ state }) => state === 'delivered'));
  assert.equal((await management.send('listDeliveries', { token })).status, 200);
  await sentMany({}, 202);
  const { path } = sample;
  assert.equal((await management.send('pauseEvent', { token, path })).status, 204);
  assert.equal((await management.send('listEventStates', { token })).status, 200);
  assert.equal((await management.send('resumeEvent', { token, path })).status, 204);
  assert.equal((await management.send('makeEventSecret', { token, path })).status, 201);
  assert.equal((await management.send('showEventSecret', { token, path })).status, 200);
});

test('the document tells how a provider is looked up and tried', async (t) => {
  const provider = await startIdentityProvider();
  t.after(() => provider.close());
  const { issuer } = provider;
  const { token } = org.builder;
  const found = await management.send('discoverProvider', { token, body: { issuer } });
  assert.equal(found.status, 200, found.text);
  const body = { id_token: provider.token(personAt('ann')), provider: { issuer, audiences: [clientAtProvider] } };
  assert.equal((await management.send('testSignIn', { token, body })).status, 200);
});

test('the document tells how mails of the app are previewed and tried', async () => {
  const { token } = org.builder;
  const mail = { token, path: { mail: 'reset_password' }, body: { subject: 'A link', text: '{{link}}' } };
  assert.equal((await management.send('previewAppMail', mail)).status, 200);
  assert.equal((await management.send('sendTestMail', mail)).status, 200);
});

test('the document tells how the template is applied to workspaces', async () => {
  const { token } = org.builder;
  type StartedJob = { readonly id: string; readonly state: string };
  const previewed = async () => {
    const started = await management.send<StartedJob>('previewTemplateApplication', { token, body: {} });
    assert.equal(started.status, 201, started.text);
    const path = { id: started.body.id };
    await eventually('the end of the preview', async () => {
      const read = await management.send<StartedJob>('readTemplateApplication', { token, path });
      const { state } = read.body;
      assert.ok(state === 'previewing' || state === 'previewed', read.text);
      return state === 'previewed';
    });
    return { token, path };
  };
  const drift = await management.send<{ readonly items: readonly { readonly code: string }[] }>('listWorkspaceDrift', {
    token,
  });
  const [{ code: tenant_code } = { code: '' }] = drift.body.items;
  assert.equal((await management.send('readWorkspaceDrift', { token, path: { tenant_code } })).status, 200);
  const first = await previewed();
  assert.equal((await management.send('cancelTemplateApplication', first)).status, 200);
  const second = await previewed();
  const started = await management.send('startTemplateApplication', { ...second, body: { accept_widening: true } });
  assert.equal(started.status, 200, started.text);
  await eventually('the end of the application', async () => {
    const { body } = await management.send<StartedJob>('readTemplateApplication', second);
    return body.state === 'done';
  });
  assert.equal((await management.send('listAppliedWorkspaces', second)).status, 200);
  assert.equal((await management.send('listTemplateApplications', { token })).status, 200);
});

test('workspaces are made, suspended and resumed by builders in the way that the document tells', async () => {
  const { org: of, founder: admin } = await foundedOrg(org);
  const { token } = of.builder;
  await defineEntity(of, everyType);
  await create(admin, 'thing', everyValue);
  const path = { tenant_code: 'branch' };
  const met = async (name: string, status: number, request: Parameters<typeof management.send>[1] = {}) =>
    assert.equal((await management.send(name, { token, ...request })).status, status, name);
  await met('createOrgWorkspace', 201, { body: { env: 'test', name: 'Branch', code: 'branch' } });
  await met('readOrgWorkspace', 200, { path });
  await met('suspendWorkspace', 204, { path, body: { env: 'test', reason: 'Not paid.' } });
  await met('resumeWorkspace', 204, { path, body: { env: 'test', reason: 'Paid.' } });
  await met('listOrgWorkspaces', 200);
  await met('listMembers', 200, { query: { tenant_code: admin.tenantCode } });
  for (const name of ['listEntities', 'showUsage']) await met(name, 200);
  await eventually('the end of all work', async () => {
    const { body } = await management.send<{ jobs: { waiting: number } }>('showOverview', { token });
    return body.jobs.waiting === 0;
  });
});

test('what runs, who is there and what was done is shown in the way that the documents tell', async () => {
  const { token } = org.builder;
  const met = async (name: string, request: Parameters<typeof management.send>[1] = {}) =>
    assert.equal((await management.send(name, { token, ...request })).status, 200, name);
  for (const gateway of [app, management])
    for (const name of ['readHealth', 'readReadiness']) assert.equal((await gateway.send(name, {})).status, 200);
  for (const name of ['readSigningKeys', 'readIssuer']) assert.equal((await app.send(name, {})).status, 200, name);
  const { tenantCode: tenant_code } = founder;
  for (const name of ['exportAuditEntries', 'listAuditChains', 'listAppMails', 'listOwnOrgs']) await met(name);
  await met('exportAuditEntries', { query: { format: 'csv' } });
  await met('verifyAuditChains', { body: { tenant_code } });
  for (const name of ['listLogicBlocks', 'readConsoleConfig']) await met(name);
  await met('endOtherSessions', { token: (await signUp(org)).builder.token });
});

test('the document of a platform with an operator tells what the operator does', { skip: whyNoDataDir }, async (t) => {
  const platform = await platformOf(t, { env: backupSettings(temporaryDirectory()) });
  const of = await signUp(platform);
  const operated = await documentedManagement(of);
  const met = async (name: string, status: number, request: Parameters<typeof management.send>[1] = {}) => {
    const reply = await operated.send<FactorReply>(name, { token: operatorKey, ...request });
    assert.equal(reply.status, status, `${name}: ${reply.text}`);
    return reply.body;
  };
  const { token, email } = of.builder;
  const { secret } = await met('beginTotp', 201, { token, body: { password } });
  await met('confirmTotp', 200, { token, body: { code: new AuthenticatorApp(secret).next() } });
  await met('resetAccountFactors', 200, { body: { email, reason: 'Lost the phone; known by voice.' } });
  const path = { org: of.code };
  await met('changePlan', 200, {
    path,
    body: { name: 'own', limits: { api_calls_per_day: 50_000, records: 100_000 } },
  });
  for (const name of ['showPlan', 'readPlatformOrg']) await met(name, 200, { path });
  await met('rotateSigningKeys', 201);
  await met('rotateSigningKeys', 200);
  const keys = await operated.send<{ items: readonly { kid: string }[] }>('listSigningKeys', { token: operatorKey });
  await met('revokeSigningKey', 204, { path: { kid: keys.body.items[0]?.kid ?? '' } });
  await met('makeBackup', 202);
  const { name } = await whenBackup(platform, ({ state }) => state === 'complete');
  await met('testBackup', 202, { path: { name } });
  await whenBackup(platform, ({ test: of }) => of?.result === 'passed');
  for (const shown of ['listBackups', 'listPlatformOrgs', 'readPlatformHealth', 'listErrors', 'readDiagnosis'])
    await met(shown, 200);
  for (const shown of ['readMetrics', 'listOperatorAuditEntries']) await met(shown, 200);
  await met('downloadBackup', 200, { path: { name } });
  await met('removeBackup', 204, { path: { name } });
  const { operations } = operated.document;
  const added = operations.filter(({ id }) => management.document.operations.every((operation) => operation.id !== id));
  assert.equal(added.length, 18);
  for (const { id, responses } of added)
    for (const status of Object.keys(responses)
      .map(Number)
      .filter((code) => code < 400))
      assert.ok(operated.hasMet(id, status), `${id} never answered ${status}`);
});

test('the document tells how a builder makes a workspace, and a user in it', async () => {
  const { token } = org.builder;
  const workspace = { token, body: { env: 'test', name: 'Made by a builder', code: 'made' } };
  assert.equal((await management.send('createOrgWorkspace', workspace)).status, 201);
  const user = { token, body: { env: 'test', email: newEmail('made'), tenant_code: 'made' } };
  const made = await management.send('createAppUser', user);
  assert.equal(made.status, 201, made.text);
});

test('the document tells only of routes of access control that can succeed', async () => {
  const { token } = founder;
  const policy = await create(founder, 'aclpolicy', { name: 'kept', statements: [] });
  const group = await create(founder, 'group', { name: 'kept' });
  const member = await memberWith(founder, []);
  const other = await memberWith(founder, []);
  const bodies: Readonly<Record<string, readonly [body: object, row: object, change: object]>> = {
    Aclpolicy: [{ name: 'a', statements: [] }, { name: 'b', statements: [] }, { name: 'c' }],
    Group: [{ name: 'a', acl_policies: [policy.id] }, { name: 'b' }, { name: 'c' }],
    Userrole: [{ name: 'a' }, { name: 'b' }, { name: 'c' }],
    Useraclpolicy: [
      { user_id: member.id, acl_policy_id: policy.id },
      { user_id: other.id, acl_policy_id: policy.id },
      {},
    ],
    Usergroup: [{ user_id: member.id, group_id: group.id }, { user_id: other.id, group_id: group.id }, {}],
  };
  const others = async (name: string, id: string, change: object) => {
    const read = await app.send(`get${name}`, { token, path: { id } });
    const headers = { 'If-None-Match': read.headers.get('etag') ?? '' };
    assert.equal((await app.send(`get${name}`, { token, path: { id }, headers })).status, 304);
    assert.equal((await app.send(`update${name}`, { token, path: { id }, body: change })).status, 200);
    for (const action of ['list', 'count', 'export'])
      assert.equal((await app.send(`${action}${name}`, { token })).status, 200);
    assert.equal((await app.send(`delete${name}`, { token, path: { id } })).status, 204);
  };
  for (const [name, [body, row, change]] of Object.entries(bodies)) {
    const made = await app.send<{ readonly id: string }>(`create${name}`, { token, body });
    assert.equal(made.status, 201, made.text);
    const file = { token, body: jsonLine(row), headers: { 'content-type': 'application/x-ndjson' } };
    const { body: result, text } = await app.send<{ readonly created: number }>(`import${name}`, file);
    assert.equal(result.created, 1, text);
    await others(name, made.body.id, change);
  }
  await others('User', member.id, { fn: 'Ann' });
});

test('every success that the documents tell of was met', () => {
  // With many records that look it up, which a definition may have, a record of access control goes in steps.
  const goesInSteps = /^delete(?:Aclpolicy|Group|Useraclpolicy|Usergroup|Userrole|User)$/;
  for (const { gateway } of gateways)
    for (const { id, responses } of gateway.document.operations) {
      // Files of the documentation are served once it is built, which the tests in a browser do (`docs.test.ts`).
      if (id === 'readDocs' || id === 'readDocsFile') continue;
      for (const status of Object.keys(responses)
        .map(Number)
        .filter((code) => code < 400 && !(code === 202 && goesInSteps.test(id))))
        assert.ok(gateway.hasMet(id, status), `${id} never answered ${status}`);
    }
  if (isRecording) writeExamples();
});

async function anotherSession(): Promise<string> {
  const body = { email: org.builder.email, password };
  return (await management.send<{ readonly token: string }>('logIn', { body })).body.token;
}
