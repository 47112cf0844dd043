import { type AccessContext, foldAscii } from '../../access/port.ts';
import { type CompiledEntity, isSealed } from '../../schema/port.ts';

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

/** What a context says of them to those who explain a decision; nothing where the request is about no entity. */
export function withSecrets(context: AccessContext, entity: CompiledEntity | undefined): AccessContext {
  return entity === undefined ? context : { ...context, isSecret: secretFields(entity) };
}

function sealedNames({ fields, aliases, naming }: CompiledEntity): readonly string[] {
  const sealed = new Set([...fields.values()].flatMap(({ name, definition }) => (isSealed(definition) ? [name] : [])));
  const others = [...aliases].filter(([, of]) => sealed.has(of)).map(([alias]) => alias);
  const former = [...(naming?.byName ?? [])].filter(([, [present = '']]) => sealed.has(present)).map(([name]) => name);
  return [...sealed, ...others, ...former];
}
