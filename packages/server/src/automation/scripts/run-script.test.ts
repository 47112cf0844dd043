import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { allowedGlobals } from './inside.ts';
import { loadEngine, runScript } from './run-script.ts';
import { ScriptError, scriptLimits } from './script-outcome.ts';

const engine = await loadEngine();
const now = Date.parse('2026-11-20T09:30:00Z');

function run(source: string, args: readonly unknown[] = [{}, {}, null, {}], seed = 'run 0001'): unknown {
  return JSON.parse(runScript(engine, { source, args: JSON.stringify(args), now, seed }).json);
}

/** Why a script gave no value. */
function refusal(source: string): ScriptError {
  try {
    run(source);
  } catch (error) {
    assert.ok(error instanceof ScriptError, String(error));
    return error;
  }
  assert.fail(`not refused: ${source}`);
}

test('a script is the body of a function of what is handed in, and gives what it returns', () => {
  const args = [{ a: 1 }, { read: { total: 2 } }, { id: 'r' }, { id: 'u', email: 'a@example.com' }];
  assert.deepEqual(run('return { input, steps, record, user }', args), {
    ...{ input: args[0], steps: args[1], record: args[2], user: args[3] },
  });
  assert.equal(run('return input.a + steps.read.total', args), 3);
  assert.deepEqual(run('return [undefined, () => 1, NaN, new Date(0), { a: undefined }]'), [
    ...[null, null, null, '1970-01-01T00:00:00.000Z', {}],
  ]);
  assert.equal(run(''), null);
  assert.equal(run('// a comment at the end'), null);
});

test('any JSON passes through a script as it is', () => {
  fc.assert(
    fc.property(fc.json(), (json) => {
      assert.equal(
        runScript(engine, { source: 'return input', args: `[${json}]`, now, seed: '' }).json,
        JSON.stringify(JSON.parse(json)),
      );
    }),
    { numRuns: 30 },
  );
});

test('promises are waited for, and a promise that nothing settles is refused', () => {
  assert.deepEqual(run('return (async () => [await input, await { then: (done) => done(2) }])()', [1]), [1, 2]);
  assert.equal(refusal('return Promise.reject(new TypeError("no"))').message, 'no');
  assert.equal(refusal('return new Promise(() => {})').fault, 'failed');
  assert.equal(run('return import("fs").then(() => 1, () => 2)'), 2);
});

test('clock and chance are those of the run, everywhere and each time', () => {
  const times = run(
    'return [Date.now(), +new Date(), Date(), new Date(2020, 0, 1) - Date.UTC(2020, 0, 1) === new Date(0).getTimezoneOffset() * 60000, new Date("x").getTime(), new (class extends Date {})() instanceof Date]',
  );
  assert.deepEqual(times, [now, now, (times as readonly string[])[2], true, null, true]);
  const chance = 'return Array.from({ length: 50 }, Math.random)';
  const drawn = run(chance) as readonly number[];
  assert.deepEqual(run(chance), drawn);
  assert.notDeepEqual(run(chance, [{}, {}, null, {}], 'run 0002'), drawn);
  assert.ok(new Set(drawn).size === 50 && drawn.every((one) => one >= 0 && one < 1));
});

test('L01: a realm has the names of the language and a console of its own, and nothing of the process', () => {
  const names = run('return Object.getOwnPropertyNames(globalThis) // and Intl') as readonly string[];
  assert.deepEqual([...names].sort(), [...allowedGlobals].sort());
  // Without its name in the source it is not made ready.
  const fewer = run('return Object.getOwnPropertyNames(globalThis)') as readonly string[];
  assert.deepEqual(
    names.filter((name) => !fewer.includes(name)),
    ['Intl'],
  );
  const outside =
    'process require module exports global fetch setTimeout queueMicrotask performance crypto Buffer WebAssembly Worker SharedArrayBuffer Atomics WeakRef FinalizationRegistry std os print scriptArgs navigator __proto__2';
  for (const name of outside.split(' ')) assert.equal(run(`return typeof ${name}`), 'undefined', name);
});

/** Ways out of sandboxes that share an engine with the host. */
const escapes: readonly string[] = [
  'return this.constructor.constructor("return typeof process")()',
  'return (() => {}).constructor("return typeof process")()',
  'return input.constructor.constructor("return typeof process")()',
  'return [].filter.constructor`return typeof process`()',
  'return Reflect.construct(Function, ["return typeof process"])()',
  'return (async () => {}).constructor("return typeof process")()',
  'return (function* () {}).constructor("return typeof process")().next().value',
  'return (0, eval)("typeof process")',
  'return new Function(...["return typeof process"])()',
  'return Object.getPrototypeOf(function* () {}).constructor("return typeof process")().next().value',
  'return ({ get [["con", "structor"].join("")]() { return typeof process } }).constructor',
  'const { constructor: { constructor: F } } = user; return F("return typeof process")()',
  'a: for (;;) { b: { break a } } return typeof process',
  'return Function("with (globalThis) { return typeof process }")()',
  'return new Proxy({}, { get: (...all) => all[2].constructor.constructor("return typeof process")() }).x',
  'try { null.x } catch (e) { return e.constructor.constructor("return typeof process")() }',
  'return import("node:fs").then((m) => "object", (e) => e.constructor.constructor("return typeof process")())',
];

for (const source of escapes)
  test(`L01: no way out of the realm is found by ${source.slice(0, 60)}`, () => {
    try {
      assert.equal(run(source), 'undefined');
    } catch (error) {
      assert.ok(error instanceof ScriptError && error.fault === 'failed', String(error));
    }
  });

test('L01: the source is the body of one function, and does not end it to go on behind it', () => {
  const bodies = [
    '}), (function () { return 1',
    'return 1 }) (); (function () {',
    '} + function () {',
    '/*',
    '`${',
    '})(); globalThis.x = 1; (function (input, steps, record, user) {"use strict";',
    'import x from "fs"',
    'export default 1',
    'with (input) { return 1 }',
  ];
  for (const body of bodies) assert.equal(refusal(body).fault, 'failed', body);
});

test('L02: a stack has frames and lines of the script alone', () => {
  const stacks = run(`const found = [];
    const look = (make) => { try { make() } catch (e) { found.push(String(e.stack), String(e.cause), String(e.errors)) } };
    look(() => null.x);
    look(() => { throw new Error('a', { cause: new Error('b') }) });
    look(() => { throw new AggregateError([new Error('c')], 'd') });
    look(() => JSON.parse('{'));
    look(() => [1].map(() => { throw new Error('e') }));
    look(() => Reflect.apply(null.x));
    look(function f() { f() });
    Error.prepareStackTrace = (error, frames) => { found.push(typeof frames); return String(error) };
    look(() => null.x);
    return found;`) as readonly string[];
  assert.ok(stacks.length > 20);
  for (const stack of stacks) {
    assert.doesNotMatch(stack, /node:|file:|\.ts|\/|prepareRealm|evalmachine|wasm/, stack);
    for (const [, line] of stack.matchAll(/script:(\d+)/g)) assert.ok(Number(line) <= 11, stack);
  }
});

test('L02: what is thrown is told by its message and a line of the source, whatever it is', () => {
  const refused = (source: string) => {
    const { fault, message, line } = refusal(source);
    return { fault, message, line };
  };
  const failed = (message: string, line?: number) => ({ fault: 'failed', message, line });
  assert.deepEqual(refused('\n\nthrow new Error("own")'), failed('own', 3));
  assert.deepEqual(refused('const a = ;'), failed("unexpected token in expression: ';'", 1));
  assert.deepEqual(refused('throw "text"'), failed('text'));
  assert.deepEqual(refused('throw null'), failed('null'));
  assert.deepEqual(refused('throw Symbol("s")'), failed('Symbol(s)'));
  assert.deepEqual(refused('throw { stack: "script:99:1", message: "x".repeat(1e6) }'), failed('x'.repeat(500)));
  assert.deepEqual(refused('throw { get message() { throw 1 } }'), failed(''));
  assert.deepEqual(refused('throw { message: { toString() { throw 1 } }, get stack() { throw 2 } }'), failed(''));
  assert.deepEqual(refused('throw new Proxy({}, { get() { throw 1 } })'), failed(''));
  assert.deepEqual(refused('throw Object.create(null)'), failed('undefined'));
  assert.deepEqual(refused('return { toJSON() { throw new Error("json") } }'), failed('json', 1));
  assert.deepEqual(refused('return { get a() { throw new Error("getter") } }'), failed('getter', 1));
  assert.deepEqual(refused('const a = []; a.push(a); return a'), failed('circular reference'));
  assert.equal(refused('return 1n').fault, 'failed');
});

test('what a script returns is bounded', () => {
  assert.equal(run('return "x".repeat(262142)'), 'x'.repeat(262_142));
  assert.equal(refusal('return "x".repeat(262143)').fault, 'output');
});

test('a memory bomb takes what a script may take, and no more', () => {
  for (const source of ['const a = []; for (;;) a.push(new Uint8Array(1e6))', 'return "x".repeat(2 ** 28)'])
    assert.equal(refusal(source).fault, 'memory', source);
  // These fill it slowly, and a slow machine ends them by their time.
  for (const source of [
    'const a = []; for (;;) a.push({ a: 1, b: [1, 2, 3] })',
    'const a = []; for (;;) a.push("x".repeat(1e5) + a.length)',
    'const m = new Map(); for (let i = 0; ; i++) m.set(i, i)',
  ])
    assert.match(refusal(source).fault, /^(memory|timeout)$/, source);
  assert.ok(engine.memory.buffer.byteLength <= scriptLimits.memoryBytes);
  assert.equal(run('try { new ArrayBuffer(2 ** 25) } catch (e) { return e.constructor.name }'), 'InternalError');
  assert.equal(run('return new ArrayBuffer(2 ** 23).byteLength'), 2 ** 23);
});

test('an endless loop ends, in code, promises and patterns', () => {
  for (const source of [
    'for (;;);',
    'return (async () => { for (;;) await null })()',
    'try { for (;;); } catch { return 1 } finally { return 2 }',
    'return /(a+)+$/.test("a".repeat(40) + "b")',
    'return { toJSON() { for (;;); } }',
    'throw { get message() { for (;;); } }',
  ])
    assert.equal(refusal(source).fault, 'timeout', source);
});

test('endless recursion ends', () => {
  for (const source of ['const f = () => f() + 1; f()', 'const p = new Proxy({}, { get: (t, k, r) => r[k] }); p.x'])
    assert.equal(refusal(source).fault, 'failed', source);
});

/** Scripts that change what others would find. */
const poisons: readonly string[] = [
  'Object.prototype.polluted = 1; Array.prototype.push = () => { throw 1 }; return {}',
  'input.__proto__.polluted = 1; user.constructor.prototype.polluted = 2; return input',
  'return JSON.parse(\'{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}\')',
  'JSON.stringify = JSON.parse = () => "poisoned"; Promise.prototype.then = () => 1; return { a: 1 }',
  'String.prototype.slice = Function.prototype.toString = Reflect.apply = () => { throw new Error("poisoned") }; return 1',
  'Object.prototype.then = (done) => done("poisoned"); return {}',
  'Object.prototype.toJSON = () => "poisoned"; return { a: 1 }',
  'Object.defineProperty(Array.prototype, 0, { set() { throw 1 } }); return [1]',
  'Object.defineProperty(Object.prototype, "value", { get() { throw 1 }, set() { throw 2 } }); return 1',
  'globalThis.Date = globalThis.Math = globalThis.JSON = undefined; return 1',
  'Promise.resolve().then(function again() { globalThis.left = 1; Promise.resolve().then(() => 1) }); return 1',
  'new Promise((r) => { globalThis.kept = r }); return new Proxy([1], {})',
  'for (const name of Reflect.ownKeys(globalThis)) try { delete globalThis[name] } catch {} return 1',
];

test('L04: no script changes what the host has, and what comes back is plain data', () => {
  const before = intrinsics();
  for (const source of [...poisons, ...escapes]) {
    try {
      const value = run(source);
      if (typeof value === 'object' && value !== null) assertPlain(value);
    } catch (error) {
      assert.ok(error instanceof ScriptError, `${source}: ${error}`);
    }
    const after = intrinsics();
    assert.equal(after.size, before.size, source);
    for (const [name, value] of after) assert.ok(Object.is(value, before.get(name)), `${source}: ${name}`);
  }
});

test('L05: a script finds what it would find on a cold thread, whatever ran before', async () => {
  const looks = `return [Object.getOwnPropertyNames(globalThis), Reflect.ownKeys(Object.prototype).map(String), Object.keys({}),
    [1].concat(2), typeof left, typeof kept, JSON.stringify({ a: 1 }), Math.random(), Date.now(), [..."ab"].join(),
    Array.from(new Uint8Array(4096)).every((byte) => byte === 0), String(Function.prototype.toString), input, new Error('x').stack]`;
  const script = { source: looks, args: JSON.stringify([{ a: 1 }, {}, null, {}]), now, seed: 'beta' };
  const cold = runScript(await loadEngine(), script).json;
  for (const source of poisons) {
    try {
      run(source);
    } catch (error) {
      assert.ok(error instanceof ScriptError, String(error));
    }
    assert.equal(runScript(engine, script).json, cold, source);
  }
});

function assertPlain(value: object): void {
  assert.ok([Object.prototype, Array.prototype].includes(Object.getPrototypeOf(value)));
  for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(value))) {
    assert.ok('value' in property, name);
    if (typeof property.value === 'object' && property.value !== null) assertPlain(property.value);
  }
}

/** The contents of the realm of the host, with the identities of its functions. */
function intrinsics(): ReadonlyMap<string, unknown> {
  const found = new Map<string, unknown>();
  for (const one of [Object, Array, Promise, JSON, Error, Function, String, Date, Math, Reflect])
    for (const owner of [one, 'prototype' in one ? one.prototype : {}])
      for (const [name, { value, get, set }] of Object.entries(Object.getOwnPropertyDescriptors(owner)))
        found.set(`${String(one)} ${found.size} ${name}`, value ?? get ?? set);
  return found;
}
