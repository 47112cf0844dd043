import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { ProxyTracerProvider, trace } from '@opentelemetry/api';
import { warnOfApiCopies } from './spans.ts';

const placeOf = (major: number) => Symbol.for(`opentelemetry.js.api.${major}`);

/** Registers an SDK with another copy, as that copy does in the process. */
function registerElsewhere(major: number, version: string): void {
  Reflect.set(globalThis, placeOf(major), { version, trace: { getTracer: () => assert.fail() } });
}

afterEach(() => {
  for (const major of [1, 2]) Reflect.deleteProperty(globalThis, placeOf(major));
});

test('without an SDK, and with an SDK that shares the copy of the platform, there is nothing to say', () => {
  assert.deepEqual(warnOfApiCopies(), []);
  trace.setGlobalTracerProvider(new ProxyTracerProvider());
  assert.deepEqual(warnOfApiCopies(), []);
  trace.disable();
});

test('a newer copy is named, and that spans reach it', () => {
  registerElsewhere(1, '1.999.0');
  const [warning = '', ...others] = warnOfApiCopies();
  assert.match(warning, /another copy of `@opentelemetry\/api` \(1\.999\.0\): spans of the platform reach it/);
  assert.deepEqual(others, []);
});

for (const [major, version] of [
  [1, '1.0.4'],
  [2, '2.0.0'],
] as const)
  test(`a copy ${version} is named, and that no span reaches it`, () => {
    registerElsewhere(major, version);
    assert.match(warnOfApiCopies().join(), /: no span of the platform reaches it/);
  });
