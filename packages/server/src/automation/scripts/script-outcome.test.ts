import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadEngine, runScript } from './run-script.ts';
import { LogBudget, ScriptError, type ScriptLog, scriptLimits } from './script-outcome.ts';

const engine = await loadEngine();

function run(source: string): { readonly json?: string; readonly error?: ScriptError; readonly log?: ScriptLog } {
  try {
    return runScript(engine, { source, args: '[{"a":1},{},null,{}]', now: 0, seed: '' });
  } catch (error) {
    assert.ok(error instanceof ScriptError, String(error));
    return { error, ...(error.log === undefined ? {} : { log: error.log }) };
  }
}

const linesOf = (source: string) => run(source).log?.lines;

test('a script writes lines of any values by the methods of `console`, and returns what it did without them', () => {
  assert.equal(run('return 1').log, undefined);
  const { json, log } = run(`console.log('read', input, [1, 'b'], 2, null, undefined, true, 3n);
    console.info(); console.warn('one\\ntwo'); console.error(new TypeError('no')); console.debug(Symbol('s'));
    return input.a`);
  assert.equal(json, '1');
  assert.deepEqual(log, {
    lines: ['read {"a":1} [1,"b"] 2 null undefined true 3', '', 'one\ntwo', 'TypeError: no', 'Symbol(s)'],
  });
});

test('lines are kept of a script that throws, takes too long, returns too much, or does not end its promise', () => {
  for (const [end, fault] of [
    ['throw new Error("no")', 'failed'],
    ['for (;;);', 'timeout'],
    ['return "x".repeat(300000)', 'output'],
    ['return new Promise(() => {})', 'failed'],
    ['return Promise.resolve().then(() => { console.log("later"); null.x })', 'failed'],
  ] as const) {
    const { error, log } = run(`console.log('so far'); ${end}`);
    assert.equal(error?.fault, fault, end);
    assert.deepEqual(log?.lines, end.includes('later') ? ['so far', 'later'] : ['so far'], end);
  }
});

test('lines are bounded in their number and their length, also those that the text of a value writes', () => {
  const { logLines, logCharacters } = scriptLimits;
  const many = run(`for (let at = 0; at < ${logLines + 7}; at++) console.log(at)`).log;
  assert.deepEqual([many?.lines.length, many?.lines.at(-1), many?.left_out], [logLines, String(logLines - 1), 7]);
  const long = linesOf('console.log("x".repeat(100000), "y"); console.log("é".repeat(499), "😀😀")');
  assert.deepEqual([long?.[0]?.length, long?.[1]?.length], [logCharacters, logCharacters]);
  assert.ok(long?.every((line) => line.endsWith('…')));
  assert.deepEqual(linesOf(`console.log('x'.repeat(${logCharacters}))`), ['x'.repeat(logCharacters)]);
  const half = linesOf('console.log("x".repeat(498) + "😀!")')?.[0] ?? '';
  assert.equal(half, `${'x'.repeat(498)}\ufffd…`);
  const within = run(`const again = { toJSON() { for (let at = 0; at < 100; at++) console.log(at); return 'end' } };
    console.log(again); console.log(again)`).log;
  assert.deepEqual([within?.lines.length, within?.left_out], [logLines, 100 - logLines + 2]);
});

test('L01: a script that changes what is built in writes texts, and the log stays a list of texts', () => {
  const hostile = `
    String.prototype.slice = () => ({ evil: 1 });
    String.prototype.toJSON = Array.prototype.toJSON = Object.prototype.toJSON = () => ({ lines: 1 });
    JSON.stringify = () => '"],"lines":1,"x":["';
    Array.prototype[Symbol.iterator] = function* () { yield '"]'; };
    Object.defineProperty(Array.prototype, '0', { get: () => 'own', set() {} });
    console.log('"],"left_out":-1,"lines":["', { a: 1 });
    console.log({ get a() { throw 1 } });
    console.log({ toString: () => { throw 1 }, toJSON: undefined });
    console = 1; globalThis.console = undefined;`;
  const { log } = run(hostile);
  assert.equal(log?.left_out, undefined);
  assert.equal(log?.lines.length, 3);
  for (const line of log?.lines ?? []) assert.equal(typeof line, 'string');
  assert.match(log?.lines[0] ?? '', /^"\],"left_out":-1,"lines":\["/);
});

test('L01: the methods of `console` lead out of the realm no further than others', () => {
  for (const source of [
    'return console.log.constructor("return typeof process")()',
    'return console.constructor.constructor("return typeof process")()',
    'return typeof console.log("x")',
  ])
    assert.equal(run(source).json, '"undefined"', source);
});

test('all scripts of a run together have a bounded log', () => {
  const budget = new LogBudget();
  const line = 'x'.repeat(500);
  const lines = Array.from({ length: 50 }, () => line);
  const kept = [1, 2, 3, 4].map(() => budget.take({ lines }));
  assert.deepEqual(
    kept.map((log) => [log.lines.length, log.left_out]),
    [
      [50, undefined],
      [50, undefined],
      [31, 19],
      [0, 50],
    ],
  );
  assert.deepEqual(new LogBudget().take({ lines: ['a'], left_out: 2 }), { lines: ['a'], left_out: 2 });
});
