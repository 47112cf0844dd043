/** Deaths at each call, and two at once with each order of their calls. */
import assert from 'node:assert/strict';
import { everyInterleaving } from '../../../records/testing/interleaving.ts';
import { crashing } from '../../../store/testing/failing-store.ts';
import { after, type Request } from './model-state.ts';
import { observe } from './observe.ts';
import { assertSerial, isSame, starters } from './race.ts';
import { send } from './requests.ts';
import { assertTruthful } from './truthful.ts';
import { type Planted, TwoSpaces } from './two-spaces.ts';

export const publishAll: Request = { does: 'publish', items: 'all' };
export const activate: Request = { does: 'activate' };
export const rollback: Request = { does: 'rollback', version: undefined };
export const withdrawAll: Request = { does: 'withdraw', item: undefined };

export const publishSome: Request = { does: 'publish', items: [{ kind: 'settings', name: 'house.frame' }] };
export const publishCaller: Request = { does: 'publish', items: [{ kind: 'logicblock', name: 'caller' }] };

function entity(...lookups: readonly string[]) {
  const fields = lookups.map((name) => ({ name: `to_${name}`, colType: 'guid', lookup: { entity: name } }));
  return { UpdateParams: [{ name: 'v', index: lookups.length === 0 }, ...fields] };
}

export function block(name: string, ...calls: readonly string[]) {
  const go = { id: 'go', type: 'http', method: 'GET', url: 'https://x.example/' };
  const steps = calls.map((logicblock) => ({ id: `call_${logicblock}`, type: 'call', logicblock }));
  return { name, steps: [go, ...steps] };
}

/** Two releases that differ in each way, and a third that is staged. */
export async function staged(planted?: Planted): Promise<TwoSpaces> {
  const spaces = await TwoSpaces.inMemory(planted);
  const frame = { kind: 'settings', name: 'house.frame' } as const;
  const l = { kind: 'logicblock', name: 'l' } as const;
  await spaces.editEntity('a', entity());
  await spaces.editEntity('b', entity('a'));
  await spaces.editItem(frame, { value: 1 });
  await act(spaces, publishAll, activate);
  await spaces.editEntity('b', undefined);
  await spaces.editEntity('c', entity('a'));
  await spaces.editItem(l, block('l'));
  await spaces.editItem(frame, { value: 2 });
  await act(spaces, publishAll, activate);
  await spaces.editEntity('b', entity('c'));
  await spaces.editEntity('a', { UpdateParams: [{ name: 'v' }, { name: 'w', search: true }] });
  await spaces.editItem(l, undefined);
  await spaces.editItem(frame, { value: 3 });
  await act(spaces, publishAll);
  return spaces;
}

/** The called block is staged, and the caller is not. */
export async function blocksStaged(planted?: Planted): Promise<TwoSpaces> {
  const spaces = await TwoSpaces.inMemory(planted);
  const called = { kind: 'logicblock', name: 'called' } as const;
  await spaces.editItem(called, block('called'));
  await spaces.editItem({ kind: 'logicblock', name: 'caller' }, block('caller', 'called'));
  await act(spaces, { does: 'publish', items: [called] });
  return spaces;
}

export async function act(spaces: TwoSpaces, ...all: readonly Request[]): Promise<void> {
  for (const request of all) assert.equal(await send(spaces, spaces.node(), request), 'done', JSON.stringify(request));
}

/** A crash leaves the old set or the new one, and the request can be repeated. */
export async function dieAtEachCall(origin: TwoSpaces, request: Request): Promise<void> {
  await origin.editItem({ kind: 'settings', name: 'house.frame' }, { value: 4 });
  const before = await observe(origin);
  const { model: done } = after(before, request);
  const seen = new Set<string>();
  for (const when of ['before', 'after'] as const)
    for (let calls = 0, outcome = 'crashed'; outcome === 'crashed'; calls++) {
      const spaces = await origin.copy();
      const { test: own, prod } = spaces.stores;
      outcome = await send(spaces, spaces.node({ test: own, prod: crashing(prod, calls, when) }), request);
      const left = await observe(spaces);
      if (!isSame(left, before)) assert.deepEqual(left, done, `dead ${when} call ${calls}`);
      await assertTruthful(spaces, left);
      const again = after(left, request);
      assert.equal(await send(spaces, spaces.node(), request), again.outcome);
      assert.deepEqual(await observe(spaces), again.model);
      seen.add(isSame(left, before) ? 'old' : 'new');
    }
  assert.deepEqual([...seen].sort(), ['new', 'old']);
}

/** Two requests at once have the results of one after the other. */
export async function crossTwo(origin: TwoSpaces, requests: readonly [Request, Request]): Promise<void> {
  const model = await observe(origin);
  let plays = 0;
  await everyInterleaving('edges', async (interleaving) => {
    plays += 1;
    const spaces = await origin.copy();
    const race = { spaces, requests, prod: interleaving.stores(spaces.stores.prod) } as const;
    await assertSerial(race, model, await interleaving.run(...starters(race)));
  });
  assert.ok(plays > 8, 'both took their calls');
}
