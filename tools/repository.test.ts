import assert from 'node:assert/strict';
import { existsSync, globSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, it } from 'node:test';
import { type AllowedScripts, checkEngines, checkLockfile, type Lockfile } from './lockfile.ts';
import { checkLinks } from './markdown-links.ts';
import { isTestFile, readSourceTree, type SourceTree } from './source-tree.ts';
import {
  apart,
  filesForAnyStore,
  foldersFor,
  isShortened,
  isTestKind,
  longest,
  testFilesOf,
  testKinds,
  testSelections,
  watchedTests,
} from './test-kinds.ts';
import { testRuns } from './test-runs.ts';
import { checkTexts } from './text-rules.ts';

const root = join(import.meta.dirname, '..');
const tree = readSourceTree(root);

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly allowScripts?: AllowedScripts;
}

describe('the repository', () => {
  it('speaks of no registry, no machine and no later', () => {
    assert.ok(tree.has('package.json'));
    assert.deepEqual(checkTexts(tree), []);
  });

  it('has no link between its pages that leads nowhere', () => {
    assert.deepEqual(
      checkLinks(tree, (path) => existsSync(join(root, path))),
      [],
    );
  });

  it('has small pictures only, 3 MB in all', () => {
    const pictures = globSync('docs/**/*.{webp,png,jpg,jpeg,gif}', { cwd: root });
    const bytes = pictures.map((path) => statSync(join(root, path)).size);
    assert.ok(bytes.length > 0);
    assert.ok(bytes.reduce((sum, one) => sum + one, 0) < 3 * 1024 * 1024);
  });

  it('installs from any registry, checks what it gets and runs no script of a package', () => {
    const lockfiles = [...tree.keys()].filter((path) => path.endsWith('package-lock.json'));
    assert.ok(lockfiles.includes('package-lock.json'));
    for (const path of lockfiles) {
      const { allowScripts = {} } = read<Manifest>(path.replace('package-lock.json', 'package.json'));
      assert.deepEqual(checkLockfile(read<Lockfile>(path), allowScripts), [], path);
    }
  });

  it('installs on Node 20 with one warning, which is about Freehold', () => {
    const lockfile = read<Lockfile>('package-lock.json');
    assert.deepEqual(checkEngines(lockfile, '20.19.0'), []);
    const own = Object.entries(lockfile.packages).filter(([path]) => !path.includes('node_modules/'));
    const warned = own.filter(([, { engines }]) => engines?.node !== undefined).map(([path]) => path);
    assert.deepEqual(warned, ['']);
  });

  it('brings nothing but Node along beside what the server needs, where an install omits what development needs', () => {
    const { dependencies, optionalDependencies = {} } = read<Manifest>('package.json');
    assert.equal(dependencies, undefined);
    assert.ok(Object.keys(optionalDependencies).length > 0);
    for (const name of Object.keys(optionalDependencies)) assert.match(name, /^node-/);
  });

  it('lets the test command find every test once', () => {
    const written = [...tree.keys()].filter((path) => /\.(test|spec)\.[^/]+$/.test(path));
    const found = Object.keys(testKinds)
      .filter(isTestKind)
      .flatMap((kind) => testFilesOf(root, kind));
    assert.ok(written.length > 0);
    assert.deepEqual(found.sort(), written.sort());
  });

  it('needs nothing in the gate but the install of the root', () => {
    for (const kind of ['unit', 'acceptance'] as const) assert.deepEqual(foldersFor(testFilesOf(root, kind)), []);
  });

  it('installs first whatever a test loads from a folder of its own packages', () => {
    for (const [folder, files] of Object.entries(apart)) {
      const loaders = [...tree].filter(([, text]) => text.includes(`${folder}/package.json'`)).map(([path]) => path);
      const helpers = loaders
        .filter((path) => !isTestFile(path))
        .flatMap((path) => [`/${basename(path)}'`, `'${basename(path)}'`]);
      const loading = [...tree].filter(
        ([path, text]) =>
          isTestFile(path) &&
          (path.startsWith(`${folder}/`) || loaders.includes(path) || helpers.some((name) => text.includes(name))),
      );
      assert.deepEqual(loading.map(([path]) => path).sort(), files, folder);
    }
  });

  it('shows at the name of what a file of tests imports that the gate makes only a share of its runs', () => {
    for (const [path, text] of tree) {
      if (!/^packages\/.*\/testing\/.*(?<!\.test)\.ts$/.test(path) || !isShortened(text)) continue;
      const names = [...text.matchAll(/^export (?:async function|function|const) (\w+)/gm)].map(
        ([, name]) => name ?? '',
      );
      assert.ok(names.some(isShortened), `nothing that ${path} exports shows that it is shortened`);
    }
  });

  it('names no test by a path where none lies, and no path that is watched in vain', () => {
    const named = Object.keys(testKinds)
      .filter(isTestKind)
      .flatMap((kind): readonly string[] => testKinds[kind].globs);
    const watched = watchedTests.flatMap(({ protects }) => protects);
    assert.deepEqual(
      [...named, ...watched, ...filesForAnyStore, ...longest, ...Object.values(apart).flat()].filter(
        (path) => globSync(path, { cwd: root }).length === 0,
      ),
      [],
    );
    for (const [name, select] of Object.entries(testSelections)) assert.ok(select(root).length > 0, name);
  });

  it('runs each test by a word of `npm test`, and explains each word', () => {
    const run = new Set<string>(Object.values(testRuns).flatMap(({ files }) => files));
    for (const kind of Object.keys(testKinds))
      assert.ok(run.has(kind) || (kind === 'watched' && run.has('watched-changed')), kind);
    const page = tree.get('CONTRIBUTING.md') ?? '';
    for (const word of Object.keys(testRuns)) assert.ok(page.includes(`\`${word}\``), word);
  });

  it('has few scripts', () => {
    assert.ok(Object.keys(read<Manifest>('package.json').scripts ?? {}).length <= 20);
  });
});

describe('the check of the texts', () => {
  // Each text is joined from two parts, so that this file does not contain the forbidden text.
  const refused: readonly (readonly [first: string, second: string])[] = [
    ['https://registry.np', 'mjs.org/jose'],
    ['see /wo', 'rk/main/README.md'],
    ["const path = '/tm", "p/file'"],
    ['(/ro', 'ot/.npmrc)'],
    ['../sha', 'red/spec'],
    ['// TO', 'DO: later'],
    ['FIX', 'ME'],
  ];
  for (const [first, second] of refused) {
    it(`refuses ${first}|${second}`, () => {
      assert.equal(checkTexts(textTree(`one\n${first}${second}\n`)).length, 1);
    });
  }

  for (const [first, second] of [
    ['// Who', 'ever asks is told.'],
    ['/** Read by no', 'body. */'],
    ["test('some", "body signs in', check);"],
    ['A page of it', 'self.'],
    ['What is t', 'old to callers.'],
    ['planned a', 'new'],
    ['ids, names and the l', 'ike'],
    ['the writer there', 'of'],
    ['is t', 'old of in the log'],
  ]) {
    it(`refuses the words ${first}|${second}`, () => {
      for (const path of ['src/a.ts', 'docs/a.md', 'bin/a.mjs', 'examples/a.sh'])
        assert.equal(checkTexts(textTree(`one\n${first}${second}\n`, path)).length, 1, path);
      assert.deepEqual(checkTexts(textTree(`one\n${first}${second}\n`, 'LICENSE')), []);
    });
  }

  it('refuses words of our own in comments alone', () => {
    for (const comment of ['  // The org was to|ld.', '/** It is put o|ff. */', ' * That of the as|ker.']) {
      const text = comment.replace('|', '');
      assert.equal(checkTexts(textTree(`${text}\n`, 'src/a.ts')).length, 1, comment);
      assert.deepEqual(checkTexts(textTree(`const text = '${text.trim().slice(3)}';\n`, 'src/a.ts')), []);
    }
  });

  it('allows the same letters where they mean something else', () => {
    for (const [first, second] of [
      ['/app/acme/user/wo', 'rkspace'],
      ['https://example.com/wo', 'rk/1'],
      ['to', 'do list'],
    ])
      assert.deepEqual(checkTexts(textTree(`one\n${first}${second}\n`)), [], `${first}|${second}`);
  });
});

describe('the check of the links', () => {
  const page = (text: string): SourceTree =>
    new Map([
      ['docs/a.md', text],
      ['docs/b.md', '# What is `b`?\n'],
      ['src/c.ts', ''],
    ]);

  for (const link of [
    'b.md',
    'b.md#what-is-b',
    '../src/c.ts',
    '../src/',
    '#own',
    'https://example.com',
    'mailto:a@example.com',
  ]) {
    it(`follows ${link}`, () => assert.deepEqual(checkLinks(page(`## Own\n[text](${link})`)), []));
  }
  for (const link of ['c.md', 'b.md#gone', '../src/d.ts', '../sr', '#gone']) {
    it(`refuses ${link}`, () => assert.equal(checkLinks(page(`## Own\n[text](${link})`)).length, 1));
    it(`refuses ${link} as a reference`, () => assert.equal(checkLinks(page(`## Own\n[text]: ${link}`)).length, 1));
  }

  it('follows a link to a picture that is there, and refuses a link to a missing picture', () => {
    const shown = page('![Home](../docs/home.webp) ![Gone](../docs/gone.webp)');
    const isThere = (path: string) => path === 'docs/home.webp';
    assert.deepEqual(checkLinks(shown, isThere).length, 1);
    assert.match(checkLinks(shown, isThere)[0] ?? '', /gone\.webp: there is no such file$/);
  });

  it('leaves code alone', () => {
    assert.deepEqual(checkLinks(page('`[text](gone.md)`\n```\n[text](gone.md)\n```\n')), []);
  });
});

describe('the check of the lockfile', () => {
  const entry = { version: '1.0.0', integrity: 'sha512-x' };
  const check = (one: Lockfile['packages'][string], allowed: AllowedScripts = {}) =>
    checkLockfile({ packages: { 'node_modules/a/node_modules/@b/c': one } }, allowed);

  it('allows a checked package, and a refused script', () => {
    assert.deepEqual(check(entry), []);
    assert.deepEqual(check({ ...entry, hasInstallScript: true }, { '@b/c': false }), []);
    assert.deepEqual(check({ resolved: 'packages/server', link: true }), []);
  });

  it('refuses an address, a missing checksum, a script and an empty lockfile', () => {
    assert.deepEqual(check({ ...entry, resolved: 'https://example.com/c.tgz' }), ['@b/c is bound to an address']);
    assert.deepEqual(check({ version: '1.0.0' }), ['@b/c has no checksum']);
    assert.deepEqual(check({ ...entry, hasInstallScript: true }), ['@b/c has an install script']);
    assert.deepEqual(check({ ...entry, hasInstallScript: true }, { '@b/c': true }), ['@b/c has an install script']);
    assert.deepEqual(checkLockfile({ packages: { '': {} } }, {}), ['the lockfile names no package']);
  });
});

describe('the check of the engines', () => {
  const check = (node: string) =>
    checkEngines(
      { packages: { '': { engines: { node: '>=24' } }, 'node_modules/a': { engines: { node } } } },
      '20.19.0',
    );

  for (const range of ['>=20.19.0', '>= 12', '>= 10.x', '^20.18', '20', '20.x', '^18.20.5 || ^20.19.0 || >=22'])
    it(`allows ${range}`, () => assert.deepEqual(check(range), []));
  for (const range of ['>=20.19.1', '>=20.20', '>=22', '^18', '^20.20', '20.18', '^18 || >=22.12.0', '200'])
    it(`refuses ${range}`, () => assert.deepEqual(check(range), [`node_modules/a needs Node ${range}`]));
  for (const range of ['', '>20', '~20', '<21', '20 - 22', '>=18 <21', '>=20 || latest'])
    it(`refuses what it cannot read: ${range}`, () =>
      assert.deepEqual(check(range), [`node_modules/a needs Node \`${range}\`, which cannot be read`]));
});

function textTree(text: string, path = 'a.txt'): SourceTree {
  return new Map([[path, text]]);
}

function read<Shape>(path: string): Shape {
  return JSON.parse(tree.get(path) ?? '{}') as Shape;
}
