import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ImportTally, type RowErrors } from './import-records.ts';

const failed = (row: number, message: string): RowErrors => ({
  row,
  errors: [{ pointer: '/title', code: 'wrong_type', message }],
});
const rows = Array.from({ length: 300 }, (_, index) => index + 1);

test('of many rows that failed the first hundred are reported, and all are counted', () => {
  const tally = new ImportTally();
  tally.add(rows.map((row) => failed(row, 'wrong')));
  const { errors, failed: count } = tally.result(false);
  assert.deepEqual(
    errors.map(({ row }) => row),
    rows.slice(0, 100),
  );
  assert.equal(count, 300);
});

test('reports of rows with long errors have about a megabyte, and all are counted', () => {
  const tally = new ImportTally();
  tally.add(rows.map((row) => failed(row, 'x'.repeat(400_000))));
  const { errors, failed: count } = tally.result(false);
  assert.deepEqual(
    errors.map(({ row }) => row),
    [1, 2, 3],
  );
  assert.equal(count, 300);
});
