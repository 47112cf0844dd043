/** What takes one file and its entry in a registry, and nothing else: shown on a copy of the sources. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { copySources } from './copied-sources.ts';
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
    import { closedObjectOf, text } from '../../lib/json-schema.ts';
    import { type ConfigKind, plainStorage, readContent } from '../../promotion/port.ts';

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
    import { openMemory } from '../store/memory/open-memory.ts';
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

test('a field type, a kind of config items and an engine are each one file and its entry', async (t) => {
  const copy = copyOfSources();
  for (const { file, source, entries } of [fieldType, kind, engine]) {
    writeFileSync(join(copy, file), source);
    for (const [path, before, entry] of entries) enter(join(copy, path), before, entry);
  }
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  await promisify(execFile)(process.execPath, [compiler, '--project', copy]).catch(({ stdout }) => assert.fail(stdout));
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

/** The sources without their tests, as a repository of their own with the packages that are installed here. */
function copyOfSources(): string {
  const copy = copySources(['contract', 'server']);
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
