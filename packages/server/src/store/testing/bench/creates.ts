import type { Change, Scope } from '../../port.ts';
import { add, check, put, putIndex } from '../conformance/bench.ts';

const value = JSON.stringify({ title: 'x'.repeat(400) });
let created = 0;

/** The commit of a create of a record with an index: four changes, three of them with something to read before. */
export function createChanges(): readonly Change[] {
  return [check('fence', 'f', 'present'), ...recordChanges('data'), add('count', 'data', 1)];
}

/** The change that creates look at. */
export const fence: Change = put('fence', 'f');

/** Records with an index, in commits of some hundred. */
export async function fill(scope: Scope, { pk, records }: { readonly pk: string; readonly records: number }) {
  for (let done = 0; done < records; done += 500) {
    const count = Math.min(500, records - done);
    await scope.commit(Array.from({ length: count }, () => recordChanges(pk)).flat());
  }
}

function recordChanges(pk: string): readonly Change[] {
  const id = `${Date.now()}-${String(++created).padStart(8, '0')}`;
  return [put(pk, id, { value, if: 'absent' }), putIndex(`index#${pk}`, `open#${id}`, pk, id)];
}
