/** Each operation of both documents shows what it takes and gives, in JSON. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { JsonSchema } from '../../../lib/json-schema.ts';
import { compileEntity } from '../../../schema/compile-entity.ts';
import type { EntityDefinition } from '../../../schema/definition.ts';
import { appDocument } from '../app-document.ts';
import { type Document, sampleDocuments } from '../testing/sample-documents.ts';

const { app, management } = await sampleDocuments();

interface Body {
  /** The operation, and the status of a reply. */
  readonly place: string;
  readonly schema: JsonSchema;
  readonly example: unknown;
}

interface Operation {
  readonly tags: readonly string[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

type Content = Readonly<Record<string, { readonly schema: JsonSchema; readonly example?: unknown }>>;

async function documentOf(definitions: readonly EntityDefinition[], view = 'default'): Promise<Document> {
  const entities = definitions.map((definition) => compileEntity(definition, 1));
  let text = '';
  for await (const piece of appDocument({ orgCode: 'acme', env: 'test', version: 1, entities, view })) text += piece;
  return JSON.parse(text) as Document;
}

const pattern = '^[A-Z]{3}-[0-9]{4}$';
const bytesMax = 2048;
const command = '`npm run record-examples` writes the examples of described routes again';

function bodiesOf(document: Document): readonly Body[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item as unknown as Readonly<Record<string, Operation>>).flatMap(([method, operation]) => {
      const replies = Object.entries(operation.responses).filter(([status]) => Number(status) < 400);
      return [['takes', operation.requestBody] as const, ...replies].flatMap(([name, body]): readonly Body[] => {
        const json = body?.content?.['application/json'];
        return json === undefined
          ? []
          : [{ place: `${method.toUpperCase()} ${path} ${name}`, ...json, example: json.example }];
      });
    }),
  );
}

const wide = Array.from({ length: 100 }, (_, number) => ({ name: `field_${number}`, validate: true, minlength: 60 }));
const definitions: readonly EntityDefinition[] = [
  { entityName: 'wide', UpdateParams: wide },
  { entityName: 'strict', UpdateParams: [{ name: 'needed', pattern, validate: true }] },
  {
    entityName: 'viewed',
    UpdateParams: [
      { name: 'title', aliases: ['label', 'heading'], validate: true, maxlength: 3 },
      { name: 'number', pattern, validate: true, required: false },
      { name: 'state', pattern, validate: true, default: 'ABC-1234' },
      { name: 'pin', colType: 'encrypted', validate: true },
      { name: 'wide_id', colType: 'guid', lookup: { entity: 'wide' } },
      { name: 'viewed_id', colType: 'guid', lookup: { entity: 'viewed' } },
      ...wide.map((field) => ({ ...field, required: false })),
    ],
    Views: {
      default: {
        fields: [
          { name: 'version', as: 'edition' },
          ...wide.map(({ name }) => ({ name, as: `shown_${name}` })),
          { name: 'label', cast: 'number' },
          { name: 'wide_id', lookup: { view: 'default', as: 'wide' } },
          { name: 'viewed_id', lookup: { view: 'default', as: 'viewed' } },
        ],
      },
    },
  },
];
const unusual = await documentOf(definitions);
const compact = await documentOf(definitions, 'compact');
/** For what no example is made: a body that is too long, and a field whose pattern the example of its type does not match. */
const withoutExample = ['wide', 'strict'].map((entity) => `POST /app/acme/create/${entity} takes`);

for (const [name, document] of Object.entries({ management, app, unusual, compact })) {
  const bodies = bodiesOf(document);

  test(`each operation of the ${name} document has an example of each of its bodies in JSON`, () => {
    assert.ok(bodies.length > 50, String(bodies.length));
    const without = bodies.filter(({ example }) => example === undefined).map(({ place }) => place);
    assert.deepEqual(without, document === unusual || document === compact ? withoutExample : [], command);
  });

  test(`each example of the ${name} document is a value of its schema`, () => {
    const ajv = new Ajv2020({ strict: false, inlineRefs: false });
    addFormats.default(ajv);
    ajv.addSchema(document, 'document', false, false);
    for (const { place, schema, example } of bodies) {
      if (example === undefined) continue;
      const text = JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/');
      assert.ok(ajv.validate(JSON.parse(text), example), `${place}: ${ajv.errorsText()}; ${command}`);
    }
  });

  test(`no example of the ${name} document is long`, () => {
    for (const { place, example } of bodies) {
      const bytes = Buffer.byteLength(JSON.stringify(example) ?? '');
      assert.ok(bytes <= bytesMax, `${place}: ${bytes} bytes`);
    }
  });

  test(`the examples of the ${name} document have placeholders where others have secrets`, () => {
    for (const { place, example } of bodies)
      for (const text of textsIn(example)) {
        const words = text.split(/[^\w-]+/).filter((word) => secret.test(word) && !word.includes('EXAMPLE'));
        assert.deepEqual(words, [], `${place}; ${command}`);
      }
  });
}

/** A JWT, a key or code by the letters in front of it, or a long text that is random or encoded. */
const secret =
  /^eyJ|^(?:fm|fhk_test|fhk_prod|fhd|oi|whsec|d|test|prod)_(?=.*[A-Z0-9])|^(?=.*[a-z])(?=.*[A-Z].*[A-Z].*[A-Z])(?=.*\d)[\w-]{20,}$|^[A-Z2-7]{32}$/;

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

test('examples make the document of 500 entities at most a quarter longer', async (t) => {
  const UpdateParams = ['title', 'state', 'owner', 'note'].map((name) => ({ name }));
  const document = await documentOf(
    Array.from({ length: 500 }, (_, number) => ({ entityName: `entity_${number}`, UpdateParams })),
  );
  const text = JSON.stringify(document);
  const examples = bodiesOf(document).filter(({ example }) => example !== undefined);
  const added = examples.reduce((sum, { example }) => sum + `,"example":${JSON.stringify(example)}`.length, 0);
  const growth = (100 * added) / (text.length - added);
  t.diagnostic(`${text.length} characters, of which ${added} are examples: ${growth.toFixed(1)} %`);
  assert.ok(examples.length > 500 * 9 && growth <= 25, `${growth.toFixed(1)} %`);
});
