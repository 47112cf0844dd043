import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AccessContext, Pending } from '../context/context.ts';
import { type CompiledAccess, compilePolicies } from '../decide.ts';
import type { FieldSet } from '../field-set.ts';
import type { RecordStates, Ruling } from '../ruling.ts';
import { attach, randomRequest } from '../testing/agreement.ts';
import { Dice } from '../testing/dice.ts';
import { entities, ids, type Palette, randomMembers, randomPalette } from '../testing/random-context.ts';
import { randomNamedRequest } from '../testing/random-naming.ts';
import { fieldNames, randomStatement } from '../testing/random-policies.ts';

const samples = 150;
const requestsPerSample = 4;

/** Statements that often begin alike or demand texts under the same key, among any others. */
function manyStatements(dice: Dice, palette: Palette): readonly unknown[] {
  const statement = (): unknown => {
    const random = randomStatement(dice, palette);
    if (dice.hits(25)) return random;
    const { Fields: _, Condition, ...others } = random as Readonly<Record<string, object>>;
    return {
      ...others,
      Effect: dice.hits(75) ? 'Allow' : 'Deny',
      Resource: dice.list(1, 2, () => resource(dice)),
      ...(dice.hits(75) ? { Condition: { ...(dice.hits(25) ? Condition : {}), ...demand(dice, palette) } } : {}),
      ...(dice.hits(40) ? { Fields: dice.list(1, 2, () => dice.pick(fieldNames)) } : {}),
    };
  };
  return dice.list(1, 3, () => Array.from({ length: 4 + dice.below(12) }, statement));
}

function resource(dice: Dice): string {
  const place = dice.pick(['/item/', '/item/', '/update/', '/list/']);
  const entity = place + dice.pick(entities);
  const variable = `$\u007b${dice.pick(['user.id', 'record.owner', '*', 'request.pathParameters.id'])}}`;
  const endings = ['', '*', '/*', `/${dice.pick(ids)}`, `/${dice.pick(ids)}*`, `/?*`, `/${variable}`, `/u*1`];
  const id = dice.pick(ids);
  const anywhere = [`/*/${id}`, `*${id}`, `*/${dice.pick(entities)}/${id}`, `/*${variable}/${id}`, `/*/${variable}`];
  return dice.pick(['*', `${place}*`, `${place}o*`, ...endings.map((ending) => entity + ending), ...anywhere]);
}

function demand(dice: Dice, palette: Palette): object {
  const operator = dice.pick(['StringEquals', 'StringEquals', 'ForAnyValue:StringEquals', 'StringEqualsIfExists']);
  const keys = ['record.status', 'record.status', 'record.owner', 'record.tags', 'record.n', 'user.id', 'jwt.status'];
  const texts = [...palette.text, ...palette.number, ...ids, `$\u007b*}`, `$\u007buser.id}`].map(String);
  return { [operator]: { [dice.pick(keys)]: dice.list(1, 2, () => dice.pick(texts)) } };
}

function withhold({ record, ...others }: AccessContext, pending: readonly Pending[]): AccessContext {
  const isKnown = record !== undefined && !pending.includes('record');
  return { ...others, ...(isKnown ? { record } : {}), ...(pending.length === 0 ? {} : { pending }) };
}

interface IndexingCase {
  readonly records: readonly Readonly<Record<string, unknown>>[];
  readonly states: readonly RecordStates[];
}

function assertSame(indexed: Ruling, plain: Ruling, { records, states }: IndexingCase): void {
  const describe = ({ outcome, needs, equalities }: Ruling) => ({ outcome, needs, equalities });
  assert.deepEqual(describe(indexed), describe(plain));
  for (const part of ['fields', 'sureFields', 'possibleFields'] as const) assertSameFields(indexed[part], plain[part]);
  for (const record of records)
    for (const id of [undefined, 'u1', 'a/b'])
      for (const state of states) {
        const [left, right] = [indexed.evaluate(record, id, state), plain.evaluate(record, id, state)];
        assert.deepEqual([left.outcome, left.isProvisional], [right.outcome, right.isProvisional]);
        assertSameFields(left.fields, right.fields);
      }
}

function assertSameFields(left: FieldSet | undefined, right: FieldSet | undefined): void {
  assert.equal(left === undefined, right === undefined);
  for (const name of fieldNames) assert.equal(left?.has(name), right?.has(name), name);
}

function assertAgree(one: CompiledAccess, other: CompiledAccess, dice: Dice, palette: Palette): string {
  const request = dice.hits(50) ? randomRequest(dice, palette) : randomNamedRequest(dice, palette);
  const { action, resource } = request;
  const record = (): Readonly<Record<string, unknown>> => randomMembers(dice, palette);
  const query = {
    records: [request.context.record ?? {}, ...dice.list(3, 3, record)],
    states: [{}, { before: record(), after: record() }, { before: record(), after: 'open' as const }],
  };
  const paths = dice.list(4, 4, () => `/${dice.pick(['item', 'update'])}/${dice.pick(entities)}/${dice.pick(ids)}`);
  const outcomes: string[] = [];
  for (const pending of [[], ['record'], ['record', 'body'], ['record', 'after'], ['record', 'id']] as const) {
    const context = withhold(request.context, pending);
    const both = (rule: (access: CompiledAccess) => Ruling) => {
      const [indexed, plain] = [rule(one), rule(other)];
      assertSame(indexed, plain, query);
      outcomes.push(plain.outcome);
    };
    both((access) => access.rule(action, resource, () => context));
    for (const path of paths) both((access) => access.rule(action, path, () => context));
    both((access) => access.ruleOnSome(action, '/item/order/', () => context));
    both((access) => access.denials(action, '/item/order/', () => context));
    assert.deepEqual(
      one.explain(action, resource, () => context),
      other.explain(action, resource, () => context),
    );
  }
  assert.deepEqual(
    one.renamedFields(action, () => request.context),
    other.renamedFields(action, () => request.context),
  );
  return outcomes.join(' ');
}

test('many statements decide as they do looked at one by one', () => {
  const dice = new Dice(7);
  const seen = new Map<string, number>();
  for (let number = 0; number < samples; number++) {
    const palette = randomPalette(dice);
    const policies = manyStatements(dice, palette);
    const attached = policies.map(attach);
    const indexed = compilePolicies(attached, { statements: 1, texts: 1 + dice.below(3) });
    const plain = compilePolicies(attached, { statements: Number.POSITIVE_INFINITY, texts: 1 });
    try {
      for (let count = 0; count < requestsPerSample; count++)
        for (const outcome of assertAgree(indexed, plain, dice, palette).split(' '))
          seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
    } catch (cause) {
      throw new Error(`sample ${number}: ${JSON.stringify(policies)}`, { cause });
    }
  }
  for (const outcome of ['allowed', 'explicit_deny', 'implicit_deny', 'undecided'])
    assert.ok((seen.get(outcome) ?? 0) > samples, `${outcome}: ${seen.get(outcome)}`);
});
