/** Calls of a route with values that it takes. */
import { exampleOf, exampleTextOf } from './example.ts';
import { bodyOf, isJson, type OpenapiDocument, type Operation } from './openapi.ts';
import { type Filled, headersOf, keyOf, targetOf } from './request.ts';
import { sdkOf } from './sdk-snippets.ts';
import { curlOf } from './snippets.ts';

export interface ExampleOf {
  readonly document: OpenapiDocument;
  readonly operation: Operation;
  /** Where the gateway is reached. */
  readonly url: string;
}

export interface ExampleCall {
  readonly title: string;
  readonly language: 'sh' | 'ts';
  readonly text: string;
}

/** The call for a shell, and for a program with the client where it has one. */
export function callExamples({ document, operation, url }: ExampleOf): readonly ExampleCall[] {
  const filled = { ...filledOf(document, operation), text: exampleTextOf(document, operation) };
  const request = {
    method: operation.method,
    url: `${url}${targetOf(operation, filled)}`,
    headers: headersOf(operation, filled),
    ...bodyPart(document, operation),
    takesToken: operation.takesToken,
  };
  const program = sdkOf({ operation, filled, gateway: url });
  return [
    { title: 'curl', language: 'sh', text: curlOf(request) },
    ...(program === undefined ? [] : [{ title: '@freehold/client', language: 'ts', text: program } as const]),
  ];
}

function bodyPart(document: OpenapiDocument, operation: Operation) {
  const body = bodyOf(operation);
  if (body === undefined) return {};
  return { body: { type: body.type, text: isJson(body.type) ? exampleTextOf(document, operation) : '' } };
}

/** The parameters that a call needs. */
function filledOf(document: OpenapiDocument, operation: Operation): Filled {
  const needed = operation.parameters.filter((parameter) => parameter.required === true);
  const values = Object.fromEntries(
    needed.map((parameter) => [keyOf(parameter), sampleOf(parameter.name, exampleOf(document, parameter.schema))]),
  );
  return { values, text: '' };
}

function sampleOf(name: string, made: unknown): string {
  return samples[name] ?? String(made);
}

/** Values of the names that parameters have, by which an example reads well. */
const samples: Readonly<Record<string, string>> = {
  org: 'acme',
  id: '00000000-0000-0000-0000-000000000000',
  decision_id: '00000000-0000-0000-0000-000000000000',
  entity: 'order',
  entityName: 'order',
  entityname: 'order',
  apiname: 'create-order',
  kind: 'logicblock',
  name: 'welcome',
  path: 'today',
  version: '1',
  code: 'not_found',
  env: 'test',
  kid: 'key-1',
  tenant_code: 'main',
  client_id: 'CLIENT_ID',
  oauthtoken: 'LOGIN_TOKEN',
};
