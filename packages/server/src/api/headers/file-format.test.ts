import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { preferredType } from './file-format.ts';

const types = ['text/csv', 'application/x-ndjson'] as const;

for (const [accept, headers] of [
  [undefined, undefined],
  ['', undefined],
  ['*/*', undefined],
  ['text/*', undefined],
  ['application/json', undefined],
  ['text/csv', 'text/csv'],
  ['TEXT/CSV; header=present', 'text/csv'],
  ['application/json, text/csv ;q=0.1', 'text/csv'],
  ['text/csv, application/x-ndjson', 'text/csv'],
  ['text/csv;q=0.5, application/x-ndjson;q=0.9', 'application/x-ndjson'],
  ['text/csv;q=0, */*', undefined],
  ['text/csv;q=high', undefined],
  ['text/csvx', undefined],
] as const)
  test(`\`Accept: ${accept}\` asks for ${headers}`, () => {
    assert.equal(preferredType({ headers: { accept } } as IncomingMessage, types), headers);
  });
