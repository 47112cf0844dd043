import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import type { AppCalls } from '../app/app-calls.ts';
import { CommandError } from '../frame/command-error.ts';
import { importRecords } from './import-records.ts';
import { type ImportSource, sentBytes, writeRows } from './row-source.ts';

interface Given extends Partial<Omit<ImportSource, 'path'>> {
  readonly file: string | Buffer;
}

function sourceOf(t: TestContext, { file, ...rest }: Given): ImportSource & { readonly path: string } {
  const folder = mkdtempSync(join(tmpdir(), 'freehold-import-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'rows');
  writeFileSync(path, file);
  return { stdin: process.stdin, format: 'csv', encoding: 'utf-8', delimiter: ',', ...rest, path };
}

/** The data that are written by `--failed` for these rows, as bytes. */
async function failedRows(t: TestContext, given: Given, ...numbers: readonly number[]): Promise<Buffer> {
  const source = sourceOf(t, given);
  await writeRows(source, new Set(numbers), `${source.path}.failed`);
  return readFileSync(`${source.path}.failed`);
}

/** What is sent of a file that is read in pieces of so many bytes. */
async function sent(given: Omit<Given, 'file'>, file: Buffer, size: number): Promise<string> {
  const pieces = Array.from({ length: Math.ceil(file.length / size) }, (_, index) =>
    file.subarray(index * size, (index + 1) * size),
  );
  const source = { format: 'csv', encoding: 'utf-8', delimiter: ',', ...given } as const;
  return Buffer.concat(await Readable.from(sentBytes(source, Readable.from(pieces))).toArray()).toString();
}

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');

test('a refused row of JSON Lines is the one that the platform counts: U+2028 and CR end no line', async (t) => {
  const lines = ['{"a":"x\u2028y"}', '{"a":"x\u2029y\u0085"}', '{"a":3}', '{"a":\r4}'];
  const file = `\ufeff${lines.join('\n\n')}\r\n`;
  for (const [index, line] of lines.entries()) {
    const failed = await failedRows(t, { file, format: 'jsonl' }, index + 1);
    assert.equal(failed.toString().trim(), line);
  }
});

test('a refused row of CSV is the one that the platform counts, whatever ends the lines', async (t) => {
  const file = 'a,b\r1,"x\r\ny"\r\r\n2,y\n3,z';
  assert.equal(String(await failedRows(t, { file }, 2)), 'a,b\r\n2,y\r\n');
  assert.equal(String(await failedRows(t, { file }, 1, 3)), 'a,b\r\n1,"x\r\ny"\r\n3,z\r\n');
});

test('refused rows keep their bytes, their encoding and their delimiter', async (t) => {
  assert.deepEqual(await failedRows(t, { file: latin1('a,b\nZo\xeb,1\nx,2\n') }, 1), latin1('a,b\r\nZo\xeb,1\r\n'));
  const file = latin1('a;b\n"x;\x80";1,5\nx;2\n');
  const given = { file, encoding: 'windows-1252', delimiter: ';' } as const;
  assert.deepEqual(await failedRows(t, given, 1), latin1('a;b\r\n"x;\x80";1,5\r\n'));
});

test('a file in Windows-1252 and with another delimiter is sent in UTF-8 with commas, row for row', async () => {
  const file = latin1('a;b\r"Zo\xeb;\x80";1,5\n\n;"q ""x"""\n');
  for (const size of [1, 2, 3, 100]) {
    const given = { encoding: 'windows-1252', delimiter: ';' } as const;
    assert.equal(await sent(given, file, size), 'a,b\r\nZoë;€,"1,5"\r\n,"q ""x"""\r\n');
    assert.equal(
      await sent({ delimiter: '\t' }, Buffer.from('\ufeffa\tb\n"é\t"\t😀'), size),
      'a,b\r\n"é\t",😀\r\n'.replaceAll('"', ''),
    );
    const lines = await sent({ encoding: 'windows-1252', format: 'jsonl' }, latin1('{"a":"\x80"}\n'), size);
    assert.equal(lines, '{"a":"€"}\n');
  }
});

test('a file in UTF-8 with commas is sent as it is, also where it is broken', async () => {
  const file = 'a,b\r\n"open, \u2028';
  assert.equal(await sent({}, Buffer.from(file), 3), file);
});

/** An app that answers an import with these lines, once it has read the file. */
function answering(...lines: readonly object[]): AppCalls {
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  return {
    workspace: 'main',
    send: async (_path, call) => {
      for await (const _ of call?.stream?.bytes ?? []);
      return new Response(text);
    },
    json: async () => ({}),
  };
}

test('a result with U+2028 in a message is read', async (t) => {
  const result = { rows: 1, failed: 1, errors: [{ row: 1, errors: [{ message: 'no `x\u2028y`' }] }] };
  const app = answering({ progress: { rows: 1 } }, { result });
  const source = sourceOf(t, { file: 'a\nx\n' });
  assert.deepEqual(await importRecords({ app, entity: 'note', source, query: {}, progress: () => undefined }), result);
});

test('a file with another delimiter that is no CSV names the line, and that rows may be written', async (t) => {
  const source = sourceOf(t, { file: 'a;b\n1;2\n"x"y;3\n', delimiter: ';' });
  const request = { app: answering({ result: {} }), entity: 'note', source, query: {}, progress: () => undefined };
  await assert.rejects(importRecords(request), (error) => {
    assert.ok(error instanceof CommandError);
    assert.match(error.message, /line 3: text behind a closed quote/);
    assert.equal(error.details.code, 'invalid_csv');
    return true;
  });
});
