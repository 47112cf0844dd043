import { invalidInput } from '../../lib/problem.ts';
import type { FieldBehaviour, FieldValue, FieldValues } from '../../schema/port.ts';
import { noRoomFor, recordBytesMax } from './record-size.ts';

/** How many characters and elements the expressions of a record may go through together: about 20 ms. */
export const evaluationStepsMax = 8 * 1024 * 1024;

/** What is left for the computed values of one record. */
export class RoomForComputed {
  #characters: number = recordBytesMax;
  #steps = evaluationStepsMax;

  /** @throws Problem `validation_failed` for a value that takes too long, and before one that the record has no room for. */
  compute(name: string, behaviour: FieldBehaviour, inputs: FieldValues): FieldValue | undefined {
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
