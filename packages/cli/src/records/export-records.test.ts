import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { writeExportFile } from './export-records.ts';

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'freehold-export-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** A reply of these chunks, which is complete or breaks off behind them. */
function replyOf(chunks: readonly string[], isComplete: boolean): Response {
  const queue = chunks.values();
  const body = new ReadableStream({
    pull: (controller) => {
      const { value, done } = queue.next();
      if (done !== true) controller.enqueue(new TextEncoder().encode(value));
      else if (isComplete) controller.close();
      else controller.error(new TypeError('terminated'));
    },
  });
  return new Response(body);
}

test('a complete export takes the place of an earlier file', async (t) => {
  const folder = folderOf(t);
  writeFileSync(join(folder, 'x.jsonl'), 'before');
  await writeExportFile(replyOf(['{"a":1}\n', '{"a":2}\n'], true), join(folder, 'x.jsonl'));
  assert.equal(readFileSync(join(folder, 'x.jsonl'), 'utf8'), '{"a":1}\n{"a":2}\n');
  assert.deepEqual(readdirSync(folder), ['x.jsonl']);
});

test('an export that breaks off leaves the earlier file, and nothing beside it', async (t) => {
  const folder = folderOf(t);
  writeFileSync(join(folder, 'x.jsonl'), 'before');
  await assert.rejects(writeExportFile(replyOf(['{"a":1}\n'], false), join(folder, 'x.jsonl')), /broke off/);
  assert.equal(readFileSync(join(folder, 'x.jsonl'), 'utf8'), 'before');
  assert.deepEqual(readdirSync(folder), ['x.jsonl']);
});
