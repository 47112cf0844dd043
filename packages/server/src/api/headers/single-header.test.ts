import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRaw } from '../testing/raw-request.ts';
import { singleHeader } from './client-id.ts';

const readings: readonly (readonly [what: string, lines: readonly string[], value: string | undefined])[] = [
  ['is its value', ['client_id: test_1'], 'test_1'],
  ['is found in any case', ['Client_ID: test_1'], 'test_1'],
  ['is trimmed', ['client_id:  test_1\t '], 'test_1'],
  ['may hold a comma', ['client_id: a, b'], 'a, b'],
  ['is none when it is missing', ['client-id: test_1', 'x-client_id: test_1'], undefined],
  ['is none when it is empty', ['client_id:'], undefined],
  ['is none when it is blank', ['client_id:  \t '], undefined],
  ['is none when it is doubled', ['client_id: test_1', 'client_id: test_1'], undefined],
  ['is none when it is doubled in other spelling', ['client_id: test_1', 'CLIENT_ID: test_2'], undefined],
  ['is none when one of two is empty', ['client_id:', 'client_id: test_1'], undefined],
  ['is not the value of another header', ['x: client_id', 'client_id2: test_1'], undefined],
];

for (const [what, lines, value] of readings)
  test(`a header that must be sent once ${what}`, async () => {
    const read = readRaw(['GET / HTTP/1.1', ...lines], (request) => singleHeader(request, 'client_id'));
    assert.equal(await read, value);
  });
