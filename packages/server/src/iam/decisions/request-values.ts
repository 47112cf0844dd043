import { type AccessContext, TextPart, type Verb } from '../../access/port.ts';
import { foldAscii } from '../../lib/fold-ascii.ts';
import { bodyAsRead, type Filter, parameterFilter, plainParameter, withPlainNames } from '../../records/port.ts';
import { type CompiledEntity, isSealed } from '../../schema/port.ts';

/**
 * The values that a request sends, as the platform reads it. Policies judge stored and compared values: of several
 * spellings of one value none may be judged otherwise than the others.
 */

/** The subject of a request: the verb, and the entity that its values are those of. */
export interface RequestSubject {
  readonly verb: Verb;
  readonly entity: CompiledEntity;
}

/** A request as it is sent, but for its body. */
export interface SentRequest extends Pick<AccessContext['request'], 'method' | 'path' | 'pathParameters'> {
  readonly queryParameters: ReadonlyMap<string, string>;
}

interface SentValues extends Pick<SentRequest, 'queryParameters'> {
  readonly body?: unknown;
}

/** @param about undefined where there is no such entity: then all is taken as it is. */
export function valuesAsRead(
  about: RequestSubject | undefined,
  { queryParameters, body }: SentValues,
): Pick<AccessContext['request'], 'queryParameters' | 'body'> {
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

/** The operand of a filter: several values where it takes several. */
function operandOf({ fields }: CompiledEntity, { field, operator, values }: Filter): unknown {
  const isOfElements = fields.get(field)?.behaviour.contains !== undefined;
  if (operator === 'startswith' || (operator === 'contains' && !isOfElements)) return new TextPart(String(values[0]));
  return values.length === 1 ? values[0] : values;
}

type IsSecret = (field: string) => boolean;

const known = new WeakMap<CompiledEntity, IsSecret>();

/**
 * Whether a name that a policy uses is one of a field whose values lie encrypted, or that no reply shows: any name that
 * the field has or had, without regard to case. No decision, no sample and no trace keeps or shows such a value.
 */
export function secretFields(entity: CompiledEntity): IsSecret {
  const before = known.get(entity);
  if (before !== undefined) return before;
  const names = new Set([...entity.hidden, ...sealedNames(entity)].map(foldAscii));
  const isSecret: IsSecret = (field) => names.has(foldAscii(field));
  known.set(entity, isSecret);
  return isSecret;
}

/** Adds to a context the secret fields, for those who explain a decision; none where the request is about no entity. */
export function withSecrets(context: AccessContext, entity: CompiledEntity | undefined): AccessContext {
  return entity === undefined ? context : { ...context, isSecret: secretFields(entity) };
}

function sealedNames({ fields, aliases, naming }: CompiledEntity): readonly string[] {
  const sealed = new Set([...fields.values()].flatMap(({ name, definition }) => (isSealed(definition) ? [name] : [])));
  const others = [...aliases].filter(([, of]) => sealed.has(of)).map(([alias]) => alias);
  const former = [...(naming?.byName ?? [])].filter(([, [present = '']]) => sealed.has(present)).map(([name]) => name);
  return [...sealed, ...others, ...former];
}
