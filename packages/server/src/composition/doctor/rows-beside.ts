import { engineOf, type StoreAddress } from '../../engines/registry.ts';
import { systemClock } from '../../lib/clock.ts';
import { eachItem, eachScope } from '../../store/walk.ts';
import { openSpace } from '../open-spaces.ts';

interface StrayRow {
  readonly scope: string;
  readonly pk: string;
  readonly sk: string;
  readonly value: string;
}

/** The rows of some partitions in all scopes but those of workspaces, as the doctor reads them beside a platform that may run. */
export async function* rowsBeside(
  space: 'platform' | 'test' | 'prod',
  address: StoreAddress,
  partitions: readonly string[],
): AsyncGenerator<StrayRow> {
  const engine = engineOf(address);
  if (await engine.isMissing(address, space)) return;
  if (engine.rowsBeside !== undefined) {
    yield* engine.rowsBeside(address, space, partitions);
    return;
  }
  const { store, maintenance } = await openSpace(space, address, { clock: systemClock, onFatal: () => undefined });
  try {
    for await (const { name } of eachScope(maintenance)) {
      if (name.includes('-')) continue;
      for (const pk of partitions)
        for await (const { sk, value } of eachItem(store.scope(name), pk, 1000)) yield { scope: name, pk, sk, value };
    }
  } finally {
    await store.close();
  }
}
