/** Requests made from an operation that a document tells of. */
import fc from 'fast-check';
import type { OpenapiDocument, Operation, Parameter, Schema } from './openapi-document.ts';
import { spoiled, valuesOf } from './schema-values.ts';

/** Values for parameters of these names that lead somewhere. */
export type SampleValues = Readonly<Record<string, readonly string[]>>;

export interface BuiltRequest {
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Good requests and bad ones: parameters of all sorts, bodies that fit and bodies that do not. */
export function requestsTo(
  document: OpenapiDocument,
  operation: Operation,
  known: SampleValues,
): fc.Arbitrary<BuiltRequest> {
  const inPlace = (place: Parameter['in']) => operation.parameters.filter((parameter) => parameter.in === place);
  return fc
    .record({
      path: parametersOf(document, inPlace('path'), known),
      query: someOf(document, inPlace('query'), known),
      headers: someOf(document, inPlace('header'), known),
      sent: sentTo(document, operation),
    })
    .map(({ sent, ...request }) => ({ ...request, body: sent.body, headers: { ...request.headers, ...sent.headers } }));
}

type Sent = Pick<BuiltRequest, 'body' | 'headers'>;

/** A body of any type that is taken, and what is said of it. */
function sentTo(document: OpenapiDocument, operation: Operation): fc.Arbitrary<Sent> {
  if (operation.body !== undefined) return bodiesOf(document, operation).map((body) => ({ body, headers: {} }));
  const files = Object.entries(operation.bodies).map(([mediaType, { schema }]) =>
    fc.record<Sent>({
      body: filesOf(document, schema),
      headers: fc.constantFrom<Sent['headers']>(
        { 'content-type': mediaType },
        { 'content-type': mediaType, accept: 'application/x-ndjson' },
      ),
    }),
  );
  return files.length === 0 ? fc.constant({ body: undefined, headers: {} }) : fc.oneof(...files);
}

const csvFiles = ['title\nabc\n', 'name,title\nabc\n', 'title,title\n', 'unheard_of\nabc\n', 'title\n"abc', ''];

function filesOf(document: OpenapiDocument, { contentSchema }: Schema): fc.Arbitrary<string> {
  if (contentSchema === undefined) return fc.constantFrom(...csvFiles);
  const rows = valuesOf(document, contentSchema as Schema).map((values) =>
    (values as readonly unknown[]).map(jsonLine),
  );
  return rows.chain((lines) => fc.constantFrom(lines.join(''), `${lines.join('')}{\n`));
}

export function jsonLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

export function bodiesOf(document: OpenapiDocument, operation: Operation): fc.Arbitrary<unknown> {
  const good = valuesOf(document, operation.body ?? {});
  return fc.oneof(good, good.chain(spoiled));
}

/** The required parameters and a few of the others. */
function someOf(document: OpenapiDocument, parameters: readonly Parameter[], known: SampleValues) {
  const needed = parameters.filter((parameter) => parameter.required === true);
  const others = parameters.filter((parameter) => parameter.required !== true);
  return fc
    .subarray(others, { maxLength: Math.min(3, others.length) })
    .chain((chosen) => parametersOf(document, [...needed, ...chosen], known));
}

function parametersOf(document: OpenapiDocument, parameters: readonly Parameter[], known: SampleValues) {
  const values = parameters.map((parameter) => [parameter.name, parameterOf(document, parameter, known)] as const);
  return fc.record<Record<string, string>>(Object.fromEntries(values));
}

function parameterOf(document: OpenapiDocument, parameter: Parameter, known: SampleValues): fc.Arbitrary<string> {
  const leading = known[parameter.name];
  if (leading !== undefined) return fc.constantFrom(...leading);
  if (parameter.in !== 'query') return fc.constant('junk');
  return fc.oneof(valuesOf(document, parameter.schema).map(String), fc.constant('junk'));
}
