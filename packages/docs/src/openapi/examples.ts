/** Calls of a route with values that it takes. */
import { exampleReplyOf, exampleTextOf } from './example.ts';
import { bodyOf, type OpenapiDocument, type Operation, type Parameter } from './openapi.ts';
import { type Filled, headersOf, keyOf, targetOf } from './request.ts';
import { sdkOf } from './sdk-snippets.ts';
import { curlOf } from './snippets.ts';

export interface ExampleOf {
  readonly document: OpenapiDocument;
  readonly operation: Operation;
  /** The address of the gateway. */
  readonly url: string;
}

export interface ExampleCall {
  readonly title: string;
  readonly language: 'sh' | 'ts';
  readonly text: string;
}

/** The call for a shell, and for a program with the client where it has one. */
export function callExamples({ document, operation, url }: ExampleOf): readonly ExampleCall[] {
  const text = exampleTextOf(document, operation);
  const filled = { values: neededValues(document, operation), text };
  const body = bodyOf(operation);
  const request = {
    method: operation.method,
    url: `${url}${targetOf(operation, filled)}`,
    headers: headersOf(operation, filled),
    ...(body === undefined ? {} : { body: { type: body.type, text } }),
    takesToken: operation.takesToken,
  };
  const program = sdkOf({ operation, filled, gateway: url });
  return [
    { title: 'curl', language: 'sh', text: curlOf(request) },
    ...(program === undefined ? [] : [{ title: '@freehold/client', language: 'ts', text: program } as const]),
  ];
}

/** Of the parameters that a call needs. */
function neededValues(document: OpenapiDocument, operation: Operation): Filled['values'] {
  const { value } = exampleReplyOf(document, operation) ?? {};
  const needed = operation.parameters.filter((parameter) => parameter.required === true);
  return Object.fromEntries(needed.map((parameter) => [keyOf(parameter), sampleOf(parameter, Object(value))]));
}

/** A reply that says the parameter's value is of a call with that value. */
function sampleOf({ name, schema }: Parameter, reply: Readonly<Record<string, unknown>>): string {
  const { [name]: expected = samples[name] ?? schema.enum?.[0] ?? 'text' } = reply;
  return String(expected);
}

/** Values of the names that parameters have, by which an example reads well. */
const samples: Readonly<Record<string, string>> = {
  org: 'acme',
  id: '00000000-0000-0000-0000-000000000000',
  decision_id: '00000000-0000-0000-0000-000000000000',
  entity: 'order',
  entityName: 'order',
  entityname: 'order',
  apiname: 'create-visit',
  kind: 'logicblock',
  mail: 'verify_email',
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
