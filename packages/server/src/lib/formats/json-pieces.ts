/** How many arrays and objects inside each other are taken apart: of what lies deeper an element or member is a piece. */
const depthMax = 7;

/**
 * What `JSON.stringify` makes of a value that is plain JSON, in pieces, so that others may be served between two of them.
 * Members that are undefined are left out; elements are never undefined.
 */
export function* jsonPieces(value: unknown, depth = depthMax): Generator<string> {
  if (depth === 0 || typeof value !== 'object' || value === null) yield JSON.stringify(value);
  else if (Array.isArray(value)) {
    let start = '[';
    for (const element of value) {
      yield start;
      yield* jsonPieces(element, depth - 1);
      start = ',';
    }
    yield start === '[' ? '[]' : ']';
  } else {
    let start = '{';
    for (const [name, member] of Object.entries(value)) {
      if (member === undefined) continue;
      yield `${start}${JSON.stringify(name)}:`;
      yield* jsonPieces(member, depth - 1);
      start = ',';
    }
    yield start === '{' ? '{}' : '}';
  }
}
