import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Problem } from '../../lib/problem.ts';
import { listQuery, openBench, type RecordBench } from '../../testing/record-bench.ts';
import type { AuthorizedCall } from '../caller-access.ts';
import { newScan } from '../listing/walking/record-walk.ts';
import { presentationOf } from '../present-records.ts';
import { presentExpanded } from './expand-records.ts';
import { readExpand } from './expand-tree.ts';
import { forwardMax, pagesMax } from './load-expansions.ts';

const lookup = (name: string, entity: string) => ({ name, colType: 'guid', lookup: { entity } });
const access = { rows: () => undefined, rowsOfBody: () => undefined, assertAllowed: () => undefined };

interface Shown {
  readonly id: string;
  readonly expand: Readonly<Record<string, { readonly id?: string; readonly items?: readonly Shown[] }>>;
}

/** An org with folders, and files in them. */
async function openFolders(context: TestContext): Promise<RecordBench> {
  const bench = await openBench(context);
  const { admin } = bench.node();
  await admin.define('acme', { entityName: 'folder', UpdateParams: [{ name: 'note' }] });
  await admin.define('acme', { entityName: 'file', UpdateParams: [{ name: 'note' }, lookup('folder_id', 'folder')] });
  return bench;
}

async function create(bench: RecordBench, entityName: string, bodies: readonly object[]) {
  const { runtime, call } = bench.node();
  const requested = await call(entityName);
  const created = [];
  for (const body of bodies) created.push(await runtime.create(requested, body));
  return created;
}

/** The records as they are shown, and the number of reads of other records. */
async function expanded(
  bench: RecordBench,
  {
    entityName,
    expand,
    ids,
  }: { readonly entityName: string; readonly expand: string; readonly ids: readonly string[] },
) {
  const node = bench.node();
  let reads = 0;
  const { scope } = bench.workspace;
  const counting =
    <Args extends readonly unknown[], Reply>(read: (...args: Args) => Reply) =>
    (...args: Args): Reply => {
      reads += 1;
      return read(...args);
    };
  const counted = { ...scope, get: counting(scope.get), follow: counting(scope.follow) };
  const call: AuthorizedCall = {
    ...(await node.call(entityName, { workspace: { ...bench.workspace, scope: counted } })),
    access,
  };
  const items = [];
  for (const id of ids) items.push((await node.runtime.get(await node.call(entityName), id)) ?? assert.fail());
  const expansions = await readExpand(call, expand);
  const presentation = presentationOf(call, 'list');
  // However slow the store is.
  const scan = newScan(() => 0);
  const texts = await presentExpanded(node.runtime, call, { presentation, expansions, items, scan });
  return { reads, shown: texts.map((text): Shown => JSON.parse(text)), length: texts.join('').length };
}

const idsOf = (records: readonly { readonly data: { readonly id: string } }[]) => records.map(({ data }) => data.id);

test('reads what a page refers to in batches, each record once', async (context) => {
  const bench = await openFolders(context);
  const folders = idsOf(
    await create(
      bench,
      'folder',
      Array.from({ length: 20 }, () => ({})),
    ),
  );
  const bodies = Array.from({ length: 100 }, (_, index) => ({ folder_id: folders[index % 20] }));
  const files = idsOf(await create(bench, 'file', bodies));
  const { reads, shown } = await expanded(bench, { entityName: 'file', expand: 'folder_id', ids: files });
  assert.equal(reads, 2);
  assert.deepEqual(
    shown.map(({ expand }) => expand.folder_id?.id),
    bodies.map(({ folder_id }) => folder_id),
  );
});

test('shows the id alone of more records than one reply looks for', async (context) => {
  const bench = await openFolders(context);
  const folders = idsOf(
    await create(
      bench,
      'folder',
      Array.from({ length: forwardMax + 5 }, () => ({})),
    ),
  );
  const files = idsOf(
    await create(
      bench,
      'file',
      folders.map((folder_id) => ({ folder_id })),
    ),
  );
  const { shown } = await expanded(bench, { entityName: 'file', expand: 'folder_id', ids: files });
  assert.deepEqual(
    shown.map(({ expand }) => Object.keys(expand.folder_id ?? {}).length > 1),
    folders.map((_, index) => index < forwardMax),
  );
  assert.deepEqual(shown.at(-1)?.expand, { folder_id: { id: folders.at(-1) } });
});

const notRead = { items: [], nexttoken: null, partial: true };

test('marks pages that it has no room to read, and reads none of them', async (context) => {
  const bench = await openFolders(context);
  const folders = idsOf(
    await create(
      bench,
      'folder',
      Array.from({ length: pagesMax + 5 }, () => ({})),
    ),
  );
  await create(
    bench,
    'file',
    folders.map((folder_id) => ({ folder_id })),
  );
  const expand = 'file_via_folder_id';
  const { shown, reads } = await expanded(bench, { entityName: 'folder', expand, ids: folders });
  assert.equal(reads, pagesMax);
  assert.deepEqual(
    shown.map(({ expand }) => expand.file_via_folder_id?.items?.length),
    folders.map((_, index) => (index < pagesMax ? 1 : 0)),
  );
  assert.deepEqual(shown.at(-1)?.expand, { file_via_folder_id: notRead });
});

test('all pages together look at no more than one list may, and each says where it ended', async (context) => {
  const bench = await openFolders(context);
  const folders = idsOf(
    await create(
      bench,
      'folder',
      Array.from({ length: 8 }, () => ({})),
    ),
  );
  const note = 'x'.repeat(100_000);
  const files = await create(
    bench,
    'file',
    Array.from({ length: 6 }, () => folders)
      .flat()
      .map((folder_id) => ({ folder_id, note })),
  );
  const expand = 'file_via_folder_id';
  const { shown, length } = await expanded(bench, { entityName: 'folder', expand, ids: folders });
  assert.ok(length < 2_500_000, `${length} of ${files.length * note.length}`);
  const { runtime, call } = bench.node();
  const listing = await call('file');
  const found: string[] = [];
  let partial = 0;
  for (const { id, expand } of shown) {
    const page = expand.file_via_folder_id as unknown as { items: Shown[]; nexttoken: string | null; partial?: true };
    if (page.partial) partial += 1;
    found.push(...page.items.map((one) => one.id));
    if (page.nexttoken === null && !page.partial) continue;
    // A page that was not begun has no token: the list starts from its beginning then.
    const token = page.nexttoken === null ? {} : { nexttoken: page.nexttoken };
    const rest = await runtime.list(listing, listQuery(listing, { folder_id: id, ...token }));
    found.push(...rest.items.map(({ value }) => (JSON.parse(value) as Shown).id));
  }
  assert.ok(partial > 0);
  assert.deepEqual(found.sort(), idsOf(files).sort());
});

test('a page that does not fit the reply is shown as one that was not read', async (context) => {
  const bench = await openFolders(context);
  const [folder] = await create(bench, 'folder', [{ note: 'y'.repeat(600_000) }]);
  const id = folder?.data.id ?? '';
  const files = await create(
    bench,
    'file',
    Array.from({ length: 10 }, () => ({ folder_id: id })),
  );
  const { shown, length } = await expanded(bench, { entityName: 'file', expand: 'folder_id', ids: idsOf(files) });
  assert.ok(length < 5_000_000);
  const whole = shown.filter(({ expand }) => Object.keys(expand.folder_id ?? {}).length > 1).length;
  assert.equal(whole, 6);
  assert.deepEqual(shown.at(-1)?.expand, { folder_id: { id } });
});

test('an index that is not built yet is not read around', async (context) => {
  const bench = await openFolders(context);
  const call = await bench.node().call('folder');
  const references = new Map(call.config.references);
  const by = (references.get('folder')?.by ?? []).map((one) => ({ ...one, isReady: false }));
  references.set('folder', { generation: 1, by });
  const config = { ...call.config, references };
  await assert.rejects(readExpand({ ...call, config }, 'file_via_folder_id'), (error) => {
    assert.ok(error instanceof Problem);
    assert.deepEqual(
      error.details.errors?.map(({ code }) => code),
      ['unindexed_expand'],
    );
    return true;
  });
});
