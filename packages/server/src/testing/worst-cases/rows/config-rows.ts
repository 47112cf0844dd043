/** The largest of what may be configured, and of what goes from test to production. */
import { agreedArchive, changedArchive, wholeArchive } from '../largest/largest-archive.ts';
import { largestDefinition, viewedDefinition } from '../largest/largest-definitions.ts';
import { block } from '../largest/largest-items.ts';
import { random, type Stage } from '../stage.ts';
import type { Largest, RequestOptions, Rows } from '../worst-case.ts';
import { json } from './requested-json.ts';

/** Of a definition that is made again, since a name is taken once. */
function defining(what: string, rest: object, status?: number): Largest {
  return {
    what,
    ...(status === undefined ? {} : { status }),
    ask: () => {
      const entityName = `e${random()}`;
      return { target: `/api/create-${entityName}`, ...json({ ...rest, entityName }) };
    },
  };
}

/** None twice: what was compiled lately is not compiled again. */
function patterns(count: number, pattern: (field: number) => string): object {
  const fields = Array.from({ length: count }, (_, field) => ({
    name: `f${field}`,
    validate: true,
    required: false,
    pattern: pattern(field),
  }));
  return { UpdateParams: fields };
}

const entityRows: Rows = {
  'POST /api/:apiname': {
    target: () => '/api/create-none',
    largest: [
      defining('a definition', largestDefinition),
      defining('views', viewedDefinition),
      defining('values of enums', {
        UpdateParams: Array.from({ length: 12 }, (_, field) => ({
          name: `f${field}`,
          colType: 'enum',
          enumValues: Array.from({ length: 500 }, (_, value) => `v${value}`),
        })),
      }),
      defining('formulas', {
        UpdateParams: [
          { name: 'a' },
          ...Array.from({ length: 190 }, (_, field) => ({
            name: `f${field}`,
            colType: 'formula',
            formula: '{a}'.repeat(20),
          })),
        ],
      }),
      defining('expressions', {
        UpdateParams: [
          { name: 'a', colType: 'number' },
          ...Array.from({ length: 100 }, (_, field) => ({
            name: `f${field}`,
            colType: 'formula',
            formula: { cel: `${'a+'.repeat(19)}${'1+'.repeat(70)}${field}`, type: 'number' },
          })),
        ],
        checks: Array.from({ length: 4 }, (_, check) => ({
          cel: `${'a+'.repeat(19)}${'1+'.repeat(70)}${check}>1`,
          message: 'it is more',
        })),
      }),
      defining('backfills', {
        UpdateParams: [
          { name: 'a', colType: 'number' },
          ...Array.from({ length: 100 }, (_, field) => ({
            name: `b${field}`,
            colType: 'number',
            backfill: `${'a+'.repeat(19)}${'1+'.repeat(80)}${field}`,
          })),
        ],
      }),
      defining('conversions', {
        UpdateParams: Array.from({ length: 32 }, (_, field) => ({
          name: `c${field}`,
          colType: 'number',
          storedAs: `c${field}@2`,
          convert: {
            cel: `${`c${field}+`.repeat(19)}${'1+'.repeat(75)}${field}`,
            from: { name: `c${field}`, colType: 'number', storedAs: `c${field}` },
          },
        })),
      }),
      defining(
        'patterns',
        patterns(200, (field) => `(a{1,30}b?){3}${field}`),
      ),
      defining(
        'patterns of large classes',
        patterns(6, (field) => `(?i)${'\\pL'.repeat(150)}${field}`),
      ),
      defining(
        'patterns that are too large',
        patterns(110, (field) => `(${'x'.repeat(480)}){1000}${field}`),
        400,
      ),
      {
        what: 'a dry run',
        ask: () => ({ target: '/api/create-none?dry_run=true', ...json({ ...largestDefinition, entityName: 'none' }) }),
      },
      defining('fields that are wrong', { UpdateParams: Array.from({ length: 5_000 }, () => ({ name: '1' })) }, 400),
    ],
  },
  'PUT /api/:apiname': {
    target: () => '/api/create-wide',
    largest: [
      { what: 'a definition', ask: () => json(largestDefinition) },
      { what: 'views', ask: () => ({ target: '/api/list-viewed', ...json({ Views: viewedDefinition.Views }) }) },
      {
        what: 'records that are held to rules',
        status: 409,
        ask: () => ({ target: '/api/create-note', ...json(heldToRules) }),
      },
      {
        what: 'the plan of a change that records are held to',
        ask: () => ({
          target: '/api/create-note?dry_run=true',
          ...json({
            UpdateParams: heldToRules.UpdateParams.slice(0, -2),
            removeFields: ['tags'],
            UniqueIndexes: [{ indexName: 'one', fields: ['title'] }],
          }),
        }),
      },
    ],
  },
};

const heldToRules = {
  UpdateParams: [
    { name: 'title', index: true },
    { name: 'note', search: true, validate: true, pattern: '(a{1,30}b?){3}c' },
    { name: 'meta', colType: 'json' },
    { name: 'tags', colType: 'array', items: { colType: 'string' } },
    { name: 'parent_id', colType: 'guid', lookup: { entity: 'note' } },
  ],
};

async function madeBlock({ call }: Stage): Promise<string> {
  const name = `b${random()}`;
  await call('builder', 'POST', '/config/logicblock', { name, content: block(name) });
  return name;
}

const itemRows: Rows = {
  'GET /config/:kind': { target: () => '/config/logicblock' },
  'GET /config/:kind/:name': { target: () => '/config/entity/wide' },
  'GET /config/:kind/:name/versions': { target: () => '/config/entity/wide/versions' },
  'GET /config/:kind/:name/versions/:version': {
    target: () => '/config/entity/wide/versions/1',
    largest: [
      {
        what: 'versions that are compared',
        ask: async (stage) => {
          const name = await madeBlock(stage);
          const { version } = await stage.call('builder', 'GET', `/config/logicblock/${name}`);
          await stage.call('builder', 'PUT', `/config/logicblock/${name}`, block(name, 'x'));
          const { version: next } = await stage.call('builder', 'GET', `/config/logicblock/${name}`);
          return { target: `/config/logicblock/${name}/versions/${version}?compare=${next}` };
        },
      },
    ],
  },
  'POST /config/:kind': {
    target: () => '/config/logicblock',
    largest: [
      {
        what: 'a logic block',
        ask: () => {
          const name = `b${random()}`;
          return json({ name, content: block(name) });
        },
      },
      {
        what: 'steps that are wrong',
        status: 400,
        ask: () =>
          json({
            name: 'wrong',
            content: { name: 'wrong', steps: Array.from({ length: 8_000 }, () => ({ id: '1', type: 'none' })) },
          }),
      },
    ],
  },
  'PUT /config/:kind/:name': {
    target: () => '/config/logicblock/none',
    largest: [
      {
        what: 'a logic block',
        ask: async (stage) => {
          const name = await madeBlock(stage);
          return { target: `/config/logicblock/${name}`, ...json(block(name, 'x')) };
        },
      },
    ],
  },
  'DELETE /config/:kind/:name': {
    target: () => '/config/logicblock/none',
    largest: [
      { what: 'a logic block', ask: async (stage) => ({ target: `/config/logicblock/${await madeBlock(stage)}` }) },
    ],
  },
  'POST /config/:kind/:name/restore': {
    target: () => '/config/logicblock/none/restore',
    largest: [
      {
        what: 'a logic block',
        ask: async (stage) => {
          const name = await madeBlock(stage);
          const { version } = await stage.call('builder', 'GET', `/config/logicblock/${name}`);
          await stage.call('builder', 'PUT', `/config/logicblock/${name}`, block(name, 'x'));
          return { target: `/config/logicblock/${name}/restore`, ...json({ version }) };
        },
      },
    ],
  },
};

/** Everything that test has and production has not is staged. */
async function stageAll({ call }: Stage): Promise<RequestOptions> {
  await call('builder', 'POST', '/user/provision-prod');
  const name = `b${random()}`;
  await call('builder', 'POST', '/config/logicblock', { name, content: block(name) });
  await call('builder', 'POST', '/deploy/publish', { all: true });
  return {};
}

async function twoReleases(stage: Stage): Promise<void> {
  for (let release = 0; release < 2; release++) {
    await stageAll(stage);
    await stage.call('builder', 'POST', '/deploy/activate', { force: true });
  }
}

/** Production is there, and empty. */
async function provisioned({ call }: Stage): Promise<RequestOptions> {
  await call('builder', 'POST', '/user/provision-prod');
  return {};
}

const deployRows: Rows = {
  'GET /deploy/diff': {
    largest: [
      {
        what: 'items that differ',
        ask: provisioned,
      },
    ],
  },
  'POST /deploy/publish': {
    largest: [
      {
        what: 'items',
        status: 201,
        ask: async ({ call }) => {
          await call('builder', 'POST', '/user/provision-prod');
          return json({ all: true });
        },
      },
      {
        what: 'names of items',
        status: 400,
        ask: () =>
          json({ items: Array.from({ length: 10_000 }, (_, index) => ({ kind: 'entity', name: `none${index}` })) }),
      },
    ],
  },
  'GET /deploy/staged': {
    largest: [{ what: 'items', ask: stageAll }],
  },
  'POST /deploy/activate': {
    largest: [{ what: 'items', ask: async (stage) => ({ ...(await stageAll(stage)), ...json({ force: true }) }) }],
  },
  'POST /deploy/rollback': {
    largest: [
      {
        what: 'items',
        ask: async (stage) => {
          await twoReleases(stage);
          return json({});
        },
      },
    ],
  },
  'GET /deploy/history/:version': {
    largest: [
      {
        what: 'items that a rollback would change',
        ask: async (stage) => {
          await twoReleases(stage);
          return { target: '/deploy/history/1?compare=live' };
        },
      },
    ],
  },
  'DELETE /deploy/staged': {
    largest: [{ what: 'items', ask: stageAll }],
  },
  'POST /deploy/import': {
    largest: [
      { what: 'items', ask: wholeArchive },
      { what: 'items that differ', ask: (stage) => changedArchive(stage) },
      { what: 'items that are changed', ask: agreedArchive },
    ],
  },
};

export const configRows: Rows = { ...entityRows, ...itemRows, ...deployRows };
