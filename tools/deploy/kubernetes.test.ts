/** The manifests as a cluster reads them: by the schemas of its API, strictly, so that a member that there is not is found. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import ts from 'typescript';
import { parseAllDocuments } from 'yaml';

const root = join(import.meta.dirname, '..', '..');
const path = join(root, 'deploy', 'kubernetes', 'freehold.yaml');
const text = readFileSync(path, 'utf8');

const load = createRequire(join(root, 'tools/outside/package.json'));

type Schema = new (value: Manifest) => { validate(): void };

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
}

function manifests(yaml: string): readonly Manifest[] {
  return parseAllDocuments(yaml).map((document) => {
    assert.deepEqual(document.errors, []);
    return document.toJS() as Manifest;
  });
}

/** A module for each `apiVersion`, with a class for each kind in it. */
function moduleOf({ apiVersion }: Manifest): string {
  return `kubernetes-models/${apiVersion}`;
}

/** By its file, since the package names its modules to `import` alone, which looks for them beside this test. */
function schemaOf(manifest: Manifest): Schema {
  const schemas = load(`./node_modules/${moduleOf(manifest)}/index.js`) as Readonly<Record<string, Schema>>;
  return schemas[manifest.kind] ?? assert.fail(`no schema of ${manifest.kind} is looked at`);
}

/** What the schemas refuse: a value of another type, a value that is not in the list, a missing member. */
function refusals(yaml: string): readonly string[] {
  return manifests(yaml).flatMap((manifest) => {
    try {
      new (schemaOf(manifest))(manifest).validate();
      return [];
    } catch (error) {
      return [`${manifest.kind}: ${error instanceof Error ? error.message : String(error)}`];
    }
  });
}

/** The schemas let members pass that they do not name, as `replica`; the types that are made of them do not. */
function unknownMembers(yaml: string): readonly string[] {
  const lines = manifests(yaml).map((manifest, index) => {
    const value = JSON.stringify(manifest, undefined, 1);
    return `export const m${index}: import('${moduleOf(manifest)}').I${manifest.kind} = ${value};`;
  });
  const name = join(root, 'tools/outside/manifests.ts');
  const options: ts.CompilerOptions = {
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    types: [],
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (file) => file === name || fileExists(file);
  host.getSourceFile = (file, target) =>
    file === name ? ts.createSourceFile(file, lines.join('\n'), target) : getSourceFile(file, target);
  const program = ts.createProgram([name], options, host);
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
}

test('each manifest is valid by the schema of its kind, and has no member that the schema does not name', () => {
  assert.ok(manifests(text).length >= 5);
  assert.deepEqual(refusals(text), []);
  assert.deepEqual(unknownMembers(text), []);
});

test('planted mistakes are found: a wrong type, a wrong value, a missing member, a misspelt member', () => {
  for (const [right, wrong, reported] of [
    ['replicas: 2', 'replicas: two', /replicas/],
    ['type: RuntimeDefault', 'type: RuntimeDefualt', /type/],
    ['name: freehold\n          image', 'image', /name/],
  ] as const) {
    const planted = text.replace(right, wrong);
    assert.notEqual(planted, text, right);
    assert.match(refusals(planted).join(), reported, wrong);
  }
  const misspelt = [
    ['readOnlyRootFilesystem', 'readonlyRootFilesystem'],
    ['failureThreshold: 60', 'failureTreshold: 60'],
    ['podSelector:', 'podSelectors:'],
    ['minAvailable', 'minimumAvailable'],
  ] as const;
  const warnings = unknownMembers(
    misspelt.reduce((planted, [right, wrong]) => planted.replace(right, wrong), text),
  ).join();
  for (const [, wrong] of misspelt) assert.ok(warnings.includes(wrong.replace(/:.*/, '')), wrong);
});
