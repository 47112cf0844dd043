import { behaviourOf, type CompiledEntity, type FieldBehaviour, fieldNamed, guidType } from '../../schema/port.ts';

const text = behaviourOf({ name: 'text' });
const guid = behaviourOf({ name: 'guid', colType: guidType.colType });
const platformBehaviours: ReadonlyMap<string, FieldBehaviour | string> = new Map([
  ['created_at', text],
  ['updated_at', text],
  ['id', guid],
  ['created_by', guid],
  ['updated_by', guid],
]);

/** How a field's values are read and compared; the platform's own fields are texts and ids. */
export function namedBehaviour(entity: CompiledEntity, name: string): FieldBehaviour | undefined {
  const behaviour = fieldNamed(entity, name)?.behaviour ?? platformBehaviours.get(name);
  return typeof behaviour === 'string' ? undefined : behaviour;
}
