import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRaw } from '../testing/raw-request.ts';
import { readSession } from './console-cookie.ts';

const site = { managementUrl: undefined, isSecure: false };

const cases: readonly (readonly [lines: readonly string[], outcome: string])[] = [
  [['Cookie: freehold=a'], 'a'],
  [['Authorization: Bearer a'], 'a'],
  [['Authorization: Bearer a', 'Cookie: freehold=a'], 'a'],
  [['Authorization: Bearer a', 'Cookie: other=b'], 'a'],
  [['Cookie: freehold=a; freehold=a'], 'a'],
  [['Authorization: Bearer a', 'Cookie: freehold=b'], 'invalid_request'],
  [['Cookie: freehold=b; freehold=a'], 'invalid_request'],
  [['Cookie: freehold=b', 'Cookie: freehold=a'], 'invalid_request'],
  [['Authorization: Bearer a', 'Cookie: freehold=a; freehold=b'], 'invalid_request'],
  [['Authorization: Bearer a', 'Authorization: Bearer b', 'Cookie: freehold=a'], 'invalid_request'],
  [['Cookie: other=a'], 'token_missing'],
];

for (const [lines, outcome] of cases)
  test(`a management call with ${JSON.stringify(lines)} is of ${outcome}`, async () => {
    const read = readRaw(['GET / HTTP/1.1', ...lines], (request) => readSession(site, request));
    assert.equal(await read.catch(({ code }: { readonly code?: unknown }) => code), outcome);
  });
