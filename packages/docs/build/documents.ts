/** The OpenAPI documents of both gateways, as the server makes them: that of the app gateway for an app with one entity. */
import { configKinds } from '../../server/src/composition/config-kinds.ts';
import { appDocument } from '../../server/src/gateway/openapi/app-document.ts';
import { managementDocument } from '../../server/src/gateway/openapi/document.ts';
import { kindsOf } from '../../server/src/promotion/port.ts';
import { compileEntity } from '../../server/src/schema/compile-entity.ts';
import type { OpenapiDocument } from '../src/openapi/openapi.ts';

/** An entity with the kinds of fields that lists, filters and views tell apart. */
const order = compileEntity(
  {
    entityName: 'order',
    UpdateParams: [
      { name: 'title', validate: true, minlength: 1, maxlength: 80, description: 'What is ordered.' },
      { name: 'status', colType: 'enum', enumValues: ['open', 'paid'], default: 'open', index: true },
      { name: 'amount', colType: 'number', validate: true, min: 0, index: true },
    ],
  },
  1,
);

export interface Documents {
  readonly management: OpenapiDocument;
  readonly app: OpenapiDocument;
}

export async function readDocuments(): Promise<Documents> {
  return {
    management: await parsed(
      managementDocument({ hasOperator: true, hasInbox: true, hasSignInLinks: true }, kindsOf(configKinds)),
    ),
    // The code of an org stays a parameter.
    app: await parsed(appDocument({ orgCode: ':org', env: 'test', version: 1, entities: [order] })),
  };
}

async function parsed(pieces: Iterable<string> | AsyncIterable<string>): Promise<OpenapiDocument> {
  let text = '';
  for await (const piece of pieces) text += piece;
  return JSON.parse(text) as OpenapiDocument;
}
