import { jsonPieces } from '../lib/formats/json-pieces.ts';
import { cooperatively } from '../lib/scheduling/cooperatively.ts';
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
