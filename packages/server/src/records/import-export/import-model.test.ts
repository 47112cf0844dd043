import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Problem } from '../../lib/problem.ts';
import { thinned } from '../../store/testing/quick.ts';
import { derived, listAll, type Node } from '../../testing/record-bench.ts';
import type { AuthorizedCall } from '../caller-access.ts';
import type { RecordCall } from '../writing/write-loop.ts';
import { defined, jsonl, resultOf, things } from './testing/import.ts';

const row = fc.record(
  {
    code: fc.constantFrom('a', 'A', 'b', 'c', 'd', null, 'long', 1),
    left: fc.constantFrom('x', 'y', null),
    right: fc.constantFrom('x', 'y'),
    n: fc.constantFrom(1, 2, -1, null),
    friend: fc.constantFrom('018bcfe5-0000-7000-8000-00000000dead', null),
    other: fc.constant(1),
    id: fc.constant('theirs'),
  },
  { requiredKeys: [] },
);
/** A row that gets in the way of others, and is not refused for anything else. */
const goodRow = fc.record(
  {
    code: fc.constantFrom('a', 'b', 'c'),
    left: fc.constantFrom('x', 'y', null),
    right: fc.constantFrom('x', 'y'),
    n: fc.constantFrom(1, 2),
  },
  { requiredKeys: ['code', 'left', 'right'] },
);
type Row = Readonly<Record<string, unknown>>;
const rows: fc.Arbitrary<readonly Row[]> = fc.oneof(
  fc.array(row, { maxLength: 25 }),
  fc.array(goodRow, { maxLength: 12 }),
);

/** The outcome of rows that are written one by one by the routes of single records. */
async function oneByOne(node: Node, call: AuthorizedCall, file: readonly Row[], upsert: string | undefined) {
  const figures = { rows: file.length, created: 0, updated: 0, failed: 0 };
  const errors: object[] = [];
  for (const [index, { id: _, ...body }] of file.entries()) {
    try {
      const known = upsert === undefined ? undefined : await knownBy(node, call, body);
      if (known === undefined) await node.runtime.create(call, body);
      else await node.runtime.update(call, { id: known, body });
      figures[known === undefined ? 'created' : 'updated'] += 1;
    } catch (error) {
      assert.ok(error instanceof Problem, String(error));
      figures.failed += 1;
      const { code, message, details } = error;
      errors.push({ row: index + 1, errors: details.errors ?? [{ pointer: '', code, message }] });
    }
  }
  return { ...figures, errors };
}

async function knownBy(node: Node, call: AuthorizedCall, body: Row): Promise<string | undefined> {
  if (typeof body.code !== 'string') return undefined;
  const code = body.code.toLowerCase();
  return (await listAll(node, call)).find((record) => String(record.code).toLowerCase() === code && 'code' in record)
    ?.id;
}

async function contents(node: Node, call: RecordCall) {
  const records = await listAll(node, call, { sortdir: 'asc' });
  return records.map(({ code, left, right, n, label }) => ({ code, left, right, n, label }));
}

const keyed = { pkTemplate: 'org#{org};data#thing', skTemplate: 'thing#{n};{code}' };
const kinds = [
  { kind: 'new records', upsert: undefined, definition: things },
  { kind: 'new and known records', upsert: 'by_code', definition: things },
  { kind: 'new records that are keyed by their fields', upsert: undefined, definition: { ...things, baseKeys: keyed } },
  { kind: 'records that are keyed by their fields', upsert: 'by_code', definition: { ...things, baseKeys: keyed } },
];

for (const { kind, upsert, definition } of kinds)
  test(`an import of ${kind} does what writing row after row would do, and its dry run tells so beforehand`, async (context) => {
    const { bench, node, call } = await defined(context, definition);
    let runs = 0;
    const elsewhere = (): AuthorizedCall => ({ ...call, workspace: bench.workspaceOf(`w${++runs}`) });
    const property = fc.asyncProperty(rows, rows, async (before, file) => {
      const [here, there] = [elsewhere(), elsewhere()];
      for (const place of [here, there]) await oneByOne(node, place, before, 'by_code');
      const findable = file.filter(({ code }) => upsert === undefined || (code !== undefined && code !== null));
      const expected = await oneByOne(node, there, findable, upsert);
      const previous = await bench.contents(here.workspace);
      const dry = await resultOf(node, here, jsonl(findable), { upsert, isDry: true });
      assert.deepEqual(await bench.contents(here.workspace), previous);
      const { ignored, dry_run, ...result } = await resultOf(node, here, jsonl(findable), { upsert });
      assert.deepEqual(result, expected);
      assert.deepEqual(await contents(node, here), await contents(node, there));
      assert.deepEqual(dry, { ...result, ignored, dry_run: true });
      assert.deepEqual(ignored, findable.some((one) => 'id' in one) ? ['id'] : []);
      const { actual, expected: wanted } = await derived(bench, here);
      assert.deepEqual(actual, wanted);
    });
    await fc.assert(property, { numRuns: thinned(200) });
  });
