/** The findings of Redocly in the documents, by the rules that generators of clients recommend. */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { sampleDocuments } from './sample-documents.ts';

const { app, management } = await sampleDocuments();

interface Finding {
  readonly ruleId: string;
  readonly message: string;
  readonly location: readonly { readonly pointer?: string }[];
}

interface Redocly {
  createConfig(config: { readonly extends: readonly string[] }): Promise<object>;
  lintFromString(options: {
    readonly source: string;
    readonly absoluteRef: string;
    readonly config: object;
  }): Promise<readonly Finding[]>;
}

const outside = createRequire(join(import.meta.dirname, '../../../../../../tools/outside/package.json'));
const { createConfig, lintFromString } = outside('@redocly/openapi-core') as Redocly;

for (const [name, document] of Object.entries({ management, app }))
  test(`the ${name} document is clean by the rules that generators of clients recommend`, async () => {
    const source = JSON.stringify(document);
    const config = await createConfig({ extends: ['recommended'] });
    const found = await lintFromString({ source, absoluteRef: `/${name}.json`, config });
    assert.deepEqual(
      found.map(({ ruleId, message, location }) => `${ruleId} at ${location[0]?.pointer}: ${message}`),
      [],
    );
    const planted = await lintFromString({
      source: source.replace('"servers":', '"x-servers":'),
      absoluteRef: '/planted.json',
      config,
    });
    assert.deepEqual(
      planted.map(({ ruleId }) => ruleId),
      ['no-empty-servers'],
    );
  });
