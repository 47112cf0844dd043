import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvLine } from '../../lib/formats/csv-line.ts';
import { stringType } from '../../schema/field-types/string.ts';
import { cellText } from './csv.ts';

for (const [what, cells, line] of [
  ['plain texts stay plain', ['a', '1.5', 'é😀', 'x y', "'"], "a,1.5,é😀,x y,'"],
  ['absent values are empty', ['', 'a', ''], ',a,'],
  ['quotes are doubled', ['"', 'say "a"'], '"""","say ""a"""'],
  ['what cuts lines and cells is quoted', ['a,b', 'a\nb', 'a\rb', '\r\n'], '"a,b","a\nb","a\rb","\r\n"'],
  ['blanks that could be trimmed are quoted', [' a', 'a ', '\t', '\u00a0a'], '" a","a ","\t","\u00a0a"'],
  ['nothing is changed for spreadsheets', ['=1+1', '+1', '-1', '@x'], '=1+1,+1,-1,@x'],
  ['one empty cell is still a line', [''], '""'],
] as const)
  test(`in a line of CSV ${what}`, () => {
    assert.equal(csvLine(cells), `${line}\r\n`);
  });

test('a value that an older definition left is written so that it can be read', () => {
  const behaviour = stringType.behave({ name: 'x' });
  assert.ok(typeof behaviour === 'object');
  assert.equal(cellText(behaviour, ['a', { b: 1 }]), '["a",{"b":1}]');
  assert.equal(cellText(behaviour, true), 'true');
});
