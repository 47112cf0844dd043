/** That a policy decides alike by whichever name of a field, and that a rename opens nothing that was closed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AccessContext, Pending } from '../context/context.ts';
import type { FieldSet } from '../field-set.ts';
import type { Evaluation, Ruling } from '../ruling.ts';
import { compileAll, randomRequest, randomSample } from '../testing/agreement.ts';
import { Dice } from '../testing/dice.ts';
import { namingOf } from '../testing/random-naming.ts';
import { fieldNames } from '../testing/random-policies.ts';
import type { ReferenceRequest } from '../testing/reference-evaluator.ts';

const samples = 4000;

/** The names of each field, the present one first. No two begin or end alike. */
const fields = {
  text: ['text', 'body', 'note'],
  owner: ['owner', 'author'],
  tags: ['kinds', 'labels'],
  meta: ['meta', 'info'],
  plain: ['plain'],
} as const;
type Field = keyof typeof fields;
const known = Object.keys(fields) as readonly Field[];
const naming = namingOf(Object.values(fields));

/** The way a policy or a request calls a field: by its present name, or by any. */
type Caller = (field: Field) => string;
const byPresent: Caller = (field) => fields[field][0];

function variable(inside: string): string {
  return `$\u007b${inside}}`;
}

function conditionOf(dice: Dice, call: Caller): Readonly<Record<string, unknown>> {
  const root = dice.pick(['record', 'record', 'Record', 'record.before', 'record.after', 'request.body']);
  const parameter = dice.hits(50) ? call('text') : `${call('text')}_op`;
  return dice.pick<() => Readonly<Record<string, unknown>>>([
    () => ({ StringEquals: { [`${root}.${call('owner')}`]: variable('user.id') } }),
    () => ({ StringEquals: { [`${root}.${call('text').toUpperCase()}`]: 'a' } }),
    () => ({ StringNotEqualsIfExists: { [`${root}.${call('text')}`]: ['a', 'b'] } }),
    () => ({ 'ForAnyValue:StringLike': { [`${root}.${call('tags')}`]: 'a*' } }),
    () => ({ 'ForAllValues:StringNotEquals': { [`${root}.${call('tags')}`]: 'a' } }),
    () => ({ Null: { [`${root}.${call('text')}`]: dice.pick(['true', 'false']) } }),
    () => ({ StringEquals: { [`${root}.${call('meta')}.level`]: 'a' } }),
    () => ({ StringEquals: { 'user.id': variable(`${root}.${call('owner')}, 'a'`) } }),
    () => ({ StringEquals: { [`request.queryParameters.${parameter}`]: 'a' } }),
    () => ({ Null: { [`${root}.${call('plain')}`]: 'false' }, Bool: { [`${root}.${call('text')}`]: 'true' } }),
  ])();
}

function fieldsOf(dice: Dice, call: Caller): readonly string[] {
  return dice.list(1, 3, () => {
    const name = call(dice.pick(known));
    const pattern = dice.pick([name, name, `${name.slice(0, 1)}*`, `*${name.slice(-3)}`, '*']);
    return `${dice.hits(35) ? '!' : ''}${pattern}`;
  });
}

function statementOf(dice: Dice, call: Caller): Readonly<Record<string, unknown>> {
  const resources = ['*', '*', '/item/order/*', `/item/order/${variable(`record.${call('owner')}`)}`];
  return {
    Effect: dice.hits(65) ? 'Allow' : 'Deny',
    Action: '*',
    Resource: dice.pick(resources),
    ...(dice.hits(60) ? { Condition: conditionOf(dice, call) } : {}),
    ...(dice.hits(50) ? { Fields: fieldsOf(dice, call) } : {}),
  };
}

/** The same policy twice: dice of one seed make the same choices, but for the names. */
function policiesOf(seed: number): readonly (readonly unknown[])[] {
  const others = new Dice(seed + 1);
  const byAny: Caller = (field) => others.pick<string>(fields[field]);
  return [byPresent, byAny].map((call) => {
    const dice = new Dice(seed);
    return dice.list(1, 4, () => statementOf(dice, call));
  });
}

function valuesOf(dice: Dice, call: Caller): Readonly<Record<string, unknown>> {
  const text = () => dice.pick<unknown>(['a', 'b', 'u1', true, null, 1]);
  const values = {
    text: text(),
    owner: dice.pick(['u1', 'u2', 'a']),
    tags: dice.list(0, 2, text),
    meta: { level: text() },
  };
  const present = Object.entries(values).filter(() => dice.hits(75));
  return Object.fromEntries([...present.map(([field, value]) => [call(field as Field), value]), ['plain', text()]]);
}

function contextOf(seed: number, call: Caller): AccessContext {
  const dice = new Dice(seed);
  const isUpdate = dice.hits(50);
  const [record, after] = [valuesOf(dice, byPresent), valuesOf(dice, byPresent)];
  const parameters = valuesOf(dice, (field) => (dice.hits(50) ? call(field) : `${call(field)}_op`));
  return {
    request: {
      method: 'GET',
      path: '/item/order/u1',
      pathParameters: { entity: 'order', id: 'u1' },
      queryParameters: new Map(Object.entries(parameters)),
      body: valuesOf(dice, call),
      ip: '10.0.0.1',
      time: 0,
    },
    user: { id: dice.pick(['u1', 'a']), email: '' },
    tenant: { id: 't', code: 't' },
    jwt: {},
    record,
    ...(isUpdate ? { before: record, after } : {}),
    naming,
  };
}

/** Everything that a ruling lets be asked, with each field under each of its names. */
function described(ruling: Ruling, records: readonly Readonly<Record<string, unknown>>[]): unknown {
  const names = [...naming.byName.keys(), 'id', 'zz'];
  const set = (some: FieldSet | undefined) => some && names.filter((name) => some.has(name));
  const evaluated = ({ outcome, fields: some, isProvisional }: Evaluation) => [outcome, set(some), isProvisional];
  const { outcome, needs, fields: own, sureFields, possibleFields, equalities } = ruling;
  const judgements = records.map((record) =>
    evaluated(ruling.evaluate(record, 'u1', { before: record, after: 'open' })),
  );
  // A list looks for texts in fields alone.
  const ofFields = equalities.filter(({ field }) => naming.byName.has(field));
  return [outcome, needs, set(own), set(sureFields), set(possibleFields), ofFields, judgements];
}

test('a policy decides alike by whichever names of fields, and so it does of requests that use them', () => {
  const seen: Record<string, number> = {};
  for (let seed = 0; seed < samples; seed++) {
    const policies = policiesOf(seed);
    const others = new Dice(-seed);
    const byAny: Caller = (field) => others.pick<string>(fields[field]);
    const pending = new Dice(seed).pick<readonly Pending[]>([[], [], ['record'], ['record', 'body'], ['body']]);
    const records = [1, 2, 3].map((number) => valuesOf(new Dice(seed + number), byPresent));
    const answers = policies.flatMap((statements) =>
      [contextOf(seed, byPresent), contextOf(seed, byAny)].map(({ record, ...context }) => {
        const access = compileAll([statements]);
        const known =
          pending.includes('record') || record === undefined
            ? { ...context, pending }
            : { ...context, record, pending };
        const ruling = access.rule('getorder', '/item/order/u1', () => known);
        const explained = access.explain('getorder', '/item/order/u1', () => known).decision;
        const onSome = access.ruleOnSome('getorder', '/item/order/', () => known);
        const denials = access.denials('getorder', '/item/order/', () => known);
        return [explained, ...[ruling, onSome, denials].map((one) => described(one, records))];
      }),
    );
    const describe = () => JSON.stringify({ seed, policies });
    for (const answer of answers) assert.deepEqual(answer, answers[0], describe());
    const outcome = String(answers[0]?.[0]);
    seen[outcome] = (seen[outcome] ?? 0) + 1;
  }
  for (const outcome of ['allowed', 'explicit_deny', 'implicit_deny', 'undecided'])
    assert.ok((seen[outcome] ?? 0) > samples / 20, JSON.stringify(seen));
});

/** The same request after a field was renamed: records and senders call it by its new name. */
function afterRename({ context, ...request }: ReferenceRequest, field: string, to: string): ReferenceRequest {
  const names = fieldNames.map((name) => (name === field ? [to, name] : [name]));
  const moved = (members: unknown): unknown =>
    typeof members === 'object' && members !== null && !Array.isArray(members)
      ? Object.fromEntries(Object.entries(members).map(([name, value]) => [name === field ? to : name, value]))
      : members;
  const states = (['record', 'before', 'after'] as const).flatMap((state) =>
    context[state] === undefined ? [] : [[state, moved(context[state])] as const],
  );
  const { body, queryParameters, ...others } = context.request;
  const parameters = new Map([...queryParameters].map(([name, value]) => [name === field ? to : name, value]));
  const sent = { ...others, queryParameters: parameters, ...(body === undefined ? {} : { body: moved(body) }) };
  return { ...request, context: { ...context, ...Object.fromEntries(states), request: sent, naming: namingOf(names) } };
}

/** Those of random policies with Denies alone, beside an Allow of everything. */
function deniesOf(policies: readonly unknown[]): readonly unknown[] {
  const denied = policies
    .filter(Array.isArray)
    .map((statements) =>
      statements.map((one: unknown) => (typeof one === 'object' && one !== null ? { ...one, Effect: 'Deny' } : one)),
    );
  return [...denied, [{ Effect: 'Allow', Action: '*', Resource: '*' }]];
}

/** No random policy, record or body has one of these names. Some match patterns of random policies: there, an Allow takes them. */
const newNames = { policies: ['zz9'], denies: ['zz9', 's9', 'xax', 'q', 'statusq'] } as const;

for (const kind of ['policies', 'denies'] as const)
  test(`after a rename a caller may do nothing that was not allowed before, to the last field: ${kind}`, () => {
    const dice = new Dice(7);
    let allowed = 0;
    for (let number = 0; number < samples * 2; number++) {
      const sample = randomSample(dice);
      const policies = kind === 'denies' ? deniesOf(sample.policies) : sample.policies;
      const field = dice.pick(['status', 'Status', 'owner', 'n', 'data']);
      const to = dice.pick<string>(newNames[kind]);
      const before = randomRequest(dice, sample.palette);
      const after = afterRename(before, field, to);
      const access = compileAll(policies);
      const [was, is] = [before, after].map(({ action, resource, context }) =>
        access.rule(action, resource, () => context),
      );
      if (is?.outcome !== 'allowed') continue;
      allowed += 1;
      const describe = () => JSON.stringify({ field, policies, before, after });
      assert.equal(was?.outcome, 'allowed', describe());
      for (const name of fieldNames)
        assert.ok(is.fields?.has(name) === false || was?.fields?.has(name) !== false, `${name}: ${describe()}`);
      assert.equal(is.fields?.has(to), is.fields?.has(field), describe());
    }
    assert.ok(allowed > samples / 8, String(allowed));
  });
