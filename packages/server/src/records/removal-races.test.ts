/** A record is removed while another one comes to refer to it, whichever call of the one the other falls before. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OnDelete } from '../schema/definition.ts';
import { raceKinds } from '../store/testing/open-test-store.ts';
import { derived, listAll, openBench, outcomeOf, type RecordBench } from '../testing/record-bench.ts';
import { everyInterleaving, extentOn, type Interleaving } from './testing/interleaving.ts';

const writes = ['create', 'update'] as const;
type Write = (typeof writes)[number];

/** Outcomes of the reference, the removal, and then the holder. A refused holder may have existed before. */
const fair: Readonly<Record<OnDelete, readonly string[]>> = {
  restrict: ['done, dangling_reference: holds it', 'validation_failed, done: holds nothing'],
  cascade: ['done, done: is gone', 'validation_failed, done: holds nothing'],
  setnull: ['done, done: holds nothing', 'validation_failed, done: holds nothing'],
};

const holders = [
  ['a record', 'restrict'],
  ['a record', 'cascade'],
  ['a record', 'setnull'],
  ['an array', 'restrict'],
  ['an array', 'setnull'],
] as const;
type HolderKind = (typeof holders)[number][0];

for (const kind of raceKinds)
  for (const [what, onDelete] of holders)
    for (const write of writes)
      test(`what ${what} comes to refer to by ${write} stays, or it does not come to it (${onDelete}, ${kind})`, async (context) => {
        const bench = await openBench(context, kind);
        await define(bench, what, onDelete);
        const seen = new Set<string>();
        let workspaces = 0;
        await everyInterleaving(extentOn(kind), async (interleaving) => {
          const outcome = await meet(bench, { interleaving, write, what, tenantCode: `w${++workspaces}` });
          assert.ok(fair[onDelete].includes(outcome), `${outcome}, ${interleaving.name}`);
          seen.add(outcome);
        });
        assert.equal(seen.size, 2, [...seen].join('; '));
      });

async function define(bench: RecordBench, what: HolderKind, onDelete: OnDelete): Promise<void> {
  const { admin } = bench.node();
  const id = { colType: 'guid', lookup: { entity: 'target', onDelete } };
  const ref = what === 'an array' ? { name: 'ref', colType: 'array', items: id } : { name: 'ref', ...id };
  await admin.define('acme', { entityName: 'target', UpdateParams: [{ name: 'note' }] });
  await admin.define('acme', { entityName: 'holder', UpdateParams: [ref] });
}

interface Meeting {
  readonly interleaving: Interleaving;
  readonly write: Write;
  readonly what: HolderKind;
  /** Of a workspace of its own. */
  readonly tenantCode: string;
}

async function meet(bench: RecordBench, { interleaving, write, what, tenantCode }: Meeting): Promise<string> {
  const auditCaller = { workspace: bench.workspaceOf(tenantCode) };
  const judge = bench.node();
  const [target, holder] = [await judge.call('target', auditCaller), await judge.call('holder', auditCaller)];
  const { id } = (await judge.runtime.create(target, {})).data;
  const current = write === 'create' ? undefined : (await judge.runtime.create(holder, {})).data.id;
  const [own, other] = interleaving.stores(bench.opened.store);
  const [referring, removing] = [bench.node(own), bench.node(other)];
  const outcomes = await interleaving.run(
    async () => {
      const call = await referring.call('holder', auditCaller);
      const body = { ref: what === 'an array' ? [id] : id };
      const { runtime } = referring;
      return outcomeOf(
        current === undefined ? runtime.create(call, body) : runtime.update(call, { id: current, body }),
      );
    },
    async () => outcomeOf(removing.runtime.remove(await removing.call('target', auditCaller), { id })),
  );
  const { actual, expected } = await derived(bench, holder);
  assert.deepEqual(actual, expected, interleaving.name);
  const [left] = await listAll(judge, holder);
  const wasRefused = outcomes[0] === 'validation_failed' && current === undefined;
  assert.ok(left === undefined || !wasRefused, 'a holder that was refused');
  return `${outcomes.join(', ')}: ${left === undefined && !wasRefused ? 'is gone' : [left?.ref].flat().includes(id) ? 'holds it' : 'holds nothing'}`;
}
