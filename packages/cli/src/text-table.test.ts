import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textTable } from './text-table.ts';

const header = ['id', 'title', 'note'];

test('a table is no wider than its terminal, and narrow columns are not cut', () => {
  const rows = [
    ['1', 'x'.repeat(100), 'y'.repeat(100)],
    ['22', 'short', 'two\nlines'],
  ];
  const lines = textTable({ header, rows, width: 40 });
  assert.ok(
    lines.every((line) => line.length <= 40),
    lines.join('\n'),
  );
  assert.match(lines[1] ?? '', /^1 {3}x{16}… {2}y{16}…$/);
  assert.match(lines[2] ?? '', /^22 {2}short {14}two lines$/);
});

test('where there is no terminal nothing is cut', () => {
  const [, line] = textTable({ header, rows: [['1', 'x'.repeat(500), '']], width: undefined });
  assert.equal(line, `1   ${'x'.repeat(500)}`);
});

test('very many columns are cut at the side', () => {
  const many = Array.from({ length: 60 }, (_, n) => `column_${n}`);
  for (const line of textTable({ header: many, rows: [many], width: 80 })) assert.ok(line.length <= 80);
});
