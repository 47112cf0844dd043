import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { faultOfError } from './error-log.ts';

function caught(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return assert.fail('nothing was thrown');
}

const own = /^telemetry\/fault-of-error\.test\.ts:\d+$/;

test('an error of the platform’s own code is shown with its sentence and its place', () => {
  const { place, ...fault } = faultOfError(new TypeError('the row has no `code`'));
  assert.deepEqual(fault, { name: 'TypeError', code: null, message: 'the row has no `code`' });
  assert.match(place ?? '', own);
});

test('the sentence of other code is not shown, as it may quote what it was given', async () => {
  for (const error of [
    caught(() => JSON.parse('{"password": hunter2')),
    caught(() => new URL('hunter2')),
    caught(() => BigInt('hunter2')),
    await readFile('/hunter2/hunter2').catch((error: unknown) => error),
  ]) {
    const fault = faultOfError(error);
    assert.equal(fault.message, null, String(error));
    assert.ok(!JSON.stringify(fault).includes('hunter2'));
  }
  assert.equal(faultOfError(await readFile('/hunter2').catch((error: unknown) => error)).code, 'ENOENT');
  assert.match(faultOfError(caught(() => JSON.parse('{'))).place ?? '', own);
});

test('addresses, quoted texts, links and long runs are taken out of a sentence', () => {
  const secret = 'sk_live_4eC39HqLyjWDarjtT1zdp7dc';
  const fault = faultOfError(
    new Error(`550 <ann@example.com> "hunter2" and "cut off postgres://u:hunter2@db/x?a=b ${secret}`),
  );
  for (const sent of ['ann', 'example.com', 'hunter2', 'cut', secret]) assert.ok(!fault.message?.includes(sent), sent);
  assert.match(fault.message ?? '', /^550 /);
});

test('a sentence that looks like a stack is taken for a sentence', () => {
  const here = new URL('./error-log.ts', import.meta.url).href;
  const forged = new Error(`x\n    at evil (${here}:1:1)`);
  assert.match(faultOfError(forged).place ?? '', own);
  const elsewhere = new Error('x');
  elsewhere.stack = `Error: x\n    at JSON.parse (<anonymous>)\n    at read (${here}:7:1)`;
  assert.deepEqual(faultOfError(elsewhere), {
    name: 'Error',
    code: null,
    message: null,
    place: 'telemetry/error-log.ts:7',
  });
});

test('the causes of an error are told with it, and what is no error is called by its type', () => {
  const system = Object.assign(new Error('the disk is full'), { code: 'ENOSPC' });
  const { message, code } = faultOfError(new Error('an answer was cut off', { cause: system }));
  assert.deepEqual([message, code], ['an answer was cut off: the disk is full', 'ENOSPC']);
  for (const [thrown, name] of [
    ['hunter2', 'string'],
    [undefined, 'undefined'],
    [{ message: 'hunter2' }, 'object'],
  ] as const)
    assert.deepEqual(faultOfError(thrown), { name, code: null, message: null, place: null });
  const loop = new Error('round');
  loop.cause = loop;
  assert.equal(faultOfError(loop).message, 'round: round: round');
});
