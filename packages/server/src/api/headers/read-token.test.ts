import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRaw } from '../testing/raw-request.ts';
import { readAppToken, readBearerToken } from './read-token.ts';

const missing = { refused: 'token_missing' };
const invalid = { refused: 'token_invalid' };
const two = { refused: 'invalid_request' };
type Outcome = string | { readonly refused: string };

const cases: readonly (readonly [headers: readonly string[], ofManagement: Outcome, ofApp: Outcome])[] = [
  [['Authorization: Bearer abc'], 'abc', 'abc'],
  [['authorization: bearer abc'], 'abc', 'abc'],
  [['Authorization: abc'], invalid, 'abc'],
  [['x-service-token: abc'], missing, 'abc'],
  [['Authorization: Bearer abc', 'x-service-token: abc'], 'abc', 'abc'],
  [['Authorization: abc', 'x-service-token: abc'], invalid, 'abc'],
  [['Authorization: Bearer abc', 'x-service-token:'], 'abc', 'abc'],
  [['Authorization: Bearer abc', 'authorization: Bearer abc'], 'abc', 'abc'],
  [['x-service-token: abc', 'X-Service-Token: abc'], missing, 'abc'],
  [['Authorization: Bearer abc', 'x-service-token: def'], 'abc', two],
  [['x-service-token: def', 'Authorization: abc'], invalid, two],
  [['Authorization: Basic abc', 'x-service-token: def'], invalid, two],
  [['x-service-token: abc', 'x-service-token: def'], missing, two],
  [['Authorization: Bearer abc', 'Authorization: Bearer def'], two, two],
  [['AUTHORIZATION: Bearer abc', 'authorization: Bearer'], two, two],
  [['Authorization:', 'Authorization: Bearer abc'], two, two],
  [[], missing, missing],
  [['Authorization: Basic abc'], invalid, invalid],
  [['Authorization: Bearer a b'], invalid, invalid],
  [['Authorization: Bearer  abc'], invalid, invalid],
  [['x-service-token:'], missing, invalid],
];

for (const [headers, ofManagement, ofApp] of cases)
  test(`the headers ${JSON.stringify(headers)} hold ${JSON.stringify(ofManagement)}, for apps ${JSON.stringify(ofApp)}`, async () => {
    assert.deepEqual(await outcomeOf(headers, readBearerToken), ofManagement);
    assert.deepEqual(await outcomeOf(headers, readAppToken), ofApp);
  });

async function outcomeOf(headers: readonly string[], read: typeof readAppToken): Promise<Outcome> {
  return readRaw(['GET / HTTP/1.1', ...headers], read).catch((error: unknown) => ({
    refused: error instanceof Error && 'code' in error ? String(error.code) : String(error),
  }));
}
