import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { thinned } from '../../store/testing/quick.ts';
import { memberReader, membersReader } from './text-grants.ts';

/** Texts that look like members, and values with them. */
const names = ['owner', 'a', 'ow"ner', ',"owner":', '\\', '{', 'owner\\', '"owner":"x"', 'ü', '1'];
const name = fc.oneof(fc.constantFrom(...names), fc.string({ maxLength: 4 }));
const scalar = fc.oneof(
  fc.constantFrom(...names, '},"owner":"x"', '{"owner":"x"}', '', 'x', 'x\\', 'x"', '\u2028', '\ud800'),
  fc.constantFrom(0, -0, 1, 12, 123, -1.5, 1e21, 1e-7, 5e-324, 1.7976931348623157e308, true, false, null),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.string(),
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { weight: 3, arbitrary: scalar },
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 3 }),
  ),
}));

test('gives the JSON of a member as it stands in the text, or says that it cannot tell', () => {
  let reported = 0;
  fc.assert(
    fc.property(fc.dictionary(name, value, { maxKeys: 5 }), name, value, (record, wanted, own) => {
      for (const data of [
        { id: 'x', ...record },
        { id: 'x', ...record, [wanted]: own },
        { id: 'x', [wanted]: own, ...record },
      ]) {
        const text = JSON.stringify(data);
        const member = memberReader(wanted)(text);
        if (member === undefined) continue;
        reported += 1;
        const stored = JSON.parse(text) as Readonly<Record<string, unknown>>;
        assert.ok(Object.hasOwn(stored, wanted));
        assert.equal(member, JSON.stringify(stored[wanted]));
      }
    }),
    { numRuns: thinned(3000) },
  );
  assert.ok(reported > 0);
});

test('reads plain values of a record, beside objects too', () => {
  const text = JSON.stringify({
    id: 'x',
    owner: 'ann',
    points: -12.5,
    paid: true,
    none: null,
    tags: ['owner'],
    meta: { owner: 'bob', by: 'bob' },
    note: 'a "quoted" word',
    by: 'cid',
  });
  const read = (name: string): string | undefined => memberReader(name)(text);
  assert.deepEqual(['owner', 'points', 'paid', 'by'].map(read), ['"ann"', '-12.5', 'true', '"cid"']);
  for (const name of ['id', 'none', 'tags', 'meta', 'note', 'nothing']) assert.equal(read(name), undefined, name);
  assert.equal(memberReader('owner')('{"id":"x","meta":{"a":1,"owner":"bob"}}'), undefined);
});

test('reads several plain values as an object, of short texts alone', () => {
  const read = membersReader(['owner', 'points']);
  const record = { id: 'x', owner: 'ann', points: 12 };
  assert.equal(read(JSON.stringify(record)), '{"owner":"ann","points":12}');
  assert.equal(read(JSON.stringify({ id: 'x', owner: 'ann' })), undefined);
  assert.equal(read(JSON.stringify({ ...record, note: 'x'.repeat(4096) })), undefined);
  assert.equal(membersReader([])('{"id":"x"}'), '{}');
});
