import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { readSourceTree } from '../source-tree.ts';
import { checkCodeBlocks } from './code-blocks.ts';

test('every block of code in the documents is run, or read by its language with a reason', () => {
  assert.deepEqual(checkCodeBlocks(readSourceTree(join(import.meta.dirname, '..', '..'))), []);
});

const page = (fence: string, text: string) => new Map([['docs/a.md', `# A\n\n\`\`\`${fence}\n${text}\n\`\`\`\n`]]);
const known = { 'docs/a.md sh': 'a reason', 'docs/a.md ts': 'a reason' };

test('what is run, and what has a reason and its language, is taken', () => {
  for (const [fence, text] of [
    ['sh runnable', 'whatever'],
    ['json reply', '{ "…"'],
    ['json', '{}'],
  ] as const)
    assert.deepEqual(checkCodeBlocks(page(fence, text), {}), [], fence);
  assert.deepEqual(checkCodeBlocks(page('sh', 'npm start'), { 'docs/a.md sh': 'a reason' }), []);
});

test('a block without a reason, of a wrong language, with an unknown mark, and a reason without a block are found', () => {
  assert.match(checkCodeBlocks(page('sh', 'npm start'), {}).join(), /docs\/a\.md:3 is neither run nor/);
  assert.match(checkCodeBlocks(page('', 'printed'), {}).join(), /no language/);
  assert.match(checkCodeBlocks(page('json', '{'), {}).join(), /is no json/);
  assert.match(checkCodeBlocks(page('sh', "echo 'a"), known).join(), /is no sh/);
  assert.match(checkCodeBlocks(page('ts', 'const = 1'), known).join(), /is no ts/);
  assert.match(checkCodeBlocks(page('sh runable', 'npm start'), {}).join(), /unknown mark: sh runable/);
  assert.match(checkCodeBlocks(page('json', '{}'), known).join(), /names docs\/a\.md sh, and there is no such block/);
});
