import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { assertProblem, assertRefusal } from './assert-problem.ts';
import type { CallOptions, Reply } from './call.ts';
import { act, create, defineEntity, definition, foundedOrg, memberWith, random } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

interface DecisionCase {
  readonly name: string;
  readonly policies: readonly unknown[];
  readonly requests: readonly CaseRequest[];
}

interface CaseRequest {
  readonly action?: string;
  readonly resource?: string;
  readonly context?: Readonly<Record<string, unknown>> & { readonly record?: Readonly<Record<string, unknown>> };
  readonly decision: 'allowed' | 'explicit_deny' | 'implicit_deny';
  readonly usable?: readonly string[];
  readonly hidden?: readonly string[];
}

/** The cases by which the engine is tested: what can be brought about from outside is to come out the same over HTTP. */
const cases: readonly DecisionCase[] = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../server/src/access/decision-cases.json'), 'utf8'),
);

const routes = [
  { verb: 'get', method: 'GET', place: 'item', hasId: true, hasBody: false },
  { verb: 'list', method: 'GET', place: 'list', hasId: false, hasBody: false },
  { verb: 'count', method: 'GET', place: 'count', hasId: false, hasBody: false },
  { verb: 'create', method: 'POST', place: 'create', hasId: false, hasBody: true },
  { verb: 'update', method: 'PUT', place: 'update', hasId: true, hasBody: true },
  { verb: 'delete', method: 'DELETE', place: 'delete', hasId: true, hasBody: false },
];

const { org, founder } = await foundedOrg(await platformForTests());
const entities = ['order', 'orders', 'invoice', 'secret', 'content'];
/** Any JSON value may stand in them, as in the records of the cases. */
const fields = ['f', 'g', 'a', 'b', 'c', 'n', 'ab', 'ac', 'name', 'names', 'secret', 'secrets', 's', 's1'];
for (const entity of entities) {
  await defineEntity(
    org,
    definition(
      entity,
      fields.map((name) => ({ name, colType: 'json' })),
    ),
  );
}

const member = await memberWith(founder, []);

const tried: {
  readonly name: string;
  readonly policyIds: readonly string[];
  readonly requests: readonly CaseRequest[];
}[] = [];
const refused: string[] = [];
for (const { name, policies, requests } of cases) {
  const possible = requests.filter((request) => callOf(request) !== undefined || isOfRecord(request, policies));
  if (possible.length === 0) continue;
  const policyIds = await write(policies);
  if (policyIds === undefined) refused.push(name);
  else tried.push({ name, policyIds, requests: possible });
}

for (const { name, policyIds, requests } of tried) {
  test(`over HTTP: ${name}`, async () => {
    const links = policyIds.map((id) => create(founder, 'useraclpolicy', { user_id: member.id, acl_policy_id: id }));
    const linkIds = (await Promise.all(links)).map(({ id }) => id);
    for (const request of requests) {
      const call = callOf(request);
      if (call === undefined) await tryRecord(request);
      else assertDecision(await act(member, call.method, call.path, call.options), request);
    }
    for (const id of linkIds) {
      const reply = await act(founder, 'DELETE', `/delete/useraclpolicy/${id}`);
      assert.equal(reply.status, 204, reply.text);
    }
  });
}

test('over HTTP: most cases can be brought about; what is refused are policies that only stored data can hold', () => {
  const requests = tried.reduce((sum, one) => sum + one.requests.length, 0);
  assert.ok(requests > 300 && tried.length > 3 * refused.length, JSON.stringify({ requests, refused }));
});

/** The ids of new policies that say so; none when they are refused, which is what becomes of broken ones. */
async function write(policies: readonly unknown[]): Promise<readonly string[] | undefined> {
  const replies = policies.map((statements) =>
    act(founder, 'POST', '/create/aclpolicy', { body: { name: `policy ${random()}`, statements } }),
  );
  const settled = await Promise.all(replies);
  for (const reply of settled) if (reply.status !== 201) assertRefusal(reply, [400]);
  return settled.every(({ status }) => status === 201) ? settled.map(({ body }) => body.id) : undefined;
}

interface Call {
  readonly method: string;
  readonly path: string;
  readonly options: CallOptions;
}

/** The call that asks for the action on the resource, where no more than that matters. */
function callOf({ action, resource, context }: CaseRequest): Call | undefined {
  if (action === undefined || resource === undefined || context !== undefined) return undefined;
  const [, place = '', entity = '', id = '', ...more] = resource.split('/');
  const route = routes.find((one) => one.place === place && action.toLowerCase() === one.verb + entity);
  const isPlain = entities.includes(entity) && more.length === 0 && /^[\w-]*$/.test(id);
  if (route === undefined || !isPlain || route.hasId !== id.length > 0) return undefined;
  return { method: route.method, path: resource, options: route.hasBody ? { body: {} } : {} };
}

/** Whether it depends on an order and its fields alone, whatever the order's id. */
function isOfRecord({ action, context = {}, usable, hidden }: CaseRequest, policies: readonly unknown[]): boolean {
  const { record, ...others } = context;
  const isAboutFields = usable !== undefined || hidden !== undefined;
  return (
    action === undefined &&
    (record !== undefined || isAboutFields) &&
    Object.keys(others).length === 0 &&
    Object.keys(record ?? {}).every((name) => fields.includes(name)) &&
    !/"Resource":\["(?!\*"\])|"request\./i.test(JSON.stringify(policies))
  );
}

async function tryRecord(request: CaseRequest): Promise<void> {
  const { usable = [], hidden = [] } = request;
  const named = [...usable, ...hidden].filter((name) => fields.includes(name));
  const body = { ...Object.fromEntries(named.map((name) => [name, 'x'])), ...request.context?.record };
  const { id } = await create(founder, 'order', body);
  const reply = await act(member, 'GET', `/item/order/${id}`);
  if (request.decision === 'allowed') assert.equal(reply.status, 200, JSON.stringify([request, reply.text]));
  else if (reply.status === 404) assertProblem(reply, 'not_found');
  else assertDecision(reply, request);
  for (const name of named.filter((one) => usable.includes(one))) assert.ok(name in reply.body, `${name} is shown`);
  for (const name of named.filter((one) => hidden.includes(one))) assert.ok(!(name in reply.body), `${name} is hidden`);
}

function assertDecision(reply: Reply, { decision, action, resource }: CaseRequest): void {
  const description = `${action} on ${resource}: ${reply.text}`;
  if (decision === 'allowed') assert.ok(reply.status !== 401 && reply.status !== 403, description);
  else assert.equal(assertProblem(reply, 'access_denied').reason, decision, description);
}
