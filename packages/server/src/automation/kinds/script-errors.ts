import { compileFunction } from 'node:vm';
import type { InputError } from '@freehold/contract/problem';

/**
 * What keeps a text from being the body of a function, as far as parsing tells. Nothing of it is run here: that is left to
 * an interpreter which shares nothing with the platform.
 */
export function scriptErrors(source: string, pointer: string): readonly InputError[] {
  try {
    compileFunction(`"use strict";${source}`, ['input', 'steps', 'record', 'user'], { filename });
    return [];
  } catch (error) {
    const [, line] = (error instanceof Error && /^script:(\d+)\n/.exec(error.stack ?? '')) || [];
    const reason = error instanceof Error ? error.message : 'it cannot be read';
    const message = `${line === undefined ? '' : `at line ${line}: `}${reason}`;
    return [{ pointer, code: 'invalid_script', message }];
  }
}

const filename = 'script';
