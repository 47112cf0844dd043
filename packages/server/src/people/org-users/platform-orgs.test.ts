import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../lib/clock.ts';
import { createCursors } from '../../records/port.ts';
import { type Intercept, interceptOpened } from '../../store/intercepted-store.ts';
import { openStore } from '../../store/testing/open-store.ts';
import { type Org, orgs } from './org-directory.ts';
import { createPlatformOrgs } from './platform-orgs.ts';

/** A platform with so many orgs, of which one in a thousand has `Wanted` in its name. */
async function platformWith(count: number) {
  const opened = await openStore({ kind: 'memory', clock: systemClock });
  const reads: string[] = [];
  const watched: Intercept = ({ name }, call) => {
    reads.push(name);
    return call();
  };
  const scope = opened.store.scope('platform');
  const environments = { test: { client_id: 'test_x' }, prod: null };
  const org = (index: number): Org => {
    const code = `o${String(index).padStart(5, '0')}`;
    const name = index % 1000 === 999 ? `Wanted ${index}` : `Org ${index}`;
    return { code, name, created_at: '2026-01-01T00:00:00.000Z', environments };
  };
  for (let index = 0; index < count; index++)
    await scope.commit([orgs.put(org(index).code, org(index), { if: 'absent' })]);
  const platform = interceptOpened(opened, watched).store.scope('platform');
  return { reads, orgs: createPlatformOrgs({ platform, cursors: createCursors(new Uint8Array(32)) }) };
}

test('a search looks at a thousand orgs a call, and goes on where it ended until none is left', async () => {
  const { reads, orgs: platform } = await platformWith(2600);
  const pages: (readonly string[])[] = [];
  let nexttoken: string | undefined;
  do {
    const page = await platform.list({ prefix: '', part: 'wANTED', pageSize: 20, nexttoken });
    pages.push(page.orgs.map(({ name }) => name));
    assert.ok(reads.length <= 5, `${reads.length} reads`);
    reads.length = 0;
    nexttoken = page.nexttoken ?? undefined;
  } while (nexttoken !== undefined);
  assert.deepEqual(pages, [['Wanted 999'], ['Wanted 1999'], []]);
});

test('a page of a search that is full goes on behind its last org', async () => {
  const { orgs: platform } = await platformWith(40);
  const first = await platform.list({ prefix: '', part: 'ORG', pageSize: 30, nexttoken: undefined });
  const second = await platform.list({
    prefix: '',
    part: 'ORG',
    pageSize: 30,
    nexttoken: first.nexttoken ?? assert.fail(),
  });
  assert.deepEqual([first.orgs.length, second.orgs.length, second.nexttoken], [30, 10, null]);
  assert.equal(second.orgs[0]?.code, 'o00030');
  const narrow = await platform.list({ prefix: 'o0003', part: '7', pageSize: 30, nexttoken: undefined });
  assert.deepEqual([narrow.orgs.map(({ code }) => code), narrow.nexttoken], [['o00037'], null]);
});
