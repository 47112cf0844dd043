/** What third parties make of the documents: a linter finds nothing, and the types of a generated client fit its use. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import ts from 'typescript';
import { app, management } from './sample-documents.ts';

const outside = createRequire(join(import.meta.dirname, '../../../../../../tools/outside/package.json'));

interface Finding {
  readonly code: string | number;
  readonly message: string;
  readonly path: readonly (string | number)[];
}

interface Spectral {
  new (): { setRuleset(ruleset: object): void; run(document: object): Promise<readonly Finding[]> };
}

interface Generator {
  default(document: object): Promise<readonly ts.Node[]>;
  astToString(nodes: readonly ts.Node[]): string;
}

const { Spectral } = outside('@stoplight/spectral-core') as { readonly Spectral: Spectral };
const { oas } = outside('@stoplight/spectral-rulesets') as { readonly oas: object };
const generator = outside('openapi-typescript') as Generator;
const linter = new Spectral();
// A platform does not know under which address its operator is reached.
linter.setRuleset({ extends: [[oas, 'all']], rules: { 'contact-properties': 'off' } });

for (const [name, document] of Object.entries({ management, app }))
  test(`spectral finds nothing in the ${name} document`, async () => {
    const found = await linter.run(structuredClone(document));
    const sentences = found.map(({ code, message, path }) => `${code} at ${path.join('/')}: ${message}`);
    assert.deepEqual([...new Set(sentences)].slice(0, 20), []);
  });

test('spectral finds a description that is taken out', async () => {
  const planted: unknown = JSON.parse(
    JSON.stringify(management, (key, value) => (key === 'description' ? undefined : value)),
  );
  const found = new Set((await linter.run(planted as object)).map(({ code }) => code));
  for (const rule of ['operation-description', 'oas3-parameter-description']) assert.ok(found.has(rule), rule);
});

const use = `
import type { components as AppComponents, operations as AppOperations } from './app.ts';
import type { components, operations } from './management.ts';

type Order = AppComponents['schemas']['Order'];
type Body<O extends { requestBody?: { content: { 'application/json': unknown } } }> =
  NonNullable<O['requestBody']>['content']['application/json'];

// What has a default may be left out, by a creator and by every other caller.
export const order: Body<AppOperations['createOrder']> = { title: 'a' };
export const simulation: Body<operations['simulateAccess']> = { action: 'listorder', resource: '/list/order' };
export const activation: Body<operations['activate']> = { note: 'now' };
// @ts-expect-error the title is required
export const untitled: Body<AppOperations['createOrder']> = {};
// @ts-expect-error no such state
export const unknown: Body<AppOperations['createOrder']> = { title: 'a', state: 'lost' };

// The elements of a list are records.
type Page = AppOperations['listOrder']['responses'][200]['content']['application/json'];
export const title = (page: Page): string | undefined => page.items[0]?.title;
export const record = (one: Order): Page['items'][number] => one;
// @ts-expect-error an order has no such field
export const price = (page: Page) => page.items[0]?.price;

export const rehearsal: NonNullable<AppOperations['importOrder']['parameters']['query']> = { dry_run: true };
// @ts-expect-error a text is no boolean
export const rehearsed: NonNullable<AppOperations['importOrder']['parameters']['query']> = { dry_run: 'true' };
export const code: components['schemas']['Problem']['code'] = 'not_found';
`;

test('openapi-typescript makes types of both documents that fit their use', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'freehold-generated-'));
  try {
    for (const [name, document] of Object.entries({ management, app }))
      await writeFile(
        join(folder, `${name}.ts`),
        generator.astToString(await generator.default(structuredClone(document))),
      );
    await writeFile(join(folder, 'use.ts'), use);
    assert.deepEqual(mistakesIn(join(folder, 'use.ts')), []);
  } finally {
    await rm(folder, { recursive: true });
  }
});

function mistakesIn(file: string): readonly string[] {
  const program = ts.createProgram([file], {
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.NodeNext,
    types: [],
  });
  return ts.getPreEmitDiagnostics(program).map(({ messageText, file: at, start }) => {
    const line = at === undefined || start === undefined ? 0 : at.getLineAndCharacterOfPosition(start).line + 1;
    return `${line}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
}
