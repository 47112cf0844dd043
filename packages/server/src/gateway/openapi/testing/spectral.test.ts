/** A linter of others finds nothing in the documents. */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { sampleDocuments } from './sample-documents.ts';

const { app, management, summary } = await sampleDocuments();

const outside = createRequire(join(import.meta.dirname, '../../../../../../tools/outside/package.json'));

interface Finding {
  readonly code: string | number;
  readonly message: string;
  readonly path: readonly (string | number)[];
}

interface Spectral {
  new (): { setRuleset(ruleset: object): void; run(document: object): Promise<readonly Finding[]> };
}

const { Spectral } = outside('@stoplight/spectral-core') as { readonly Spectral: Spectral };
const { oas } = outside('@stoplight/spectral-rulesets') as { readonly oas: object };
const linter = new Spectral();
// A platform does not know under which address its operator is reached.
linter.setRuleset({ extends: [[oas, 'all']], rules: { 'contact-properties': 'off' } });

for (const [name, document] of Object.entries({ management, app, summary }))
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
