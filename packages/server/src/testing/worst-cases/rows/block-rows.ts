/** The largest that a logic block may be asked. */
import { random, type Stage } from '../stage.ts';
import type { Largest, RequestOptions, Rows, WrittenRow } from '../worst-case.ts';

interface ServerQueries {
  readonly what: string;
  readonly status?: number;
  readonly steps: readonly object[];
  readonly more?: object;
  readonly input?: () => unknown;
}

const step = (id: string, more: object): object => ({ id, ...more });
const many = <T>(count: number, make: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** Takes about as many steps of an expression as one may take. */
const costly = `{{ input.list.all(x, ${many(10, () => 'x != "b"').join(' && ')}) }}`;

/** Each of a size that a step may write. */
const note = (id: string): object => step(id, { type: 'create', entity: 'note', values: { note: '{{ input.text }}' } });

const cases: readonly ServerQueries[] = [
  {
    what: 'an input with very many mistakes',
    status: 400,
    steps: [step('a', { type: 'transform', value: 1 })],
    more: { input_schema: { properties: { list: { type: 'array', items: { type: 'integer' } } } } },
    input: () => ({ list: many(200_000, () => 'a') }),
  },
  {
    what: 'an input of as many values as there may be',
    steps: [step('a', { type: 'transform', value: 1 })],
    more: { input_schema: { properties: { list: { items: { type: 'integer', enum: many(100, (index) => index) } } } } },
    input: () => ({ list: many(19_900, () => 99) }),
  },
  {
    what: 'an input of more values',
    status: 400,
    steps: [step('a', { type: 'transform', value: 1 })],
    input: () => ({ list: many(500_000, () => 9) }),
  },
  {
    what: 'steps, made ready with all their expressions',
    steps: many(100, (index) => step(`s${index}`, { type: 'set', values: { a: `{{ input.a${index} }} {{ now }}` } })),
  },
  {
    what: 'passes of a loop',
    steps: [
      step('each', {
        type: 'loop',
        over: '{{ input.list }}',
        max: 900,
        steps: [step('a', { type: 'transform', value: '{{ steps.each.item }}' })],
      }),
    ],
    input: () => ({ list: many(900, String) }),
  },
  {
    what: 'expressions that take too much',
    status: 422,
    steps: many(100, (index) => step(`s${index}`, { type: 'transform', value: costly })),
    input: () => ({ list: many(4000, () => 'a') }),
  },
  {
    what: 'one value many times',
    status: 422,
    steps: [step('a', { type: 'transform', value: many(200, () => '{{ input.text }}') })],
    input: () => ({ text: 'a'.repeat(1_000_000) }),
  },
  {
    what: 'scripts that read and make large values',
    status: 422,
    steps: many(100, (index) => step(`s${index}`, { type: 'script', source: 'return "a".repeat(250000)' })),
    input: () => ({ text: 'a'.repeat(900_000) }),
  },
  {
    what: 'scripts as long as they may be',
    steps: many(14, (index) => step(`s${index}`, { type: 'script', source: `return [${'1,'.repeat(8_000)}].length` })),
  },
  {
    what: 'writes, each with a row of the run',
    steps: many(100, (index) => note(`s${index}`)),
    input: () => ({ text: 'a'.repeat(1000) }),
  },
  {
    what: 'writes of a transaction',
    steps: many(100, (index) => note(`s${index}`)),
    more: { transaction: true },
    input: () => ({ text: 'a'.repeat(1000) }),
  },
  {
    what: 'lists of a transaction behind its writes',
    steps: [
      ...many(50, (index) =>
        step(`s${index}`, {
          type: 'create',
          entity: 'note',
          values: { title: '{{ input.title }}', note: '{{ input.text }}' },
        }),
      ),
      ...many(50, (index) => {
        const filters = [{ field: 'title', op: 'eq', value: '{{ input.title }}' }];
        return step(`l${index}`, { type: 'list', entity: 'note', filters, pagesize: 200 - index });
      }),
    ],
    more: { transaction: true },
    input: () => ({ title: random(), text: 'a'.repeat(500) }),
  },
  {
    what: 'figures of groups of one record each, with conditions on them',
    steps: many(100, (index) => {
      // Each condition is looked at, and no group is left: the groups of all would be too much for a run.
      const having = many(10, (n) => `count > ${1_000_000 + n}`).join(' || ');
      return step(`s${index}`, {
        ...{ type: 'aggregate', entity: 'note', group: 'id', measure: 'count,distinct:title', all: true },
        having: `${having} || id == {{ input.id }}`,
      });
    }),
    input: () => ({ id: random() }),
  },
  {
    what: 'lists of large records',
    status: 422,
    steps: many(100, (index) => step(`s${index}`, { type: 'list', entity: 'note', pagesize: 200 })),
  },
];

/** Each has a block of its own, which is made ready for the call. */
async function ask({ call, org }: Stage, path: string, { steps, more, input }: ServerQueries): Promise<RequestOptions> {
  const name = `b${random()}`;
  await call('builder', 'POST', '/config/logicblock', { name, content: { name, steps, ...more } });
  return { target: `/app/${org}/logicblocks/${name}${path}`, body: JSON.stringify(input?.() ?? {}) };
}

function rowAt(path: string): WrittenRow {
  const largest = cases.map(
    (one): Largest => ({
      what: one.what,
      ...(one.status === undefined ? {} : { status: one.status }),
      ask: (stage) => ask(stage, path, one),
    }),
  );
  return { largest };
}

/** The same as drafts: what is refused while the steps are done is part of the reply. */
export const draftRow: WrittenRow = {
  as: 'builder',
  target: () => '/logicblocks/test',
  largest: cases.map(({ what, status, steps, more, input }) => ({
    what,
    ...(status === 400 ? { status } : {}),
    ask: async ({ call }) => {
      const [workspace] = (await call('builder', 'GET', '/org/workspaces')).items;
      const content = { name: 'draft', steps, ...more };
      return { body: JSON.stringify({ content, tenant_code: workspace?.code, input: input?.() ?? {} }) };
    },
  })),
};

export const blockRows: Rows = {
  'POST /app/:org/hooks/:name': {
    target: ({ org }) => `/app/${org}/hooks/none`,
    largest: [
      { what: 'a message', status: 401, ask: () => ({ body: JSON.stringify('a'.repeat(250_000)) }) },
      { what: 'a message that is too large', status: 413, ask: () => ({ body: JSON.stringify('a'.repeat(900_000)) }) },
    ],
  },
  'POST /app/:org/logicblocks/:name': rowAt(''),
  'POST /app/:org/logicblocks/:name/:path': rowAt('/path'),
};
