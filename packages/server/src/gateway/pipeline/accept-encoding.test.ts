import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRaw } from '../../api/testing/raw-request.ts';
import { codingFor, codings } from '../compressing.ts';

const cases: readonly (readonly [header: string | undefined, coding: string | undefined])[] = [
  [undefined, undefined],
  ['', undefined],
  ['gzip', 'gzip'],
  ['gzip, deflate, br, zstd', 'br'],
  ['deflate, zstd', undefined],
  ['GZIP ; Q=0.3', 'gzip'],
  ['br;q=0.5, gzip;q=0.8', 'gzip'],
  ['br;q=0.5, gzip;q=0.5', 'br'],
  ['br;q=0, gzip', 'gzip'],
  ['gzip;q=0', undefined],
  ['gzip;q=0.000', undefined],
  ['identity, gzip;q=0.5', undefined],
  ['identity;q=0.5, gzip', 'gzip'],
  ['identity, gzip', 'gzip'],
  ['identity;q=0', undefined],
  ['*', 'br'],
  ['*;q=0', undefined],
  ['*;q=0, gzip', 'gzip'],
  ['br;q=0, *;q=0.1', 'gzip'],
  ['gzip;q=0.5, br;q=0, *', undefined],
  ['gzip;q=2', undefined],
  ['gzip;q=x', undefined],
  ['gzip;q=0.0001', undefined],
];

for (const [header, coding] of cases)
  test(`\`Accept-Encoding: ${header}\` is answered by ${coding ?? 'no coding'}`, async () => {
    const lines = ['GET / HTTP/1.1', ...(header === undefined ? [] : [`Accept-Encoding: ${header}`])];
    assert.equal(await readRaw(lines, (request) => codingFor(request, codings)), coding);
  });

test('a coding that there is none of is not the answer', async () => {
  const lines = ['GET / HTTP/1.1', 'Accept-Encoding: br', 'Accept-Encoding: gzip;q=0.1'];
  assert.equal(await readRaw(lines, (request) => codingFor(request, ['gzip'])), 'gzip');
});
