/** Policies made from the document of an app alone are created, and those that do not fit it are refused. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { documentedApp } from './documented-gateway.ts';
import type { Schema } from './openapi-document.ts';
import { foundedOrg } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { valuesOf } from './schema-values.ts';

const gateways = await platformForTests();
const { founder } = await foundedOrg(gateways);
const { token } = founder;
const app = await documentedApp(founder);
const { document } = app;
const createPolicy = document.operation('createAclpolicy');

interface Statement {
  readonly Sid?: string;
  readonly Condition?: object;
}

function ofDocument(name: string): Schema {
  return { $ref: `openapi:document#/components/schemas/${name}` };
}

let count = 0;

function created(statements: unknown) {
  count += 1;
  const body = { name: `policy ${count}`, statements };
  return { isFit: document.fits(createPolicy.body ?? {}, body), reply: app.send('createAclpolicy', { token, body }) };
}

test('each of forty policies that are made from the document is created', async () => {
  const statement = valuesOf(document, ofDocument('PolicyStatement'));
  const conditions = new Set<string>();
  // No two statements have one label, which a schema cannot say.
  const statements = fc
    .array(statement as fc.Arbitrary<Statement>, { minLength: 1, maxLength: 4 })
    .map((some) => some.map(({ Sid = '', ...one }, index) => ({ ...one, Sid: `${Sid.slice(0, 100)}${index}` })));
  await fc.assert(
    fc.asyncProperty(statements, async (made) => {
      const { isFit, reply } = created(made);
      assert.ok(isFit, JSON.stringify(made));
      const { status, text } = await reply;
      assert.equal(status, 201, `${JSON.stringify(made)} ${text}`);
      for (const { Condition = {} } of made) for (const name of Object.keys(Condition)) conditions.add(name);
    }),
    { numRuns: 40 },
  );
  assert.ok(conditions.size > 10, [...conditions].join());
});

test('each text of an action, a resource, a label and a key that fits the document is taken', async () => {
  const part = (schema: Schema, path: readonly string[]): Schema =>
    path.reduce<Schema>((at, name) => document.resolve(at)[name] as Schema, schema);
  const statement = ofDocument('PolicyStatement');
  const textsOf = (schema: Schema) =>
    fc
      .stringMatching(new RegExp(String(document.resolve(schema).pattern), 'u'), { size: 'small' })
      .filter((text) => document.fits(schema, text));
  const made = fc.record({
    Sid: textsOf(part(statement, ['properties', 'Sid'])),
    Effect: fc.constantFrom('Allow', 'Deny'),
    Action: textsOf(part(statement, ['properties', 'Action', 'anyOf', '0'])),
    Resource: textsOf(part(statement, ['properties', 'Resource', 'anyOf', '0'])),
    Condition: textsOf(ofDocument('PolicyKey')).map((key) => ({ Bool: { [key]: true } })),
  });
  const policies = fc.uniqueArray(made, { minLength: 1, maxLength: 10, selector: ({ Sid }) => Sid });
  await fc.assert(
    fc.asyncProperty(policies, async (statements) => {
      const { isFit, reply } = created(statements);
      const { status, text } = await reply;
      assert.deepEqual([isFit, status], [true, 201], `${JSON.stringify(statements)} ${text}`);
    }),
    { numRuns: 30 },
  );
});

const sound = { Effect: 'Allow', Action: ['get*'], Resource: ['*'] };
const refused: readonly (readonly [what: string, statement: unknown])[] = [
  ['no statement', 'Allow'],
  ['no effect', { Action: '*', Resource: '*' }],
  ['an effect in lower case', { ...sound, Effect: 'allow' }],
  ['an action without a verb', { ...sound, Action: ['order'] }],
  ['no action', { ...sound, Action: [] }],
  ['a resource that is no path', { ...sound, Resource: ['item/*'] }],
  ['a variable without its end', { ...sound, Resource: '/item/$\u007buser.id' }],
  ['the role in a variable', { ...sound, Resource: '/item/$\u007bjwt.role}' }],
  ['a member that is not known', { ...sound, NotAction: '*' }],
  ['an unknown operator', { ...sound, Condition: { Equals: { 'user.id': 'a' } } }],
  ['a qualifier with a suffix', { ...sound, Condition: { 'ForAnyValue:BoolIfExists': { 'record.a': true } } }],
  ['a key that is none', { ...sound, Condition: { StringEquals: { 'user.name': 'a' } } }],
  ['the role as a key', { ...sound, Condition: { StringEquals: { 'jwt.role': 'admin' } } }],
  ['no value', { ...sound, Condition: { StringEquals: { 'user.id': [] } } }],
  ['a word for a number', { ...sound, Condition: { NumericEquals: { 'record.n': 'one' } } }],
  ['a word for a date', { ...sound, Condition: { DateLessThan: { 'request.time': 'now' } } }],
  ['a word for a truth', { ...sound, Condition: { Bool: { 'record.b': 'yes' } } }],
  ['a word for an address', { ...sound, Condition: { IpAddress: { 'request.ip': 'home' } } }],
  ['no field', { ...sound, Fields: [] }],
  ['an unknown mode', { ...sound, Mode: 'off' }],
];

for (const [what, statement] of refused)
  test(`a policy with ${what} does not fit the document, and is refused`, async () => {
    const { isFit, reply } = created([statement]);
    assert.equal(isFit, false);
    assert.equal((await reply).status, 400);
  });
