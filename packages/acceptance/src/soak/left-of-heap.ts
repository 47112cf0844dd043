/** How a platform under soak says what a collection of all garbage has left of its heap. */
import { getHeapSpaceStatistics } from 'node:v8';

/** Bytes. */
export interface LeftOfHeap {
  readonly objects: number;
  /** What V8 has compiled, and keeps for compiling again: it grows with the parts of the program that have run. */
  readonly code: number;
}

const begin = 'left of the heap: ';
const codeSpaces = /^(code|trusted|read_only|shared_trusted)_/;

export function lineOfHeap(): string {
  const left = { objects: 0, code: 0 };
  for (const { space_name, space_used_size } of getHeapSpaceStatistics())
    left[codeSpaces.test(space_name) ? 'code' : 'objects'] += space_used_size;
  return `${begin}${JSON.stringify(left)}\n`;
}

/** Undefined for a line that says something else. */
export function leftOfHeapIn(line: string): LeftOfHeap | undefined {
  return line.startsWith(begin) ? (JSON.parse(line.slice(begin.length)) as LeftOfHeap) : undefined;
}
