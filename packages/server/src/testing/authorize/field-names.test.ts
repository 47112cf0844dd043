/** That it makes no difference to any route by which of its names a policy calls a field. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { compilePolicies } from '../../access/decide.ts';
import type { Verb } from '../../access/port.ts';
import { requestAlone } from '../../authorize/authorization-request.ts';
import { authorize } from '../../authorize/authorize.ts';
import type { ConfigReader } from '../../config/config-reader.ts';
import { createDecisionLog, type DecisionLog } from '../../iam/decisions/decision-log.ts';
import { andThen } from '../../lib/maybe-promise.ts';
import { Problem } from '../../lib/problem.ts';
import type { AppCaller } from '../../people/sessions/app-sessions.ts';
import type { AuthorizedCall } from '../../records/caller-access.ts';
import { exportRecords } from '../../records/import-export/export-records.ts';
import { importRecords } from '../../records/import-export/import-records.ts';
import { scopeToCaller } from '../../records/listing/list-scope.ts';
import { authorizeBody } from '../../records/port.ts';
import { presentationOf, presentRecords, writtenText } from '../../records/present-records.ts';
import type { RecordData } from '../../records/record.ts';
import { namingOf } from '../../schema/definition.ts';
import { listAll, listQuery, type Node, openBench, type RecordBench, user } from '../record-bench.ts';

/** By its present name, and the names that it had. */
const formerly = { text: ['body', 'note'], owner_id: ['author'], tags: ['labels'], ticket_id: ['about'] } as const;
type Field = keyof typeof formerly;

interface Fixture {
  readonly bench: RecordBench;
  readonly node: Node;
  /** The node's, where the fields of both entities have former names. */
  readonly configs: ConfigReader;
  readonly tickets: readonly RecordData[];
}

async function fixtureOf(context: TestContext): Promise<Fixture> {
  const bench = await openBench(context, 'memory');
  const node = bench.node();
  const fields = [
    { name: 'owner_id', index: true },
    { name: 'text', index: true, search: true },
    { name: 'tags', colType: 'array', items: { colType: 'string' } },
    { name: 'plain' },
  ];
  await node.admin.define('acme', { entityName: 'ticket', UpdateParams: fields });
  const lookup = { name: 'ticket_id', colType: 'guid', index: true, lookup: { entity: 'ticket' } };
  await node.admin.define('acme', { entityName: 'remark', UpdateParams: [...fields, lookup] });
  for (let index = 0; index < 6; index++) {
    bench.clock.advance(1);
    const owner_id = index % 2 === 0 ? user : 'ann';
    const values = { owner_id, text: ['a', 'b', 'ab'][index % 3], tags: index < 3 ? ['x'] : ['y', 'z'], plain: 'p' };
    const ticket = await node.runtime.create(await node.call('ticket'), values);
    await node.runtime.create(await node.call('remark'), { ...values, ticket_id: ticket.data.id });
  }
  const tickets = await listAll(node, await node.call('ticket'));
  return { bench, node, configs: withFormerNames(node.configs), tickets };
}

function withFormerNames(configs: ConfigReader): ConfigReader {
  const current: ConfigReader['current'] = (orgCode) =>
    andThen(configs.current(orgCode), (config) => ({
      ...config,
      entity: (name) =>
        andThen(config.entity(name), (entity) => {
          if (entity === undefined) return undefined;
          const named = entity.definition.UpdateParams.map((field) => {
            return { ...field, formerNames: formerly[field.name as Field] ?? [] };
          });
          return { ...entity, naming: namingOf(named) };
        }),
    }));
  return { ...configs, current };
}

const claims = { sub: user, org: 'acme', env: 'test', tenant_code: 'main', email: 'u@example.com', role: '' };

interface Caller {
  readonly fixture: Fixture;
  readonly statements: readonly unknown[];
  readonly decisions: DecisionLog;
}

interface VerbRequest {
  readonly verb: Verb;
  readonly entityName: string;
  readonly id?: string | undefined;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

async function callOf({ fixture, statements, decisions }: Caller, requested: VerbRequest): Promise<AuthorizedCall> {
  const { bench, configs } = fixture;
  const access = compilePolicies([{ policyId: 'p', policyName: 'p', via: { kind: 'direct' }, statements }]);
  const caller = { kind: 'person', claims, place: { workspace: bench.workspace, access } } as unknown as AppCaller;
  const requester = { caller, requestId: 'r', ip: '127.0.0.1', origin: undefined, time: bench.clock.now() };
  const query = new URLSearchParams(requested.query ?? {}).toString();
  const { body, ...request } = requested;
  const call = await authorize(
    { configs: { test: configs, prod: configs }, decisions },
    requester,
    requestAlone({ ...request, query }),
  );
  return authorizeBody(call, body);
}

type Ask = (caller: Caller) => Promise<unknown>;

const listBy =
  (query: Readonly<Record<string, string>>, entityName = 'ticket'): Ask =>
  async (caller) => {
    const call = await callOf(caller, { verb: 'list', entityName, query });
    const page = await caller.fixture.node.runtime.list(call, scopeToCaller(call, listQuery(call, query)));
    return presentRecords(call, presentationOf(call, 'list'), page.items);
  };

const updateTo =
  (body: Readonly<Record<string, unknown>>): Ask =>
  async (caller) => {
    const [, ticket] = caller.fixture.tickets;
    const call = await callOf(caller, { verb: 'update', entityName: 'ticket', id: ticket?.id, body });
    const { runtime } = caller.fixture.node;
    const written = await runtime.update(call, { id: ticket?.id ?? '', body });
    return presentRecords(call, presentationOf(call, 'update'), [writtenText(call, written, body)]);
  };

/** Every way in which an app asks the policies, each beginning with the same records. */
const asks: Readonly<Record<string, Ask>> = {
  list: listBy({}),
  'filter by the field': listBy({ text: 'a' }),
  'filter in CEL': listBy({ filter: 'text == "a" || size(tags) == 2' }),
  'sort by the field': listBy({ sortby: 'text' }),
  search: listBy({ q: 'ab' }),
  'list of others': listBy({ owner_id: 'ann' }),
  'filter over a lookup': listBy({ filter: 'ticket_id.text == "a"' }, 'remark'),
  count: async (caller) => {
    const call = await callOf(caller, { verb: 'count', entityName: 'ticket' });
    return caller.fixture.node.runtime.count(call, scopeToCaller(call, listQuery(call)));
  },
  get: async (caller) => {
    const shown: unknown[] = [];
    for (const { id } of caller.fixture.tickets) {
      const call = await callOf(caller, { verb: 'get', entityName: 'ticket', id });
      const text = await caller.fixture.node.runtime.get(call, id).catch(refusalOf);
      shown.push(text && 'value' in text ? await presentRecords(call, presentationOf(call, 'get'), [text]) : text);
    }
    return shown;
  },
  'get of what a lookup points to': async (caller) => {
    const call = await callOf(caller, { verb: 'list', entityName: 'remark' });
    const entity = await call.config.entity('ticket');
    return caller.fixture.tickets.map((ticket) => {
      const rows = entity && call.access.rows({ verb: 'get', entity, id: ticket.id });
      const grant = rows === undefined ? 'all' : rows.judge(ticket);
      return grant === 'all' || grant === undefined
        ? grant
        : Object.keys(ticket).filter((name) => grant.fields?.has(name) !== false);
    });
  },
  create: async (caller) => {
    const body = { text: 'new', owner_id: user, plain: 'p' };
    const call = await callOf(caller, { verb: 'create', entityName: 'ticket', body });
    const { data, version } = await caller.fixture.node.runtime.create(call, body);
    const [shown = ''] = await presentRecords(call, presentationOf(call, 'create'), [
      writtenText(call, { data, version }, body),
    ]);
    return { ...(JSON.parse(shown) as object), id: '', created_at: '', updated_at: '', version: 0 };
  },
  'update of the field': updateTo({ text: 'new' }),
  'update that sends it back': updateTo({ text: 'b', plain: 'q' }),
  'update that gives it away': updateTo({ owner_id: 'bob', plain: 'q' }),
  export: async (caller) => {
    const call = await callOf(caller, { verb: 'list', entityName: 'ticket' });
    const configs = caller.fixture.configs;
    const query = scopeToCaller(call, listQuery(call));
    let text = '';
    for await (const piece of exportRecords(call, {
      format: 'csv',
      query,
      presentation: presentationOf(call, 'list'),
      configs,
    }))
      text += piece;
    return text;
  },
  import: async (caller) => {
    const call = await callOf(caller, { verb: 'create', entityName: 'ticket' });
    const rows = [{ text: 'a', owner_id: user }, { plain: 'p' }, { owner_id: 'ann', tags: ['x'] }];
    const bytes = (async function* () {
      yield Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    })();
    const request = {
      format: 'jsonl',
      bytes,
      upsert: undefined,
      isDry: true,
      configs: caller.fixture.configs,
    } as const;
    const run = importRecords(caller.fixture.node.runtime.bulk, call, request);
    let step = await run.next();
    while (step.done !== true) step = await run.next();
    return {
      ...step.value,
      errors: step.value.errors.map(({ row, errors }) => [row, errors.map(({ pointer, code }) => [pointer, code])]),
    };
  },
};

function refusalOf(error: unknown) {
  assert.ok(error instanceof Problem, String(error));
  const { decision_id: _, ...details } = error.details;
  return { code: error.code, message: error.message, details };
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** What each way is answered, each on records of its own, with ids in the order in which they come up. */
async function answersTo(
  context: TestContext,
  statements: readonly unknown[],
): Promise<Readonly<Record<string, string>>> {
  const answers: Record<string, string> = {};
  for (const [name, ask] of Object.entries(asks)) {
    const fixture = await fixtureOf(context);
    const caller = { fixture, statements, decisions: createDecisionLog(fixture.bench.clock) };
    const answer = JSON.stringify((await ask(caller).catch(refusalOf)) ?? null);
    const ids = new Map([...new Set(answer.match(uuid))].map((id, index) => [id, `id ${index}`]));
    answers[name] = answer.replace(uuid, (id) => ids.get(id) ?? id);
  }
  return answers;
}

const allow = { Effect: 'Allow', Action: '*', Resource: '*' };
const deny = { ...allow, Effect: 'Deny' };
const variable = (inside: string): string => `$\u007b${inside}}`;
const userId = variable('user.id');

/** Policies that use the given names of fields. `patterns` that match one name of a field match none of another field. */
const policies: Readonly<Record<string, (call: (field: Field) => string) => readonly unknown[]>> = {
  'an Allow of fields': (call) => [{ ...allow, Fields: [call('owner_id'), call('text'), 'plain'] }],
  'an Allow with exceptions': (call) => [{ ...allow, Fields: ['*', `!${call('text')}`] }],
  'an Allow by wildcards': (call) => [
    { ...allow, Fields: [`${call('text').slice(0, 2)}*`, 'plain', `*${call('owner_id').slice(-3)}`] },
  ],
  'a Deny of fields': (call) => [allow, { ...deny, Fields: [call('text'), call('tags')] }],
  'a Deny by a wildcard': (call) => [allow, { ...deny, Action: 'get*', Fields: [`${call('text').slice(0, 2)}*`] }],
  'a Deny with exceptions': (call) => [
    allow,
    { ...deny, Action: ['list*', 'update*'], Fields: ['*', `!${call('owner_id')}`, '!plain'] },
  ],
  'own records': (call) => [{ ...allow, Condition: { StringEquals: { [`record.${call('owner_id')}`]: userId } } }],
  'a Deny by a value': (call) => [allow, { ...deny, Condition: { StringEquals: { [`record.${call('text')}`]: 'a' } } }],
  'values of an array': (call) => [
    { ...allow, Condition: { 'ForAnyValue:StringEquals': { [`record.${call('tags')}`]: 'x' } } },
  ],
  'an absent value': (call) => [allow, { ...deny, Condition: { Null: { [`record.${call('tags')}`]: 'true' } } }],
  'states of the record': (call) => [
    { ...allow, Condition: { StringNotEquals: { [`record.before.${call('owner_id')}`]: 'ann' } } },
    { ...deny, Condition: { StringEquals: { [`record.after.${call('owner_id')}`]: 'bob' } } },
  ],
  'what is sent': (call) => [
    allow,
    { ...deny, Condition: { Null: { [`request.body.${call('text')}`]: 'false' } } },
    { ...deny, Condition: { Null: { [`request.queryParameters.${call('text')}`]: 'false' } } },
  ],
  'a variable': (call) => [
    { ...allow, Condition: { StringEquals: { 'user.id': variable(`record.${call('owner_id')}`) } } },
  ],
  'a form whose field may be read': (call) => [
    { ...allow, Action: 'update*', Fields: ['plain'] },
    { ...allow, Action: 'get*', Fields: ['plain', call('text')] },
  ],
  'a form whose field may not be read': (call) => [
    { ...allow, Action: 'update*', Fields: ['plain'] },
    { ...allow, Action: 'get*' },
    { ...deny, Action: 'get*', Fields: [call('text')] },
  ],
  'fields under a condition': (call) => [
    { ...allow, Fields: ['plain', call('owner_id')] },
    { ...allow, Condition: { StringEquals: { [`record.${call('owner_id')}`]: userId } } },
  ],
};

for (const [name, policy] of Object.entries(policies))
  test(`every route answers alike by whichever name of a field: ${name}`, async (context) => {
    const byPresent = await answersTo(
      context,
      policy((field) => field),
    );
    const byFormer = await answersTo(
      context,
      policy((field) => formerly[field][0]),
    );
    assert.deepEqual(byFormer, byPresent);
    const byNone = await answersTo(
      context,
      policy(() => 'missing'),
    );
    assert.notDeepEqual(byNone, byPresent);
  });
