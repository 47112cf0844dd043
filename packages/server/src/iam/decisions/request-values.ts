/**
 * What a request sends, as the platform reads it. Policies decide about what is stored and compared: of several spellings
 * of one value none may be judged otherwise than the others.
 */
import { type RequestContext, TextPart } from '../../access/port.ts';
import type { Filter } from '../../records/port.ts';
import { bodyAsRead, parameterFilter, plainParameter, withPlainNames } from '../../records/port.ts';
import type { CompiledEntity } from '../../schema/port.ts';
import type { ActionParts } from './action-parts.ts';

/** What a request is about: the verb, and the entity that its values are those of. */
export interface RequestSubject extends Pick<ActionParts, 'verb'> {
  readonly entity: CompiledEntity;
}

/** A request as it is sent, but for its body. */
export interface SentRequest extends Pick<RequestContext, 'method' | 'path' | 'pathParameters'> {
  readonly queryParameters: ReadonlyMap<string, string>;
}

export interface SentValues extends Pick<SentRequest, 'queryParameters'> {
  readonly body?: unknown;
}

/** @param about undefined where there is no such entity: then all is taken as it is. */
export function valuesAsRead(
  about: RequestSubject | undefined,
  { queryParameters, body }: SentValues,
): Pick<RequestContext, 'queryParameters' | 'body'> {
  const parameters = about === undefined ? queryParameters : queryAsRead(about, queryParameters);
  if (body === undefined) return { queryParameters: parameters };
  return { queryParameters: parameters, body: about === undefined ? body : bodyAsRead(about.entity, body) };
}

/** Parameters by their plain names: those of a list or count with the values that records are compared with. */
function queryAsRead(
  { entity, verb }: RequestSubject,
  sent: ReadonlyMap<string, string>,
): ReadonlyMap<string, unknown> {
  if (verb !== 'list' && verb !== 'count' && verb !== 'browse') return withPlainNames(sent);
  const parameters = withPlainNames(sent, entity);
  const read = new Map<string, unknown>();
  for (const [name, text] of parameters) {
    const filter = parameterFilter(entity, parameters, { name, text });
    if (filter !== undefined && 'operator' in filter) read.set(name, operandOf(entity, filter));
    else read.set(name, plainParameter({ name, text }));
  }
  return read;
}

/** What a filter compares with: several values where it takes several. */
function operandOf({ fields }: CompiledEntity, { field, operator, values }: Filter): unknown {
  const isOfElements = fields.get(field)?.behaviour.contains !== undefined;
  if (operator === 'startswith' || (operator === 'contains' && !isOfElements)) return new TextPart(String(values[0]));
  return values.length === 1 ? values[0] : values;
}
