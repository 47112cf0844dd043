/** Events that write into the platform itself, and whether each has written what it should, once. */
import assert from 'node:assert/strict';
import { setTimeout as after } from 'node:timers/promises';
import { makeEvent } from '../event-receiver.ts';
import { type AppUser, defineEntity, definition, list, manage, type Org } from '../org.ts';
import type { Write } from './check-arrivals.ts';

/** Each update of an order is to have a copy, and each create a run that writes two. */
export async function copyWrites(org: Org): Promise<void> {
  await defineEntity(org, definition('copy', [{ name: 'of' }, { name: 'note' }]));
  const values = { of: '{{ record.id }}', note: '{{ string(record.version) }}' };
  const destination_config = { entity: 'copy', action: 'create', values };
  await makeEvent(org, 'order-copy', '', { event_optype: 'update', event_type: 'record', destination_config });
  const copy = (id: string) => ({ id, type: 'create', entity: 'copy', values: { of: '{{ record.id }}', note: id } });
  const content = { name: 'twice', steps: [copy('first'), copy('second')] };
  const made = await manage(org, 'POST', '/config/logicblock', { body: { name: 'twice', content } });
  assert.equal(made.status, 201, made.text);
  const run = { event_type: 'logicblock', destination_config: { logicblock: 'twice' } };
  await makeEvent(org, 'order-run', '', { event_optype: 'create', ...run });
}

/** Waits until all are there. Throws an `AssertionError` where none comes for so long, and where one is there that should not be. */
export async function holdCopies(founder: AppUser, writes: readonly Write[], stuckMilliseconds: number): Promise<void> {
  const expected = writes.flatMap(copiesOf).toSorted();
  let found = await copies(founder);
  for (let at = Date.now(); found.length < expected.length && Date.now() - at < stuckMilliseconds; ) {
    // wall time: a pause between two looks, of which none decides.
    await after(100);
    const now = await copies(founder);
    if (now.length > found.length) at = Date.now();
    found = now;
  }
  const missing = expected.filter((copy) => !found.includes(copy));
  assert.deepEqual(missing.slice(0, 5), [], `${missing.length} writes of events are missing`);
  assert.deepEqual(found.toSorted(), expected, 'events have written what they should not');
}

function copiesOf({ op, record, version }: Write): readonly string[] {
  if (op === 'create') return [`${record} first`, `${record} second`];
  return op === 'update' ? [`${record} ${version}`] : [];
}

async function copies(founder: AppUser): Promise<readonly string[]> {
  const found: string[] = [];
  for (let cursor = ''; ; ) {
    const page = await list(founder, 'copy', `?pagesize=200${cursor}`);
    found.push(...page.items.map(({ of, note }) => `${of} ${note}`));
    if (page.nexttoken === null) return found;
    cursor = `&nexttoken=${encodeURIComponent(page.nexttoken)}`;
  }
}
