/** Reads single members of stored texts, which `JSON.stringify` wrote, without reading the others. */

/**
 * Gives the JSON of a member as it stands in the text of a record. Undefined where it is no string without escapes, no
 * number and no boolean, and where it is not certain that a member of this name is the record's own.
 */
type MemberReader = (text: string) => string | undefined;

export function memberReader(name: string): MemberReader {
  // A quote within a string is escaped, so none stands behind a comma there; the first member of a record is its id.
  const start = `,${JSON.stringify(name)}:`;
  return (text) => {
    const place = placeOf(text, start);
    return place === -1 ? undefined : scalarAt(text, place + start.length);
  };
}

/** Gives a JSON object of some members, as they stand in the text of a record. Undefined as soon as one of them is. */
export function membersReader(names: readonly string[]): MemberReader {
  const readers = names.map((name) => ({ start: `${JSON.stringify(name)}:`, read: memberReader(name) }));
  return (text) => {
    if (text.length > textLengthMax) return undefined;
    let members = '';
    for (const { start, read } of readers) {
      const value = read(text);
      if (value === undefined) return undefined;
      members += (members === '' ? '{' : ',') + start + value;
    }
    return members === '' ? '{}' : `${members}}`;
  };
}

/** A longer text is not searched: where it does not tell, it has to be parsed all the same, and that takes long enough. */
const textLengthMax = 4096;

/** Where the record itself has a member: before the first object within it, or behind the last. */
function placeOf(text: string, start: string): number {
  const place = text.indexOf(start);
  if (place === -1) return -1;
  const inner = text.indexOf('{', 1);
  if (inner === -1 || place < inner) return place;
  return text.indexOf(start, text.lastIndexOf('}', text.length - 2) + 1);
}

const quote = 0x22;
const backslash = 0x5c;

function scalarAt(text: string, at: number): string | undefined {
  if (text.charCodeAt(at) === quote) {
    const end = text.indexOf('"', at + 1);
    const isPlain = end !== -1 && text.charCodeAt(end - 1) !== backslash;
    return isPlain ? text.slice(at, end + 1) : undefined;
  }
  const [scalar] = text.slice(at, at + scalarCharactersMax).match(/^(?:true|false|-?\d[\d.eE+-]*)(?=[,}])/) ?? [];
  return scalar;
}

/** Longer than any number that is written with 17 digits and an exponent. */
const scalarCharactersMax = 40;
