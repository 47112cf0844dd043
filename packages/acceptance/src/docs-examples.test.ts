import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { after, test } from 'node:test';
import { type Example, examplesOf, runExamples, type Shell } from './page-examples.ts';
import { startPlatform, storeKind, temporaryDirectory } from './platform.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const docs = readdirSync(join(root, 'docs'))
  .filter((name) => name.endsWith('.md'))
  .map((name) => join('docs', name));

/** Pages that are not about calls: the table of contents, how the code is built, what was measured. */
const pagesWithoutExamples = ['docs/README.md', 'docs/architecture.md', 'docs/performance.md'];
/** A backup is taken of a data folder, which a platform on PostgreSQL does not have. */
const pagesAboutDataFolders = ['docs/operate.md', 'docs/upgrade.md'];

const platform = await startPlatform();
after(() => platform.kill());

/** A shell in the root of a clone, on whose machine the platform of the tests runs. */
const shell: Shell = {
  cwd: root,
  env: {
    PATH: [join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter),
    HOME: temporaryDirectory(),
    TMPDIR: temporaryDirectory(),
    APP: platform.app,
    M: platform.management,
    FREEHOLD_DATA_DIR: platform.dataDir,
  },
};

/** The pages name the addresses that a platform has by default; the one of the tests has others. */
function pageOf(path: string): readonly Example[] {
  const text = readFileSync(join(root, path), 'utf8');
  return examplesOf(
    text.replaceAll('http://127.0.0.1:4000', platform.app).replaceAll('http://127.0.0.1:4001', platform.management),
  );
}

for (const path of ['README.md', ...docs.filter((page) => !pagesWithoutExamples.includes(page))])
  test(
    `the examples of ${path} work as they are pasted, and print what it shows`,
    {
      skip: storeKind !== 'sqlite' && pagesAboutDataFolders.includes(path) && 'not run: there is no data folder',
    },
    () => runExamples(pageOf(path), shell),
  );

test('each page of the guide opens with an example that is run', () => {
  assert.ok(docs.length > 8);
  for (const path of docs.filter((page) => !pagesWithoutExamples.includes(page))) {
    const [first] = pageOf(path);
    assert.ok(first !== undefined && first.line < 25, path);
  }
});

const oneExample = (commands: string, reply: string) =>
  examplesOf(`\`\`\`sh runnable\n${commands}\n\`\`\`\n\`\`\`json reply\n${reply}\n\`\`\`\n`);

test('an example that is wrong is found: another reply, a missing or additional member, a command that fails', async () => {
  const kind = `echo '{"a":"one 1","b":[1,2,3]}'`;
  for (const reply of [
    '{"a": "one 1", "b": [1, 2, 3]}',
    '{"a": "one …", "b": "…"}',
    '{"a": "…", "…": "…"}',
    '{"a": "one 1", "b": [1, "…"]}',
  ])
    await runExamples(oneExample(kind, reply), shell);
  for (const reply of [
    '{"a": "two …", "b": "…"}',
    '{"a": "one 1"}',
    '{"a": "one 1", "b": [1, 2]}',
    '{"a": "one 1", "b": [2, "…"]}',
    '{"a": "one 1", "b": [1, 2, 3], "c": "…"}',
    '{"a": "one 1"',
  ])
    await assert.rejects(runExamples(oneExample(kind, reply), shell), /^AssertionError.*: line 2 shows/, reply);
  await assert.rejects(runExamples(oneExample(`${kind}; false`, '{"…": "…"}'), shell), /commands of line 2 fail/);
});

test('a wrong reply that is planted into a page fails it', async () => {
  const page = readFileSync(join(root, 'docs', 'entities.md'), 'utf8');
  const planted = page.replace('"version": 1', '"version": 2');
  assert.notEqual(planted, page);
  await assert.rejects(runExamples(examplesOf(planted), shell), /and its commands print/);
});
