import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { IfMatch } from '../../entities/update-record.ts';
import { isNoneMatch, readIfMatch } from './preconditions.ts';
import { readRaw } from './raw-request.ts';

const ifMatch: readonly (readonly [header: string, outcome: IfMatch])[] = [
  ['*', '*'],
  [' * ', '*'],
  ['"5"', ['"5"']],
  ['"5", W/"6" ,"7"', ['"5"', 'W/"6"', '"7"']],
  ['"5",,"6",', ['"5"', '"6"']],
  ['"a,b"', ['"a,b"']],
  ['""', ['""']],
  ['"é"', [Buffer.from('"é"').toString('latin1')]],
];

for (const [header, outcome] of ifMatch)
  test(`\`If-Match: ${header}\` is read as ${JSON.stringify(outcome)}`, async () => {
    assert.deepEqual(await readRaw(['PUT / HTTP/1.1', `If-Match: ${header}`], readIfMatch), outcome);
  });

for (const header of ['', '5', "'5'", '"5', '5"', 'w/"5"', '*, "5"', '"5" "6"', '"a b"', '"5";', ',', 'W/', 'W/5'])
  test(`\`If-Match: ${header}\` is refused`, async () => {
    const reading = readRaw(['PUT / HTTP/1.1', `If-Match: ${header}`], readIfMatch);
    await assert.rejects(reading, { code: 'invalid_request' });
  });

test('without `If-Match` there is none; given twice it is one list', async () => {
  assert.equal(await readRaw(['PUT / HTTP/1.1'], readIfMatch), undefined);
  const twice = ['PUT / HTTP/1.1', 'If-Match: "5"', 'If-Match: "6"'];
  assert.deepEqual(await readRaw(twice, readIfMatch), ['"5"', '"6"']);
});

const noneMatch: readonly (readonly [header: string, isCurrent: boolean])[] = [
  ['"5"', true],
  ['W/"5"', true],
  ['"4", "5"', true],
  ['*', true],
  ['"4"', false],
  ['5', false],
  ['"55"', false],
  ['', false],
];

for (const [header, isCurrent] of noneMatch)
  test(`\`If-None-Match: ${header}\` ${isCurrent ? 'names' : 'does not name'} the tag "5"`, async () => {
    const read = readRaw(['GET / HTTP/1.1', `If-None-Match: ${header}`], (request) => isNoneMatch(request, '"5"'));
    assert.equal(await read, isCurrent);
  });
