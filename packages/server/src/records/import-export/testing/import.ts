/** Imports in tests: into an entity of the test's own, of files that are written down there. */
import type { TestContext } from 'node:test';
import type { EntityDefinition } from '../../../schema/definition.ts';
import type { Scope } from '../../../store/port.ts';
import { type Node, openBench, type RecordBench } from '../../../testing/record-bench.ts';
import type { AuthorizedCall, CallerAccess } from '../../caller-access.ts';
import { type Import, type ImportRequest, importRecords } from '../import-records.ts';
import { pieces } from './rows.ts';

export const mayAll: CallerAccess = {
  rows: () => undefined,
  rowsOfBody: () => undefined,
  assertAllowed: () => undefined,
};
export const jsonl = (rows: readonly unknown[]): string => rows.map((row) => JSON.stringify(row)).join('\n');

interface Defined {
  readonly bench: RecordBench;
  readonly node: Node;
  readonly call: AuthorizedCall;
}

export async function defined(
  context: TestContext,
  definition: Omit<EntityDefinition, 'entityName'>,
): Promise<Defined> {
  const bench = await openBench(context);
  const node = bench.node();
  await node.admin.define('acme', { entityName: 'thing', ...definition });
  return { bench, node, call: { ...(await node.call('thing')), access: mayAll } };
}

/** The progress reports of an import, and its result. */
export async function finished(run: Import) {
  const reported = [];
  let step = await run.next();
  for (; step.done !== true; step = await run.next()) reported.push(step.value);
  return { reported, result: step.value };
}

export const plain = (node: Node, bytes: AsyncIterable<Uint8Array>): ImportRequest => ({
  format: 'jsonl',
  bytes,
  upsert: undefined,
  isDry: false,
  configs: node.configs,
});

export const imported = (node: Node, call: AuthorizedCall, file: string, request: Partial<ImportRequest> = {}) =>
  finished(importRecords(node.runtime.bulk, call, { ...plain(node, pieces(file, 1000)), ...request }));

export const resultOf = async (...args: Parameters<typeof imported>) => (await imported(...args)).result;

export const things: Omit<EntityDefinition, 'entityName'> = {
  UpdateParams: [
    { name: 'code', validate: true, required: false, maxlength: 2 },
    { name: 'left' },
    { name: 'right' },
    { name: 'n', colType: 'integer', validate: true, min: 0 },
    { name: 'friend', colType: 'guid', lookup: { entity: 'thing' } },
    { name: 'label', colType: 'formula', formula: '{code}-{n}' },
  ],
  UniqueIndexes: [
    { indexName: 'by_code', fields: ['code'], ignoreCase: true },
    { indexName: 'by_pair', fields: ['left', 'right'] },
  ],
};

/** The scope, in which something is done once when a record is about to be written, or read. */
export function interrupted(scope: Scope, before: () => Promise<unknown>, call: 'commit' | 'get' = 'commit'): Scope {
  let isDone = false;
  const isOfRecord = ({ pk }: { readonly pk: string }): boolean => pk.startsWith('org#');
  return {
    name: scope.name,
    get: async (keys) => {
      if (call === 'get' && !isDone && keys.some(isOfRecord)) {
        isDone = true;
        await before();
      }
      return scope.get(keys);
    },
    range: (pk, read) => scope.range(pk, read),
    follow: (pk, read) => scope.follow(pk, read),
    count: (pk, range, atMost) => scope.count(pk, range, atMost),
    select: (pk, read) => scope.select(pk, read),
    measure: (pk, read) => scope.measure(pk, read),
    commit: async (changes, options) => {
      if (call === 'commit' && !isDone && changes.some((change) => change.kind === 'put' && isOfRecord(change))) {
        isDone = true;
        await before();
      }
      return scope.commit(changes, options);
    },
  };
}
