/** What takes one file and its entry in a registry, and nothing else: shown on a copy of the sources. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { copySources } from './copied-sources.ts';
import { eventually } from './eventually.ts';
import { act, create, defineEntity, definition, list, manage, signIn } from './org.ts';
import { platformOf } from './platform-for-tests.ts';
import { deploy, provisionedOrg } from './promotion.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const server = 'packages/server/src';

interface Addition {
  /** The one file that is new, and what it holds. */
  readonly file: string;
  readonly source: string;
  /** What is entered where: before the first text stands the second from then on. */
  readonly entries: readonly (readonly [path: string, before: string, entry: string])[];
}

const fieldType: Addition = {
  file: `${server}/schema/field-types/stars.ts`,
  source: `
    import { type FieldType, type ValueProblem, wrongType } from './field-type.ts';
    import { numberOrder } from '../order/order-encoding.ts';

    export const starsType: FieldType = {
      colType: 'stars',
      hints: [],
      encode: numberOrder,
      example: () => 5,
      takenBy: ['integer', 'number'],
      behave: () => ({
        parse,
        parseQuery: (text) => parse(Number(text)),
        schema: { type: 'integer', minimum: 1, maximum: 5 },
      }),
    };

    function parse(input: unknown): { value: number } | ValueProblem {
      const isStars = typeof input === 'number' && Number.isInteger(input) && input >= 1 && input <= 5;
      return isStars ? { value: input } : wrongType('one to five stars');
    }
  `,
  entries: [
    [`${server}/schema/field-types/plain-types.ts`, 'import ', `import { starsType } from './stars.ts';\n`],
    [`${server}/schema/field-types/plain-types.ts`, '];', '  starsType,\n'],
  ],
};

const kind: Addition = {
  file: `${server}/automation/kinds/note.ts`,
  source: `
    import { readContent } from '../../lib/check-schema.ts';
    import { closedObjectOf, text } from '../../lib/json-schema.ts';
    import { type ConfigKind, plainStorage } from '../../promotion/port.ts';

    interface NoteContent {
      readonly text: string;
    }

    const schema = closedObjectOf({ text });

    export const noteKind: ConfigKind<NoteContent> = {
      kind: 'note',
      storage: plainStorage,
      singular: 'note',
      boundedAs: 'notes',
      schema,
      parse: (_, input) => readContent<NoteContent>(schema, input, () => []),
      references: () => [],
      describe: () => [],
      widening: () => [],
    };
  `,
  entries: [
    ['packages/contract/src/config-kinds.ts', '] as const', `, 'note'`],
    [`${server}/automation/kinds/automation-kinds.ts`, 'import ', `import { noteKind } from './note.ts';\n`],
    [`${server}/automation/kinds/automation-kinds.ts`, '];', ', noteKind'],
  ],
};

const engine: Addition = {
  file: `${server}/engines/memory-engine.ts`,
  source: `
    import { openMemory } from '../store/testing/open-memory.ts';
    import type { StoreEngine } from './store-engine.ts';

    interface MemoryAddress {
      readonly kind: 'memory';
      readonly folder?: undefined;
    }

    export const memoryEngine: StoreEngine<MemoryAddress> = {
      kind: 'memory',
      name: 'memory',
      forms: { store: 'memory:', storeProd: 'memory:', copy: 'memory:' },
      readAddress: (text) => (text === 'memory:' ? { kind: 'memory' } : undefined),
      placeText: () => 'memory',
      storeText: (_, space) => space,
      open: async (_, __, { clock }) => openMemory({ clock }),
      isMissing: async () => true,
      hasWritten: async () => false,
      check: async () => [],
    };
  `,
  entries: [
    [`${server}/engines/registry.ts`, 'import ', `import { memoryEngine } from './memory-engine.ts';\n`],
    [`${server}/engines/registry.ts`, '] as const', ', memoryEngine'],
  ],
};

/** A feature of its own: a route of each gateway, a kind of config items, a setting and a job. */
const contractOfModule: Addition = {
  file: 'packages/contract/src/features/greetings.ts',
  source: `
    import { Type } from '@sinclair/typebox';
    import { reply, route } from '../route.ts';
    import { text } from '../schema.ts';

    export const greetings = {
      app: {
        readGreeting: route({
          method: 'GET',
          path: '/app/:org/greeting',
          access: 'self',
          tag: 'the caller',
          summary: 'The greeting of the app',
          replies: { 200: reply('The greeting.', Type.Object({ greeting: text, jobs: Type.Integer() })) },
        }),
      },
      management: {
        greet: route({
          method: 'POST',
          path: '/greetings',
          access: 'developer',
          tag: 'config',
          summary: 'Has a greeting counted by a job',
          replies: { 202: reply('It is going to be counted.') },
          repeats: { notRemembered: 'greetings are counted' },
        }),
      },
      kinds: ['greeting'],
    } as const;
  `,
  entries: [['packages/contract/src/features/features.ts', 'export ', `export { greetings } from './greetings.ts';\n`]],
};

const module: Addition = {
  file: `${server}/greetings/greetings.ts`,
  source: `
    import { greetings as api } from '@freehold/contract/features/greetings';
    import type { RoutesOfModule } from '../api/route.ts';
    import { serve } from '../api/serve.ts';
    import { type ConfigReaders, itemsOfKind, type SettingType, settingOf } from '../config/port.ts';
    import type { Clock } from '../lib/clock.ts';
    import { readContent } from '../lib/check-schema.ts';
    import { closedObjectOf, text } from '../lib/json-schema.ts';
    import { wrong } from '../lib/unknown-names.ts';
    import { type ConfigKind, plainStorage } from '../promotion/port.ts';
    import type { ScopeName, Store } from '../store/port.ts';
    import { json, table } from '../store/table.ts';
    import { type Environment, orgScopeName } from '../tenancy/port.ts';
    import { plainJob, workItem } from '../work/job.ts';

    interface Greeting {
      readonly text: string;
    }

    const schema = closedObjectOf({ text });

    const greetingKind: ConfigKind<Greeting> = {
      kind: 'greeting',
      storage: plainStorage,
      singular: 'greeting',
      boundedAs: 'greetings',
      schema,
      parse: (_, input) => readContent<Greeting>(schema, input, () => []),
      references: () => [],
      describe: () => [],
      widening: () => [],
    };

    const salutation: SettingType<string> = {
      key: 'greetings.salutation',
      description: 'The first word of a greeting.',
      byDefault: 'Hello',
      schema: { type: 'string' },
      parse: (input) => (typeof input === 'string' ? { value: input } : wrong('must be a text')),
    };

    const counts = table(
      (name: string) => ({ pk: 'greetings', sk: name }),
      json<{ readonly count: number }>('count of greetings', { count: 'number' }),
    );

    const countGreeting = plainJob('count-greeting', async ({ store }: { readonly store: Store }, work: { readonly scope: ScopeName }) => {
      const scope = store.scope(work.scope);
      const row = await counts.read(scope, 'count');
      await scope.commit([counts.put('count', { count: (row?.value.count ?? 0) + 1 }, { if: 'any' })]);
    });

    export const greetings = {
      kinds: [greetingKind],
      settings: [salutation],
      open: ({ stores, configs, clock, wake }: GreetingsDeps) => ({ routes: routes(stores, configs, clock, wake), jobs: [countGreeting] }),
    };

    interface GreetingsDeps {
      readonly stores: Readonly<Record<Environment, Store>>;
      readonly configs: ConfigReaders;
      readonly clock: Clock;
      readonly wake: () => void;
    }

    function routes(stores: GreetingsDeps['stores'], configs: ConfigReaders, clock: Clock, wake: () => void): RoutesOfModule {
      return {
        app: [
          serve(api.app.readGreeting, async (_request, { claims: { env, org } }) => {
            const config = await configs[env].current(org);
            const names = itemsOfKind(config, 'greeting').map(({ name }) => name);
            const row = await counts.read(stores.test.scope(orgScopeName(org)), 'count');
            return { greeting: [settingOf(config, env, salutation), ...names].join(', '), jobs: row?.value.count ?? 0 };
          }),
        ],
        management: [
          serve(api.management.greet, async (_request, { org }) => {
            const scope = stores.test.scope(orgScopeName(org.code));
            await scope.commit([workItem('greeting', { job: 'count-greeting', scope: scope.name }, clock.now())]);
            wake();
          }),
        ],
      };
    }
  `,
  entries: [
    [`${server}/composition/features.ts`, 'export ', `export { greetings } from '../greetings/greetings.ts';\n`],
  ],
};

const extended = extendedSources([fieldType, kind, engine, contractOfModule, module]);

test('a field type, a kind of config items and an engine are each one file and its entry', async (t) => {
  const copy = await extended;
  const platform = await platformOf(t, {
    byWords: [process.execPath, join(copy, server, 'main.ts')],
    env: { FREEHOLD_STORE: 'memory:' },
  });
  const org = await provisionedOrg(platform);

  await defineEntity(org, definition('film', [{ name: 'rated', colType: 'stars', index: true }]));
  const user = await signIn(org);
  for (const rated of [5, 3, 4]) await create(user, 'film', { rated });
  const { items } = await list(user, 'film', '?sortby=rated&rated=4&rated_op=gte');
  assert.deepEqual(
    items.map(({ rated }) => rated),
    [4, 5],
  );
  const refused = await act(user, 'POST', '/create/film', { body: { rated: 6 } });
  assert.deepEqual([refused.status, /one to five stars/.test(refused.text)], [400, true]);

  const body = { name: 'hello', content: { text: 'Welcome' } };
  const made = await manage(org, 'POST', '/config/note', { body });
  assert.equal(made.status, 201, made.text);
  await deploy(org);
  const live = await manage(org, 'GET', '/config/note/hello?env=prod');
  assert.deepEqual([live.status, live.body.content], [200, body.content]);
});

test('a feature is one folder of the server, one file of the contract, and a line in each of two lists', async (t) => {
  const copy = await extended;
  const platform = await platformOf(t, { byWords: [process.execPath, join(copy, server, 'main.ts')] });
  const org = await provisionedOrg(platform);
  const user = await signIn(org);
  const greeting = async () => (await act(user, 'GET', '/greeting')).body;
  assert.deepEqual(await greeting(), { greeting: 'Hello', jobs: 0 });

  const setting = { group: 'greetings', name: 'salutation', value: 'Welcome' };
  const set = await manage(org, 'PUT', '/org/settings', { body: setting });
  assert.equal(set.status, 200, set.text);
  const made = await manage(org, 'POST', '/config/greeting', {
    body: { name: 'all', content: { text: 'all of you' } },
  });
  assert.equal(made.status, 201, made.text);
  assert.equal((await manage(org, 'POST', '/greetings')).status, 202);
  await eventually('the job', async () => (await greeting()).jobs === 1);
  assert.deepEqual(await greeting(), { greeting: 'Welcome, all', jobs: 1 });

  await deploy(org);
  const live = await manage(org, 'GET', '/config/greeting/all?env=prod');
  assert.deepEqual([live.status, live.body.content], [200, { text: 'all of you' }]);
  const document = await manage(org, 'GET', '/openapi.json');
  assert.match(document.text, /greetings\.salutation/);
});

/** The sources with these additions, compiled. */
async function extendedSources(additions: readonly Addition[]): Promise<string> {
  const copy = copyOfSources();
  for (const { file, source, entries } of additions) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    writeFileSync(join(copy, file), source);
    for (const [path, before, entry] of entries) enter(join(copy, path), before, entry);
  }
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  await promisify(execFile)(process.execPath, [compiler, '--project', copy]).catch(({ stdout }) => assert.fail(stdout));
  return copy;
}

/** The sources without their tests, as a repository of their own with the packages that are installed here. */
function copyOfSources(): string {
  const copy = copySources(['contract', 'server']);
  // The store of the engine that is added is there for tests alone.
  const memory = `${server}/store/testing/open-memory.ts`;
  cpSync(join(root, memory), join(copy, memory));
  const { include: _, ...config } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'));
  writeFileSync(join(copy, 'tsconfig.json'), JSON.stringify({ ...config, include: ['packages/*/src/**/*.ts'] }));
  return copy;
}

function enter(path: string, before: string, entry: string): void {
  const text = readFileSync(path, 'utf8');
  const at = text.indexOf(before);
  assert.ok(at >= 0, `${path} has no ${before}`);
  writeFileSync(path, text.slice(0, at) + entry + text.slice(at));
}
