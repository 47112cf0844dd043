import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { checkLayers } from './layers.ts';
import { readSourceTree, sourcesUnder } from './source-tree.ts';

const folders = ['packages', 'bench', 'examples', 'tools'];
const server = 'packages/server/src';

describe('the layers', () => {
  it('keeps packages and modules apart', () => {
    const sources = sourcesUnder(readSourceTree(join(import.meta.dirname, '..')), ...folders);
    assert.ok([...sources.keys()].some((path) => path.startsWith(`${server}/store/`)));
    assert.deepEqual(checkLayers(sources), []);
  });

  it('refuses to judge a tree without sources', () => {
    assert.throws(() => sourcesUnder(new Map([['README.md', '']]), ...folders), /there is no source/);
  });
});

describe('the check of the layers', () => {
  const allowed: readonly (readonly [path: string, source: string])[] = [
    [`${server}/authorize/authorize.ts`, `import { compilePolicies } from '../access/port.ts';`],
    [`${server}/gateway/handlers/list.ts`, `import type { Problem } from '@freehold/contract/problem';`],
    [`${server}/entities/create.ts`, `import type { Scope } from '../store/port.ts';`],
    [`${server}/people/password.ts`, `import { argon2 } from 'node:crypto';`],
    [`${server}/store/sqlite/open.ts`, `new Worker(new URL('./writer.ts', import.meta.url));`],
    [`${server}/store/sqlite/open.test.ts`, `import { suite } from '../testing/suite.ts';`],
    [`${server}/store/testing/suite.ts`, `import { test } from 'node:test';`],
    [`${server}/store/sqlite/testing/temporary-store.ts`, `import { bench } from '../../testing/bench.ts';`],
    [`${server}/iam/policies.test.ts`, `import { openMemory } from '../store/testing/open-memory.ts';`],
    [`${server}/gateway/list.test.ts`, `import { openStore } from '../store/testing/open-store.ts';`],
    [`${server}/composition/compose.ts`, `import { FairScheduler } from '../lib/scheduling/fair-scheduler.ts';`],
    [`${server}/main.ts`, `import { compose } from './composition/compose.ts';`],
    [`${server}/copy/run.ts`, `import { FairScheduler } from '../lib/scheduling/fair-scheduler.ts';`],
    [`${server}/gateway/list.ts`, `import { recordText } from '../records/port.ts';`],
    [`${server}/gateway/list.test.ts`, `import { readRecord } from '../records/record.ts';`],
    ['packages/cli/src/main.ts', `import { connect } from '@freehold/client/connect';`],
    ['bench/main.ts', `import { startPlatform } from '../packages/acceptance/src/platform.ts';`],
    ['packages/acceptance/src/list.test.ts', `import { routes } from '@freehold/contract/routes';`],
  ];
  for (const [path, source] of allowed) {
    it(`allows ${path} to say ${source}`, () => {
      assert.deepEqual(checkLayers(new Map([[path, source]])), []);
    });
  }

  const refused: readonly (readonly [path: string, source: string, reason: RegExp])[] = [
    [`${server}/gateway/list.ts`, `import { Store } from '../store/port.ts';`, /gateway may not import it/],
    [`${server}/gateway/list.ts`, `import type { Store } from '../store/port.ts';`, /gateway may not import it/],
    [`${server}/gateway/list.ts`, `type Store = import('../store/port.ts').Store;`, /gateway may not import it/],
    [`${server}/gateway/list.ts`, `export * from '../store/port.ts';`, /gateway may not import it/],
    [`${server}/gateway/list.ts`, `const port = await import('../store/port.ts');`, /gateway may not import it/],
    [`${server}/gateway/list.ts`, `const port = require('../store/port.ts');`, /gateway may not import it/],
    [`${server}/gateway/list.ts`, `import port = require('../store/port.ts');`, /gateway may not import it/],
    [`${server}/gateway/list.ts`, `new Worker(new URL('../store/port.ts', import.meta.url));`, /gateway may not/],
    [`${server}/gateway/list.ts`, 'await import(`../store/port.ts`);', /gateway may not import it/],
    [`${server}/gateway/list.ts`, `await import('../store/' + name);`, /must be a literal/],
    [`${server}/gateway/list.ts`, `require('../store/' + name);`, /must be a literal/],
    [`${server}/gateway/list.ts`, `import '../copy/run.ts';`, /gateway may not import it/],
    [`${server}/gateway/list.ts`, `import '../composition/compose.ts';`, /gateway may not import it/],
    [`${server}/gateway/list.ts`, `import '../config.ts';`, /gateway may not import it/],
    [
      `${server}/gateway/list.ts`,
      `import '../entities/field-types/text.ts';`,
      /through its port or its top-level files/,
    ],
    [`${server}/gateway/list.ts`, `import '../records/record.ts';`, /through its port or its top-level files/],
    [`${server}/records/list.ts`, `import '../entities/port.ts';`, /records may not import it/],
    [`${server}/records/list.test.ts`, `import '../entities/port.ts';`, /records may not import it/],
    [`${server}/entities/create.ts`, `import '../store/testing/open-memory.ts';`, /what exists for tests/],
    [`${server}/entities/create.test.ts`, `import '../store/sqlite/connection.ts';`, /entities may not import it/],
    [`${server}/entities/create.ts`, `import '../iam/policies.ts';`, /entities may not import it/],
    [`${server}/iam/policies.ts`, `import '../store/online-copy.ts';`, /a module is entered|iam may not import it/],
    [`${server}/store/port.ts`, `import '../entities/create.ts';`, /store may not import it/],
    [`${server}/lib/ids.ts`, `import '../store/port.ts';`, /lib may not import it/],
    [`${server}/access/decide.ts`, `import 'node:crypto';`, /access is pure/],
    [`${server}/access/decide.ts`, `import 'jose';`, /access is pure/],
    [`${server}/access/decide.ts`, `import '@freehold/contract/problem';`, /access is pure/],
    [`${server}/access/decide.ts`, `import '../entities/create.ts';`, /access may not import it/],
    [
      `${server}/composition/compose.ts`,
      `import '../store/sqlite/connection.ts';`,
      /through its port or its top-level files/,
    ],
    [`${server}/lib/ids.ts`, `import './ids.test.ts';`, /only tests import tests/],
    [`${server}/lib/ids.ts`, `import 'node:test';`, /only tests import the tools of tests/],
    [`${server}/lib/ids.ts`, `import 'node:assert/strict';`, /only tests import the tools of tests/],
    [`${server}/store/walk.ts`, `import './testing/suite.ts';`, /what exists for tests/],
    [`${server}/store/walk.ts`, `import './sqlite/testing/temporary-store.ts';`, /what exists for tests/],
    [`${server}/helpers/any.ts`, '', /lies in no module/],
    [`${server}/any.ts`, '', /belongs into a module/],
    [`${server}/compose.ts`, '', /belongs into a module/],
    [`${server}/lib/ids.ts`, `import '@freehold/client/connect';`, /packages\/server may not import packages\/client/],
    ['packages/contract/src/routes.ts', `import '@freehold/client/connect';`, /may not import packages\/client/],
    ['packages/client/src/connect.ts', `import '@freehold/server/main';`, /may not import packages\/server/],
    ['packages/acceptance/src/list.ts', `import '../../server/src/main.ts';`, /may not import packages\/server/],
    ['packages/console/src/app.tsx', `import '../../acceptance/src/list.ts';`, /may not import packages\/acceptance/],
    ['packages/other/src/main.ts', '', /lies in no package/],
    ['examples/countries.ts', `import '../packages/server/src/main.ts';`, /examples may not import packages\/server/],
    ['tools/any.ts', `import '@freehold/contract/problem';`, /tools may not import packages\/contract/],
  ];
  for (const [path, source, reason] of refused) {
    it(`refuses that ${path} says ${source === '' ? 'anything' : source}`, () => {
      const sentences = checkLayers(new Map([[path, source]]));
      assert.equal(sentences.length, 1, sentences.join('\n'));
      assert.match(sentences[0] ?? '', reason);
    });
  }

  it('refuses a folder with more files at its top than a reader takes in, tests counted', () => {
    const files = (folder: string, count: number) =>
      Array.from({ length: count }, (_, at) => [`${folder}/file-${at}${at === 0 ? '.test' : ''}.ts`, ''] as const);
    const inFolders = [...files(`${server}/lib`, 25), ...files(`${server}/lib/formats`, 25)];
    assert.deepEqual(checkLayers(new Map(inFolders)), []);
    for (const folder of [`${server}/lib/formats`, 'packages/contract/src', 'bench'])
      assert.deepEqual(checkLayers(new Map([...inFolders, ...files(folder, 26)])), [
        `${folder} holds 26 files at its top, and may hold 25`,
      ]);
  });

  it('refuses that a pure module reaches a clock through a file that it may import', () => {
    const tree = new Map([
      [`${server}/access/decide.ts`, `import '../lib/order.ts';`],
      [`${server}/lib/order.ts`, `import './ids.ts';`],
      [`${server}/lib/ids.ts`, `import 'node:crypto';`],
    ]);
    assert.match(checkLayers(tree).join(), /reaches node:crypto through packages\/server\/src\/lib\/ids.ts/);
  });

  const pair = [`${server}/records/record.ts`, `${server}/records/writing/size.ts`] as const;
  const cycles: readonly (readonly [what: string, sources: readonly [string, string]])[] = [
    ['values', [`import { size } from './writing/size.ts';`, `import { text } from '../record.ts';`]],
    ['types', [`import { size } from './writing/size.ts';`, `import type { Text } from '../record.ts';`]],
    ['types alone', [`type Size = import('./writing/size.ts').Size;`, `export type { Text } from '../record.ts';`]],
  ];
  for (const [what, [first, second]] of cycles) {
    it(`refuses two files that take ${what} from one another`, () => {
      const tree = new Map([
        [pair[0], first],
        [pair[1], second],
      ]);
      assert.deepEqual(checkLayers(tree), [`${pair.join(', ')} import one another`]);
      assert.deepEqual(checkLayers(new Map([...tree, [pair[1], '']])), []);
    });
  }

  it('refuses three files of a folder for tests that import one another in a ring', () => {
    const ring = ['a', 'b', 'c'].map((name) => `${server}/store/testing/${name}.ts`);
    const tree = new Map(ring.map((path, index) => [path, `import './${'bca'[index]}.ts';`]));
    assert.deepEqual(checkLayers(tree), [`${ring.join(', ')} import one another`]);
  });

  it('lets a test file import a file that names it', () => {
    const tree = new Map([
      [`${server}/store/testing/suite.ts`, `import './suite.test.ts';`],
      [`${server}/store/testing/suite.test.ts`, `import './suite.ts';`],
    ]);
    assert.deepEqual(checkLayers(tree), []);
  });

  it('takes a name in a comment or in other text for no import', () => {
    const source = `// import '../store/port.ts'\nconst text = "import '../store/port.ts'";`;
    assert.deepEqual(checkLayers(new Map([[`${server}/gateway/list.ts`, source]])), []);
  });
});
