import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerOf } from './http.ts';
import { ApiProblem } from './problem.ts';

test('a page of a captive portal or a proxy is no answer of the platform', async () => {
  for (const type of ['text/html', 'Text/HTML; charset=utf-8'])
    await assert.rejects(
      answerOf(new Response('<p>Sign in to the network</p>', { headers: { 'content-type': type } })),
      (error) => error instanceof ApiProblem && error.code === 'unreachable',
    );
});

test('JSON is read as JSON however its type is written, and other texts as they are', async () => {
  const read = async (text: string, type: string) =>
    (await answerOf(new Response(text, { headers: { 'content-type': type } }))).body;
  assert.deepEqual(await read('{"a":1}', 'Application/JSON; charset=utf-8'), { a: 1 });
  assert.equal(await read('a,b', 'text/csv'), 'a,b');
});
