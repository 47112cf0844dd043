import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Problem } from '../../lib/problem.ts';
import { ScriptError } from './script-outcome.ts';
import { createScriptRunner } from './script-runner.ts';

const runner = createScriptRunner();
after(() => runner.close());

function run(org: string, source: string): Promise<string> {
  const job = { org, env: 'test' as const, source, args: '[{},{},null,{}]', now: 0, seed: '' };
  return runner.run(job).then(
    ({ json }) => json,
    (error: unknown) =>
      error instanceof ScriptError ? error.fault : error instanceof Problem ? error.code : `${error}`,
  );
}

test('scripts run in a thread that has nothing of the process, and tell the same time in every zone', async () => {
  assert.equal(await run('a', 'return input'), '{}');
  assert.equal(await run('a', 'return typeof process'), '"undefined"');
  const local = 'return [new Date(2020, 6, 1).toISOString(), new Date().getTimezoneOffset(), new Date(0).toString()]';
  assert.deepEqual(JSON.parse(await run('a', local)), [
    ...['2020-07-01T00:00:00.000Z', 0, 'Thu Jan 01 1970 00:00:00 GMT+0000'],
  ]);
});

test('what the interpreter does not interrupt is ended with its thread, and the next script has a new one', async () => {
  assert.equal(await run('a', 'return [].indexOf.call({ length: 2 ** 53 - 1 }, 1)'), 'timeout');
  assert.equal(await run('a', 'return 1'), '1');
});

test('a script that breaks the engine around it is refused, and the next one has a new thread', async () => {
  const deep = 'let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return eval("[".repeat(1e5) + "]".repeat(1e5))';
  assert.match(await run('a', deep), /^(failed|timeout)$/);
  assert.equal(await run('a', 'return 1'), '1');
});

test('scripts of an org run one after the other, and leave a thread to other orgs', async () => {
  const ended: string[] = [];
  const noted = (name: string, org: string, source: string) =>
    run(org, source).then((end) => ended.push(`${name} ${end}`));
  await Promise.all([
    noted('evil', 'a', 'for (;;);'),
    noted('evil', 'a', 'for (;;);'),
    ...Array.from({ length: 10 }, () => noted('good', 'b', 'return 1')),
    ...Array.from({ length: 10 }, () => noted('good', 'c', 'return 2')),
  ]);
  assert.equal(ended.length, 22);
  assert.deepEqual(ended.slice(-1), ['evil timeout']);
  assert.ok(ended.slice(0, 20).filter((end) => end.startsWith('good')).length >= 19);
});

test('an org has a hundred scripts waiting, and one more is refused at once', async () => {
  const first = run('a', 'return 0');
  const pending = Array.from({ length: 101 }, (_, index) => run('a', `return ${index}`));
  assert.equal(await pending.at(-1), 'rate_limited');
  assert.equal(await first, '0');
  assert.deepEqual(
    await Promise.all(pending.slice(0, 100)),
    Array.from({ length: 100 }, (_, index) => `${index}`),
  );
});

test('a runner that is closed ends what runs', async () => {
  const own = createScriptRunner();
  const ended = assert.rejects(
    own.run({ org: 'a', env: 'test', source: 'for (;;);', args: '[]', now: 0, seed: '' }),
    ScriptError,
  );
  await own.close();
  await ended;
});
