import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { thinned } from '../../store/testing/quick.ts';
import { sealer as benchSealer, derived, listAll, openBench } from '../../testing/record-bench.ts';
import { sealedKey } from '../indexes/derive.ts';
import { createSealer, readSealed, type SealedLocation } from './sealed-values.ts';
import type { RecordCall } from './write-loop.ts';

const keyOf = (kid: string, fill: number) => ({ kid, key: Buffer.alloc(32, fill).toString('base64url') });
const sealer = createSealer([keyOf('k1', 1)]);
const location: SealedLocation = { scope: 'org#acme-main', entityName: 'account', id: '1', field: 'iban' };

test('a sealed text opens to what it was, whatever it is', () => {
  const property = fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
    fc.pre(text.isWellFormed());
    assert.equal(sealer.open(sealer.seal(text, location), location), text);
  });
  fc.assert(property, { numRuns: thinned(200) });
});

test('one text is sealed to another each time, and none of it can be read', () => {
  const text = 'a text that is long enough to be seen';
  const sealed = new Set(Array.from({ length: 200 }, () => sealer.seal(text, location)));
  assert.equal(sealed.size, 200);
  for (const one of sealed) {
    const [kid, bytes = ''] = one.split('.');
    assert.equal(kid, 'k1');
    assert.ok(!Buffer.from(bytes, 'base64url').includes('text'));
  }
});

for (const [member, other] of Object.entries({
  scope: 'org#acme-other',
  entityName: 'accounts',
  id: '2',
  field: 'bic',
}))
  test(`a sealed value that is moved to another ${member} does not open`, () => {
    const sealed = sealer.seal('secret', location);
    assert.throws(() => sealer.open(sealed, { ...location, [member]: other }));
  });

test('places whose names run together are distinguished', () => {
  const sealed = sealer.seal('secret', { ...location, entityName: 'a', id: 'bc' });
  assert.throws(() => sealer.open(sealed, { ...location, entityName: 'ab', id: 'c' }));
});

test('a sealed value with any one character changed does not open', () => {
  const sealed = sealer.seal('secret', location);
  for (let index = 0; index < sealed.length - 1; index++) {
    const other = sealed.charAt(index) === 'A' ? 'B' : 'A';
    assert.throws(() => sealer.open(sealed.slice(0, index) + other + sealed.slice(index + 1), location), `at ${index}`);
  }
  for (const broken of ['', 'k1', 'k1.', 'k1.AAAA', '.', sealed.slice(0, -8), `${sealed}AAAA`])
    assert.throws(() => sealer.open(broken, location), broken);
});

test('a new key seals what comes, the old ones open what was', () => {
  const sealed = sealer.seal('secret', location);
  const rotated = createSealer([keyOf('k2', 2), keyOf('k1', 1)]);
  assert.equal(rotated.open(sealed, location), 'secret');
  assert.match(rotated.seal('secret', location), /^k2\./);
  assert.throws(() => createSealer([keyOf('k2', 2)]).open(sealed, location), /unknown/);
  assert.throws(() => createSealer([keyOf('k1', 2)]).open(sealed, location));
  assert.throws(() => createSealer([]).seal('secret', location), /no key/);
});

const definition = {
  entityName: 'account',
  UpdateParams: [
    { name: 'holder', index: true, search: true },
    { name: 'iban', colType: 'encrypted' },
    { name: 'pin', colType: 'encrypted' },
    { name: 'shown', colType: 'formula', formula: '{holder}' },
  ],
};

test('values lie sealed beside their record: kept, changed, cleared and removed with it', async (context) => {
  const bench = await openBench(context);
  const { admin, call: callFor, runtime } = bench.node();
  await admin.define('acme', definition);
  const call = await callFor('account');
  const { id } = (await runtime.create(call, { holder: 'Ada', iban: 'DE1', pin: '1234' })).data;
  assert.deepEqual(await opened(call, id), { iban: 'DE1', pin: '1234' });
  const before = (await call.workspace.scope.get([sealedKey('account', id)]))[0];
  await runtime.update(call, { id, body: { holder: 'Bea' } });
  assert.deepEqual((await call.workspace.scope.get([sealedKey('account', id)]))[0], before);
  await runtime.update(call, { id, body: { iban: 'DE2' } });
  assert.deepEqual(await opened(call, id), { iban: 'DE2', pin: '1234' });
  await runtime.update(call, { id, body: { pin: null } });
  assert.deepEqual(await opened(call, id), { iban: 'DE2' });
  const { actual, expected, counts } = await derived(bench, call);
  assert.deepEqual(actual, expected);
  assert.equal(counts.sealed, 1);
  await runtime.remove(call, { id });
  const left = await bench.contents();
  assert.deepEqual(
    left.filter(({ pk }) => pk.startsWith('sealed#')),
    [],
  );
});

test('neither a record nor an index of it holds a sealed value, nor does a list', async (context) => {
  const bench = await openBench(context);
  const node = bench.node();
  await node.admin.define('acme', definition);
  const call = await node.call('account');
  await node.runtime.create(call, { holder: 'Ada', iban: 'canary' });
  const [listed] = await listAll(node, call);
  assert.ok(listed !== undefined && !('iban' in listed) && !('pin' in listed));
  for (const item of await bench.contents()) assert.ok(!JSON.stringify(item).includes('canary'), item.pk);
});

test('updates of two sealed fields at once, on two nodes, lose neither', async (context) => {
  const bench = await openBench(context);
  const [one, other] = [bench.node(), bench.node()];
  await one.admin.define('acme', definition);
  const call = await one.call('account');
  await other.call('account');
  const { id } = (await one.runtime.create(call, {})).data;
  for (let round = 0; round < 30; round++) {
    const [iban, pin] = [`DE${round}`, `${round}`];
    await Promise.all([
      one.runtime.update(call, { id, body: { iban } }),
      other.runtime.update(call, { id, body: { pin } }),
    ]);
    assert.deepEqual(await opened(call, id), { iban, pin });
  }
});

/** The sealed values of a record, as they open at their places. */
async function opened({ workspace }: RecordCall, id: string): Promise<Readonly<Record<string, string>>> {
  const [item] = await workspace.scope.get([sealedKey('account', id)]);
  const sealed = Object.entries(readSealed(item?.value)).map(([field, text]) => {
    const where = { scope: workspace.scope.name, entityName: 'account', id, field };
    return [field, benchSealer.open(text, where)] as const;
  });
  return Object.fromEntries(sealed);
}
