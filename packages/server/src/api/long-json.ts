import { cooperatively } from '../lib/scheduling/event-loop.ts';
import { json, type Reply } from './reply.ts';

/** A reply of less is sent as one text, with its length. */
const pieceCharacters = 64 * 1024;

/**
 * A reply that may come to megabytes: its text is made while it is sent, and others are served meanwhile.
 * @param value plain JSON, of which an element or a member is not large.
 */
export async function longJson(status: number, value: unknown): Promise<Reply> {
  const texts = inPieces(value);
  const first = await texts.next();
  const second = await texts.next();
  if (first.done === true) return json(status, value);
  if (second.done === true) return { status, body: first.value };
  return { status, stream: behind([first.value, second.value], texts) };
}

async function* inPieces(value: unknown): AsyncGenerator<string, undefined> {
  let text = '';
  for await (const piece of cooperatively(jsonPieces(value))) {
    text += piece;
    if (text.length < pieceCharacters) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}

async function* behind(first: readonly string[], rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield* first;
  yield* rest;
}

/** Depth to which nested arrays and objects are taken apart: an element or member that lies deeper is one piece. */
const depthMax = 7;

/**
 * The text that `JSON.stringify` makes of a value that is plain JSON, in pieces, so that others may be served between
 * two of them. Members that are undefined are left out; elements are never undefined.
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
