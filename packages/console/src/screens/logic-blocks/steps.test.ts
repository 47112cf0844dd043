import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inputOf, type Schema } from '../../components/schema-form/schema.ts';
import { stepKindsOf } from './step-schemas.ts';
import { moved, newStepId, placeIn, summaryOf, whyNoForm } from './steps.ts';

const nested: Schema = {
  type: 'array',
  items: { type: 'object', $ref: '#/$defs/LogicStep' },
  minItems: 1,
  maxItems: 100,
};

function kind(type: string, members: Readonly<Record<string, Schema>>, optional: readonly string[] = []): Schema {
  const properties = { id: { type: 'string', pattern: '^[a-z]' }, type: { const: type }, ...members };
  return { type: 'object', properties, required: Object.keys(properties).filter((name) => !optional.includes(name)) };
}

const kinds = stepKindsOf({
  properties: {
    steps: {
      type: 'array',
      items: {
        oneOf: [
          kind('create', { entity: { type: 'string' }, values: { type: 'object' } }),
          kind('loop', { over: {}, max: { type: 'integer', minimum: 1 }, steps: nested }),
          kind('parallel', { branches: { type: 'array', items: nested, minItems: 2, maxItems: 8 } }),
          kind(
            'switch',
            {
              on: {},
              cases: {
                type: 'array',
                items: { type: 'object', properties: { is: {}, steps: nested }, required: ['is', 'steps'] },
              },
              default: nested,
            },
            ['default'],
          ),
          kind('condition', { if: { anyOf: [{ type: 'array' }, { type: 'string' }] }, on_error: { anyOf: [] } }, [
            'on_error',
          ]),
        ],
      },
    },
  },
});

test('a kind of steps has a form for its members, and lists for the steps within it', () => {
  assert.deepEqual([...kinds.keys()], ['create', 'loop', 'parallel', 'switch', 'condition']);
  const members = [...kinds].map(([type, { schema }]) => [type, ...Object.keys(schema.properties ?? {})]);
  assert.deepEqual(members, [
    ['create', 'id', 'type', 'entity', 'values'],
    ['loop', 'id', 'type', 'over', 'max'],
    ['parallel', 'id', 'type'],
    ['switch', 'id', 'type', 'on'],
    ['condition', 'id', 'type', 'if'],
  ]);
  const within = [...kinds].map(([, one]) => one.within.map((list) => `${list.kind} ${list.member}`));
  assert.deepEqual(
    [...kinds.values()].map(({ hasOnError }) => hasOnError),
    [false, false, false, false, true],
  );
  assert.deepEqual(within, [[], ['steps steps'], ['branches branches'], ['cases cases', 'steps default'], []]);
});

test('templates are typed as texts, and values by their names', () => {
  const input = (type: string, member: string) => inputOf(kinds.get(type)?.schema.properties?.[member] ?? {}).kind;
  assert.deepEqual(
    [input('create', 'values'), input('loop', 'over'), input('loop', 'max'), input('condition', 'if')],
    ['headers', 'text', 'number', 'text'],
  );
});

test('a new step begins with what is required', () => {
  assert.deepEqual(
    [...kinds.values()].map(({ initial }) => initial),
    [
      { type: 'create', entity: '', values: {} },
      { type: 'loop', over: '', max: 1, steps: [] },
      { type: 'parallel', branches: [[], []] },
      { type: 'switch', on: '', cases: [{ is: '', steps: [] }] },
      { type: 'condition', if: '' },
    ],
  );
});

test('steps are moved, and a new one has an id of its own, also beside steps within others', () => {
  assert.deepEqual(moved(['a', 'b', 'c'], 0, 2), ['b', 'c', 'a']);
  assert.deepEqual(moved(['a', 'b', 'c'], 2, 0), ['c', 'a', 'b']);
  const steps = [{ id: 'get' }, { id: 'each', steps: [{ id: 'get_2' }], cases: [{ steps: [{ id: 'get_3' }] }] }];
  assert.deepEqual([newStepId('get', steps), newStepId('list', steps)], ['get_4', 'list']);
});

test('a step is told from others by what it works on', () => {
  assert.equal(summaryOf({ id: 'a', type: 'get', entity: 'order' }), 'order');
  assert.equal(summaryOf({ id: 'a', type: 'wait', seconds: 5 }), '5');
  assert.equal(summaryOf({ id: 'a', type: 'transform', value: 1 }), '');
});

test('a pointer leads to the innermost step that it passes, by its id', () => {
  const get = { id: 'get', type: 'get', entity: 'none', filter: { id: 'no step' } };
  const body = { content: { steps: [{ id: 'each', type: 'loop', steps: [get] }, { type: 'wait' }] }, input: {} };
  const place = (pointer: string) => placeIn(body, pointer);
  assert.equal(place('/content/steps/0'), 'step each');
  assert.equal(place('/content/steps/0/steps/0/id'), 'step get, id');
  assert.equal(place('/content/steps/0/steps/0/filter/id'), 'step get, filter, id');
  assert.equal(place('/content/steps/0/steps/7/id'), 'step each, steps, 7, id');
  for (const pointer of ['', '/input', '/content/steps', '/content/steps/1/seconds', '/content/steps/9/id', '/none/0'])
    assert.equal(place(pointer), pointer);
});

test('the form shows contents whose steps are a list of objects', () => {
  assert.equal(whyNoForm({ steps: [{}] }), undefined);
  assert.equal(whyNoForm({}), undefined);
  for (const steps of [1, {}, [1], ['a'], null]) assert.match(whyNoForm({ steps }) ?? '', /list of objects/);
});

test('members of a step say what they are, and objects of any values are texts by names', () => {
  const members = { having: { type: 'string' }, group: { type: 'string', description: 'its own' }, entity: {} };
  const call = kind('call', { input: { type: 'object', additionalProperties: true } });
  const variants = { type: 'array', items: { oneOf: [kind('aggregate', members), call] } };
  const described = stepKindsOf({ properties: { steps: variants } });
  const { having, group, entity } = described.get('aggregate')?.schema.properties ?? {};
  assert.match(having?.description ?? '', /condition on the names of a group/);
  assert.deepEqual([group?.description, entity?.description], ['its own', undefined]);
  assert.equal(inputOf(described.get('call')?.schema.properties?.input ?? {}).kind, 'headers');
});
