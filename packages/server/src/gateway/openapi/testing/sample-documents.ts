/** Both documents, as a client gets them: that of the app with a field of each type, and the entities of the platform. */
import { parseStrictJson } from '../../../lib/formats/strict-json.ts';
import { type CompiledEntity, compileEntity } from '../../../schema/compile-entity.ts';
import { systemEntities } from '../../../schema/system/system-entities.ts';
import { colTypes } from '../../../schema/testing/any-registered-field.ts';
import { configKinds } from '../../../testing/config-kinds.ts';
import { appDocument } from '../app-document.ts';
import { managementDocument } from '../document.ts';

const hints: Readonly<Record<string, object>> = {
  enum: { enumValues: ['a', 'b'] },
  formula: { formula: '{string}' },
  array: { items: { colType: 'integer' } },
};
const everyType = compileEntity(
  {
    entityName: 'every_type',
    UpdateParams: colTypes.flatMap((colType) => [
      { name: colType, colType, description: `a ${colType}`, ...hints[colType] },
      { name: `needed_${colType}`, colType, validate: true, ...hints[colType] },
    ]),
  },
  1,
);
const order = compileEntity(
  {
    entityName: 'order',
    UpdateParams: [
      { name: 'title', validate: true },
      { name: 'state', colType: 'enum', enumValues: ['open', 'done'], validate: true, default: 'open' },
      { name: 'of', colType: 'guid', lookup: { entity: 'every_type' } },
    ],
    Views: {
      summary: {
        fields: [
          { name: 'id' },
          { name: 'title', as: 'heading' },
          { name: 'of', lookup: { view: 'compact', as: 'of' } },
        ],
      },
      whole: { fields: [{ name: 'title' }] },
    },
  },
  1,
);
/** Named as an operation on the other one is. */
const createOrder = compileEntity({ entityName: 'create_order', UpdateParams: [{ name: 'title' }] }, 1);
export const entities: readonly CompiledEntity[] = [everyType, order, createOrder, ...systemEntities.values()];

interface DocumentedOperation {
  readonly operationId: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema: { readonly enum?: readonly string[] };
  }[];
  readonly responses: Readonly<Record<string, { readonly content?: object }>>;
}

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: Readonly<Record<string, object>>;
}

/**
 * Made where they are asked for: a module that awaits them would register the tests of one file under another that
 * shares its process.
 */
export async function sampleDocuments() {
  const ofApp = { orgCode: 'acme', env: 'test', version: 7, entities } as const;
  return {
    management: await sent(
      managementDocument({ hasOperator: true, hasInbox: true, hasSignInLinks: true }, configKinds),
    ),
    /** That of a platform in production. */
    bareManagement: await sent(
      managementDocument({ hasOperator: false, hasInbox: false, hasSignInLinks: false }, configKinds),
    ),
    app: await sent(appDocument(ofApp)),
    /** The same, with replies by a view that one of the entities has. */
    summary: await sent(appDocument({ ...ofApp, view: 'summary' })),
  };
}

/** As a client gets it. */
async function sent(document: Iterable<string> | AsyncIterable<string>): Promise<Document> {
  let text = '';
  for await (const piece of document) text += piece;
  // Refuses a member that appears twice, as readers of YAML do.
  return parseStrictJson(text, { membersMax: 1_000_000, elementsMax: 1_000_000 }) as Document;
}
