import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRaw } from '../testing/raw-request.ts';
import { conditional, type IfMatch, isNoneMatch, readPreconditions, refuseTags } from './preconditions.ts';

const ifMatchOf = (request: Parameters<typeof readPreconditions>[0]) => readPreconditions(request).ifMatch;

const ifMatch: readonly (readonly [header: string, outcome: IfMatch])[] = [
  ['*', '*'],
  [' * ', '*'],
  ['"5"', ['"5"']],
  ['"5", W/"6" ,"7"', ['"5"', 'W/"6"', '"7"']],
  ['"5",,"6",', ['"5"', '"6"']],
  ['"a,b"', ['"a,b"']],
  ['""', ['""']],
  ['"5.gz", W/"6.gz"', ['"5"', 'W/"6"']],
  ['"é"', [Buffer.from('"é"').toString('latin1')]],
];

for (const [header, outcome] of ifMatch)
  test(`\`If-Match: ${header}\` is read as ${JSON.stringify(outcome)}`, async () => {
    assert.deepEqual(await readRaw(['PUT / HTTP/1.1', `If-Match: ${header}`], ifMatchOf), outcome);
  });

for (const header of ['', '5', "'5'", '"5', '5"', 'w/"5"', '*, "5"', '"5" "6"', '"a b"', '"5";', ',', 'W/', 'W/5'])
  test(`\`If-Match: ${header}\` is refused`, async () => {
    const reading = readRaw(['PUT / HTTP/1.1', `If-Match: ${header}`], ifMatchOf);
    await assert.rejects(reading, { code: 'invalid_request' });
  });

test('without `If-Match` there is none; given twice it is one list', async () => {
  assert.equal(await readRaw(['PUT / HTTP/1.1'], ifMatchOf), undefined);
  const twice = ['PUT / HTTP/1.1', 'If-Match: "5"', 'If-Match: "6"'];
  assert.deepEqual(await readRaw(twice, ifMatchOf), ['"5"', '"6"']);
});

const noneMatch: readonly (readonly [header: string, isCurrent: boolean])[] = [
  ['"5"', true],
  ['W/"5"', true],
  ['"5.gz"', true],
  ['W/"4", W/"5.gz"', true],
  ['"4.gz"', false],
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

for (const [header, code] of [
  ['"5"', 'version_mismatch'],
  ['W/"5"', 'version_mismatch'],
  ['5', 'invalid_request'],
] as const)
  test(`a change of what has no tag is refused with \`If-Match: ${header}\``, async () => {
    await assert.rejects(readRaw(['POST / HTTP/1.1', `If-Match: ${header}`], refuseTags), { code });
  });

test('a change of what has no tag is made with `If-Match: *`, with `If-None-Match`, and without either', async () => {
  for (const lines of [['If-Match: *'], ['If-None-Match: "5"'], ['If-None-Match: *'], []])
    assert.equal(await readRaw(['POST / HTTP/1.1', ...lines], refuseTags), undefined);
});

const reads: readonly (readonly [lines: readonly string[], outcome: number | string])[] = [
  [[], 200],
  [['If-Match: "5"'], 200],
  [['If-Match: *'], 200],
  [['If-Match: "4", "5"'], 200],
  [['If-Match: "4"'], 'version_mismatch'],
  [['If-Match: W/"5"'], 'version_mismatch'],
  [['If-Match: 5'], 'invalid_request'],
  [['If-None-Match: "5"'], 304],
  [['If-None-Match: W/"5"'], 304],
  [['If-None-Match: "4", "5"'], 304],
  [['If-None-Match: *'], 304],
  [['If-None-Match: "4"'], 200],
  [['If-None-Match: "4,"5""'], 200],
  [['If-Match: "5"', 'If-None-Match: "5"'], 304],
  [['If-Match: "4"', 'If-None-Match: "5"'], 'version_mismatch'],
];

for (const method of ['GET', 'HEAD'])
  for (const [lines, outcome] of reads)
    test(`${method} of the tag "5" with ${JSON.stringify(lines)} is ${outcome}`, async () => {
      const read = readRaw([`${method} / HTTP/1.1`, ...lines], (request) => {
        const reply = { status: 200, body: 'text', headers: { ETag: '"5"', 'X-Other': '1' } };
        const { status, body, headers } = conditional(request, reply);
        assert.deepEqual([body, headers], [status === 200 ? 'text' : undefined, reply.headers]);
        return status;
      });
      assert.equal(await read.catch(({ code }: { readonly code?: unknown }) => code), outcome);
    });

test('only a good reply to a read that has a tag is conditional', async () => {
  const lines = ['If-Match: "4"', 'If-None-Match: "5"'];
  const tagged = { status: 200, headers: { ETag: '"5"' } };
  for (const [method, reply] of [
    ['GET', { status: 200 }],
    ['GET', { status: 404, headers: { ETag: '"5"' } }],
    ['PUT', tagged],
    ['POST', { ...tagged, status: 201 }],
  ] as const)
    assert.equal(await readRaw([`${method} / HTTP/1.1`, ...lines], (request) => conditional(request, reply)), reply);
});
