import { invalidInput, type Problem } from '../../lib/problem.ts';
import type { CompiledEntity, CompiledField, FieldValue } from '../../schema/port.ts';
import { limits } from '../../store/port.ts';

type Values = Readonly<Record<string, FieldValue | undefined>>;

/** A record as it is stored: its JSON in UTF-8. */
export const recordBytesMax = limits.valueBytesMax;

function noRoomFor(name: string): Problem {
  const message = `field \`${name}\` would make the record longer than ${recordBytesMax} bytes`;
  return invalidInput('validation_failed', [{ pointer: `/${name}`, code: 'too_long', message }]);
}

/**
 * The text that a record is stored as. Without a computed field that it is too long for, its store says what is too much.
 * @throws Problem `validation_failed` naming the first computed field that there is no room for.
 */
export function storedJson(entity: Pick<CompiledEntity, 'fields' | 'stored'>, data: Values): string {
  const { stored } = entity;
  const text = JSON.stringify(stored.written(data));
  if (text.length * bytesPerUnitMax <= recordBytesMax) return text;
  let bytes = Buffer.byteLength(text);
  if (bytes <= recordBytesMax) return text;
  const computed = [...entity.fields.values()].filter(({ behaviour }) => behaviour.compute !== undefined);
  const sized = computed.map(({ name }) => ({ name, bytes: memberBytes(stored.inStore(name), data[name]) }));
  for (const field of sized) bytes -= field.bytes;
  if (bytes > recordBytesMax) return text;
  for (const field of sized) {
    bytes += field.bytes;
    if (bytes > recordBytesMax) throw noRoomFor(field.name);
  }
  return text;
}

const bytesPerUnitMax = 3;

/** With the comma behind it. */
function memberBytes(name: string, value: unknown): number {
  return value === undefined ? 0 : Buffer.byteLength(JSON.stringify({ [name]: value })) - 1;
}

/** The number of characters and elements that the expressions of a record may go through together: about 20 ms. */
export const evaluationStepsMax = 8 * 1024 * 1024;

/** The remaining budget for the computed values of one record. */
export class RoomForComputed {
  #characters: number = recordBytesMax;
  #steps = evaluationStepsMax;

  /** @throws Problem `validation_failed` for a value that takes too long, and before a value that has no room in it. */
  compute(name: string, behaviour: CompiledField['behaviour'], inputs: Values): FieldValue | undefined {
    this.#steps -= behaviour.computeSteps?.(inputs) ?? 0;
    if (this.#steps < 0) throw tooLongToCompute(name);
    this.#take(name, behaviour.computedLength?.(inputs) ?? 0);
    const value = behaviour.compute?.(inputs);
    if (behaviour.computedLength === undefined && typeof value === 'string') this.#take(name, value.length);
    return value;
  }

  #take(name: string, characters: number): void {
    this.#characters -= characters;
    if (this.#characters < 0) throw noRoomFor(name);
  }
}

function tooLongToCompute(name: string) {
  const message = `the values that field \`${name}\` and the computed fields before it are made of are too long together`;
  return invalidInput('validation_failed', [{ pointer: `/${name}`, code: 'too_long', message }]);
}
