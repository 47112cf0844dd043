/** Each operation of both documents shows what it takes and gives, in JSON and in other formats that are texts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configFileName, configManifestName } from '@freehold/contract/archive/config-archive';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { parse } from 'csv-parse/sync';
import { csvType, jsonlType, jsonlTypes } from '../../../api/headers/file-format.ts';
import { manifestName, secretsName, storeNames } from '../../../backup/archive.ts';
import type { JsonSchema } from '../../../lib/json-schema.ts';
import { compileEntity } from '../../../schema/compile-entity.ts';
import type { EntityDefinition } from '../../../schema/definition.ts';
import { appDocument } from '../app-document.ts';
import { type Document, sampleDocuments } from '../testing/sample-documents.ts';

const { app, management } = await sampleDocuments();

interface Body {
  /** The operation, and the status of a reply. */
  readonly place: string;
  readonly mediaType: string;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly example: unknown;
}

interface Operation {
  readonly description: string;
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>;
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
      const { description, requestBody, responses } = operation;
      const replies = Object.entries(responses).filter(([status]) => Number(status) < 400);
      return [['takes', { ...requestBody, description }] as const, ...replies].flatMap(([name, { content, ...of }]) =>
        Object.entries(content ?? {}).map(
          ([mediaType, { schema, example }]): Body => ({
            ...{ place: `${method.toUpperCase()} ${path} ${name}`, mediaType },
            ...{ description: of.description, schema, example },
          }),
        ),
      );
    }),
  );
}

function inFormat({ place, mediaType }: Body): string {
  return `${place} ${mediaType}`;
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
const withoutRows = ['wide', 'strict'].flatMap((entity) =>
  [...jsonlTypes, csvType].map((type) => `POST /app/acme/import/${entity} takes ${type}`),
);
const page = 'a page, for people alone';
const asset = 'a file of the page, as its build makes it';
const archive = 'binary; the description names its members';
/** Bodies that no text shows, and why. */
const withoutText: Readonly<Record<string, string>> = {
  'GET /app/acme/docs 200 text/html': page,
  'GET /problems/{code} 200 text/html': page,
  'GET /inbox 200 text/html': page,
  'GET /docs/assets/{name} 200 text/javascript': asset,
  'GET /docs/assets/{name} 200 text/css': asset,
  'GET /docs/assets/{name} 200 image/svg+xml': asset,
  'GET /platform/backups/{name} 200 application/x-tar': archive,
  'GET /deploy/export 200 application/x-tar': archive,
  'POST /deploy/import takes application/x-tar': archive,
};

/** By media type: reads a body, and refuses a body of another format. */
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  ...Object.fromEntries(jsonlTypes.map((type) => [type, linesOf])),
  [csvType]: rowsOf,
  'text/plain': metricsOf,
  'application/x-www-form-urlencoded': formOf,
  'application/cloudevents+json': eventOf,
};

function linesOf(text: string): readonly unknown[] {
  assert.match(text, /\n$/);
  return text
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line));
}

function rowsOf(text: string): readonly Readonly<Record<string, string>>[] {
  const rows = parse(text, { columns: true, record_delimiter: '\r\n' }) as readonly Readonly<Record<string, string>>[];
  assert.ok(rows.length > 0, text);
  return rows;
}

/** The text format of Prometheus. */
function metricsOf(text: string): readonly string[] {
  const lines = text.split('\n');
  assert.equal(lines.pop(), '');
  for (const line of lines) assert.match(line, /^(?:# (?:HELP|TYPE) \w+ .+|\w+(?:\{\w+=".*"\})? [\d.]+)$/);
  return lines;
}

function formOf(text: string): URLSearchParams {
  const form = new URLSearchParams(text);
  assert.equal(`${form}`, text);
  return form;
}

function eventOf(text: string): unknown {
  const event = JSON.parse(text);
  for (const name of ['specversion', 'id', 'source', 'type', 'data']) assert.ok(name in event, name);
  return event;
}

for (const [name, document] of Object.entries({ management, app, unusual, compact })) {
  const all = bodiesOf(document);
  const bodies = all.filter(({ mediaType }) => mediaType === 'application/json');
  const texts = all.filter(({ mediaType }) => mediaType !== 'application/json');
  const ajv = new Ajv2020({ strict: false, inlineRefs: false });
  addFormats.default(ajv);
  ajv.addSchema(document, 'document', false, false);
  const assertFits = (schema: JsonSchema, example: unknown, place: string) => {
    const text = JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/');
    assert.ok(ajv.validate(JSON.parse(text), example), `${place}: ${ajv.errorsText()}; ${command}`);
  };

  test(`each operation of the ${name} document has an example of each of its bodies in JSON`, () => {
    assert.ok(bodies.length > 50, String(bodies.length));
    const without = bodies.filter(({ example }) => example === undefined).map(({ place }) => place);
    assert.deepEqual(without, document === unusual || document === compact ? withoutExample : [], command);
  });

  test(`each example of the ${name} document is a value of its schema`, () => {
    for (const { place, schema, example } of bodies) if (example !== undefined) assertFits(schema, example, place);
  });

  test(`each other body of the ${name} document has an example, but for pages and archives`, () => {
    const without = texts.filter(({ example }) => example === undefined).map(inFormat);
    const known = [...Object.keys(withoutText), ...withoutRows].filter((place) => texts.map(inFormat).includes(place));
    assert.deepEqual(without.sort(), known.sort(), command);
  });

  test(`each example of the ${name} document that is no JSON is read by the reader of its format`, () => {
    for (const { place, mediaType, schema, example } of texts) {
      if (example === undefined) continue;
      assert.ok(typeof example === 'string' && example !== '', place);
      const read = readers[mediaType];
      assert.ok(read !== undefined, `nothing reads ${mediaType}: ${place}`);
      const value = read(example);
      if (schema.contentSchema !== undefined) assertFits(schema.contentSchema as JsonSchema, value, place);
    }
  });

  test(`no example of the ${name} document is long`, () => {
    for (const { place, example } of all) {
      const text = typeof example === 'string' ? example : (JSON.stringify(example) ?? '');
      const bytes = Buffer.byteLength(text);
      assert.ok(bytes <= bytesMax, `${place}: ${bytes} bytes`);
    }
  });

  test(`the examples of the ${name} document have placeholders where others have secrets`, () => {
    for (const { place, example } of all)
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

test('the examples of a file show the same rows in lines of JSON and in CSV', () => {
  const files = [...bodiesOf(app), ...bodiesOf(management)].filter(({ example }) => example !== undefined);
  const tables = files.filter(({ mediaType }) => mediaType === csvType);
  assert.ok(tables.length > 10, String(tables.length));
  for (const { place, example } of tables) {
    const lines = files.find((body) => body.place === place && body.mediaType === jsonlType);
    const objects = linesOf(String(lines?.example)) as readonly Readonly<Record<string, unknown>>[];
    const rows = rowsOf(String(example));
    assert.equal(rows.length, objects.length, place);
    for (const [at, row] of rows.entries())
      for (const [column, cell] of Object.entries(row)) {
        const value = cellOf(objects[at] ?? {}, column);
        const text = typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');
        assert.equal(cell, text, `${place}: ${column}; ${command}`);
      }
  }
});

/** Of a column such as `actor_id`, which is a member or lies in the member before its last word. */
function cellOf(object: Readonly<Record<string, unknown>>, column: string): unknown {
  const [, name = '', member = ''] = /^(\w+)_([a-z]+)$/.exec(column) ?? [];
  const nested = object[name];
  return typeof nested === 'object' && nested !== null && !Object.hasOwn(object, column)
    ? (nested as Readonly<Record<string, unknown>>)[member]
    : object[column];
}

test('each body that is known to have no example is one of a document', () => {
  const places = [app, management, unusual].flatMap(bodiesOf).map(inFormat);
  for (const place of [...Object.keys(withoutText), ...withoutRows]) assert.ok(places.includes(place), place);
});

test('the descriptions of archives name their members', () => {
  const archives = bodiesOf(management).filter(({ mediaType }) => mediaType === 'application/x-tar');
  const members = {
    backups: [manifestName, ...storeNames, secretsName],
    deploy: [configManifestName, configFileName({ kind: '{kind}', name: '{name}' })],
  };
  assert.equal(archives.length, 3);
  for (const { place, description } of archives)
    for (const member of place.includes('/backups/') ? members.backups : members.deploy)
      assert.ok(description.includes(`\`${member}\``), `${place}: ${member}`);
});

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
