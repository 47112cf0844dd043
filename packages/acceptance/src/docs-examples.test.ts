import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { guidePage, guideShell, root, withAddressesOf } from './guide-shell.ts';
import { backupSettings } from './operator-backups.ts';
import { examplesOf, runExamples } from './page-examples.ts';
import { operatorKey } from './plans.ts';
import { startPlatform, storeKind, temporaryDirectory } from './platform.ts';

const docs = globSync('docs/{,recipes/}*.md', { cwd: root }).toSorted();

/**
 * Pages that are not about calls: the table of contents, how the code is built, what was measured. The examples of the
 * hooks are compiled by `packages/react/build/guide.test.ts`.
 */
const pagesWithoutExamples = ['docs/README.md', 'docs/architecture.md', 'docs/performance.md', 'docs/react.md'];
/** A backup is taken of a data folder, which a platform on PostgreSQL does not have. */
const pagesAboutDataFolders = ['docs/operate.md', 'docs/scale.md', 'docs/upgrade.md'];

/** What takes seconds, since another system is down in it, is run by `recipes.test.ts`. */
const slowPages = ['docs/recipes/sync.md'];

const platform = await startPlatform({ env: backupSettings(temporaryDirectory()) });
after(() => platform.kill());
const guide = guideShell(platform);
const shell = { ...guide, env: { ...guide.env, FREEHOLD_OPERATOR_KEY: operatorKey } };
const pageOf = (path: string) => guidePage(path, platform);

for (const path of ['README.md', ...docs.filter((page) => ![...pagesWithoutExamples, ...slowPages].includes(page))])
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

test('the addresses of a page are replaced in one pass, also by one that begins as the other does', () => {
  const platform = { app: 'http://127.0.0.1:40012', management: 'http://127.0.0.1:40005' };
  const page = 'http://127.0.0.1:4000/app http://127.0.0.1:4001/org http://127.0.0.1:40011/';
  assert.equal(
    withAddressesOf(platform, page),
    'http://127.0.0.1:40012/app http://127.0.0.1:40005/org http://127.0.0.1:40011/',
  );
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
