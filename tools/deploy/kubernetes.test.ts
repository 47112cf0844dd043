/** The manifests as a cluster reads them: by the schemas of its API, strictly, so that a member that there is not is found. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Deployment } from 'kubernetes-models/apps/v1';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { Service } from 'kubernetes-models/v1';
import ts from 'typescript';
import { parseAllDocuments } from 'yaml';

const root = join(import.meta.dirname, '..', '..');
const path = join(root, 'deploy', 'kubernetes', 'freehold.yaml');
const text = readFileSync(path, 'utf8');

interface Kind {
  readonly module: string;
  readonly make: (value: never) => { validate(): void };
}

/** By `apiVersion` and `kind`. */
const kinds: Readonly<Record<string, Kind>> = {
  'apps/v1 Deployment': { module: 'kubernetes-models/apps/v1', make: (value) => new Deployment(value) },
  'v1 Service': { module: 'kubernetes-models/v1', make: (value) => new Service(value) },
  'policy/v1 PodDisruptionBudget': {
    module: 'kubernetes-models/policy/v1',
    make: (value) => new PodDisruptionBudget(value),
  },
  'networking.k8s.io/v1 NetworkPolicy': {
    module: 'kubernetes-models/networking.k8s.io/v1',
    make: (value) => new NetworkPolicy(value),
  },
};

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

function kindOf({ apiVersion, kind }: Manifest): Kind {
  const known = kinds[`${apiVersion} ${kind}`];
  assert.ok(known, `no schema of ${apiVersion} ${kind} is looked at`);
  return known;
}

/** What the schemas refuse: a value of another type, a value that is not in the list, a missing member. */
function refusals(yaml: string): readonly string[] {
  return manifests(yaml).flatMap((manifest) => {
    try {
      kindOf(manifest)
        .make(manifest as never)
        .validate();
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
    return `export const m${index}: import('${kindOf(manifest).module}').I${manifest.kind} = ${value};`;
  });
  const name = join(root, 'manifests.ts');
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
  for (const [right, wrong, told] of [
    ['replicas: 2', 'replicas: two', /replicas/],
    ['type: RuntimeDefault', 'type: RuntimeDefualt', /type/],
    ['name: freehold\n          image', 'image', /name/],
  ] as const) {
    const planted = text.replace(right, wrong);
    assert.notEqual(planted, text, right);
    assert.match(refusals(planted).join(), told, wrong);
  }
  const misspelt = [
    ['readOnlyRootFilesystem', 'readonlyRootFilesystem'],
    ['failureThreshold: 60', 'failureTreshold: 60'],
    ['podSelector:', 'podSelectors:'],
    ['minAvailable', 'minimumAvailable'],
  ] as const;
  const told = unknownMembers(misspelt.reduce((planted, [right, wrong]) => planted.replace(right, wrong), text)).join();
  for (const [, wrong] of misspelt) assert.ok(told.includes(wrong.replace(/:.*/, '')), wrong);
});
