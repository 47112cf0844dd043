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

/** Generators of clients make an empty object of a schema that names neither members nor what else it takes. */
function bareObjects(schema: unknown, pointer = ''): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const isBare =
    'type' in schema &&
    schema.type === 'object' &&
    ['properties', 'additionalProperties', 'patternProperties', 'oneOf', 'anyOf', 'allOf', '$ref'].every(
      (name) => !(name in schema),
    );
  const inner = Object.entries(schema).filter(([name]) => name !== 'example' && name !== 'examples');
  return [
    ...(isBare ? [pointer] : []),
    ...inner.flatMap(([name, value]: [string, unknown]) => bareObjects(value, `${pointer}/${name}`)),
  ];
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

test('each object of a document says which members it takes', () => {
  assert.deepEqual([...bareObjects(management, 'management'), ...bareObjects(app, 'app')], []);
  assert.deepEqual(bareObjects({ a: { type: 'object', maxProperties: 2 } }), ['/a']);
});
