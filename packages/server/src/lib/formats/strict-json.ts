import { pointerTo } from '../json-pointer.ts';
import { Problem } from '../problem.ts';

export interface StrictJsonOptions {
  /** The number of arrays and objects that may stand inside each other. */
  readonly depthMax?: number;
  /** The most members of all objects of the text together; an array or object within an array counts as one. */
  readonly membersMax?: number;
  /** The most elements that all arrays may have together. */
  readonly elementsMax?: number;
  /** Gives integers outside of the exact range as texts of their digits, where they are refused otherwise. */
  readonly readsLargeIntegers?: boolean;
}

const depthMax = 32;
/** Reading so many takes some 50 ms. */
const membersMax = 50_000;

/**
 * Parses JSON (RFC 8259) and refuses, with `invalid_request`, what two readers could understand differently or what
 * could not be stored and given back as it came: the same key twice in one object, U+0000, lone surrogates, numbers
 * outside of the exact range, the key `__proto__`, nesting deeper than `depthMax`, and more members or elements than the
 * caller takes. It stops at the first of these, before any value is made of the text.
 */
export function parseStrictJson(text: string, options: StrictJsonOptions = {}): unknown {
  const defaults = { depthMax, membersMax, elementsMax: Number.POSITIVE_INFINITY, readsLargeIntegers: false };
  const large = scan(text, { ...defaults, ...options });
  return parse(large.length === 0 ? text : quoted(text, large));
}

/** The text with quotation marks around these numbers. */
function quoted(text: string, numbers: readonly Span[]): string {
  const ends = numbers.flatMap(({ start, end }) => [start, end]);
  return [0, ...ends].map((from, index) => text.slice(from, ends[index])).join('"');
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Decodes UTF-8 and refuses, with `invalid_request`, invalid sequences and a byte order mark (RFC 8259, 8.1). */
export function decodeUtf8(bytes: Uint8Array): string {
  const text = decode(bytes);
  if (text.charCodeAt(0) === 0xfeff) throw new Problem('invalid_request', 'the text begins with a byte order mark');
  return text;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new Problem('invalid_request', 'the text is not valid UTF-8', {}, cause);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const place = /\(line (\d+) column (\d+)\)/.exec(cause instanceof Error ? cause.message : '');
    const where = place === null ? '' : ` (line ${place[1]}, column ${place[2]})`;
    throw notJson(where, cause);
  }
}

function notJson(where: string, cause?: unknown): Problem {
  return new Problem('invalid_request', `the text is not valid JSON${where}`, {}, cause);
}

/** An array or object that the scan is inside of. An array has no `keys`. */
interface Frame {
  readonly keys: Set<string> | undefined;
  isKeyNext: boolean;
  /** The key or the index of the member at hand. */
  key: string;
  index: number;
}

interface Scan {
  readonly text: string;
  readonly limits: Required<StrictJsonOptions>;
  /** Of all objects so far, and of all arrays. */
  members: number;
  elements: number;
  /** False when no string can hold a forbidden character, so that strings other than keys need no decoding. */
  readonly mayHideCharacters: boolean;
  readonly frames: Frame[];
  /** The places of integers that are read as texts. */
  readonly largeIntegers: Span[];
}

/**
 * Looks at every token once, each recognised by its first character, as in valid JSON. What is not JSON at all is left to
 * `JSON.parse`, which comes after.
 */
function scan(text: string, limits: Required<StrictJsonOptions>): readonly Span[] {
  const mayHideCharacters = text.includes('\\u') || !text.isWellFormed();
  const state: Scan = { text, limits, members: 0, elements: 0, mayHideCharacters, frames: [], largeIntegers: [] };
  let position = 0;
  while (position < text.length) {
    const unit = text.charCodeAt(position);
    if (unit === quote) position = scanString(state, position);
    else if (unit === minus || (unit >= digit0 && unit <= digit9)) position = scanNumber(state, position);
    else {
      scanPunctuation(state, unit);
      position += 1;
    }
  }
  return state.largeIntegers;
}

const quote = 0x22;
const comma = 0x2c;
const minus = 0x2d;
const digit0 = 0x30;
const digit9 = 0x39;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Letters of `true`, `false` and `null`, colons and white space fall through: they say nothing new. */
function scanPunctuation(state: Scan, unit: number): void {
  if (unit === comma) {
    const frame = state.frames.at(-1);
    if (frame === undefined) return;
    frame.index += 1;
    if (frame.keys !== undefined) frame.isKeyNext = true;
    else if (++state.elements > state.limits.elementsMax) refuseElements(state);
  } else if (unit === openBrace || unit === openBracket) openFrame(state, unit === openBracket);
  else if (unit === closeBrace || unit === closeBracket) state.frames.pop();
}

function openFrame(state: Scan, isArray: boolean): void {
  const { depthMax, elementsMax } = state.limits;
  if (state.frames.length >= depthMax)
    refuse(state, 'too_deep', `arrays and objects are nested deeper than ${depthMax} levels`);
  const parent = state.frames.at(-1);
  if (parent !== undefined && parent.keys === undefined) countMember(state);
  const keys = isArray ? undefined : new Set<string>();
  state.frames.push({ keys, isKeyNext: !isArray, key: '', index: 0 });
  // The first element is counted where the array begins, be it empty or not.
  if (isArray && ++state.elements > elementsMax) refuseElements(state);
}

function refuseElements(state: Scan): never {
  refuse(state, 'too_many', `there are more than ${state.limits.elementsMax} elements of arrays`);
}

function countMember(state: Scan): void {
  state.members += 1;
  const { membersMax } = state.limits;
  if (state.members > membersMax) refuse(state, 'too_many', `there are more than ${membersMax} members of objects`);
}

/** Returns the position after the string that begins at `start`. */
function scanString(state: Scan, start: number): number {
  const { text } = state;
  const end = closingQuote(text, start + 1);
  const frame = state.frames.at(-1);
  const isKey = frame?.isKeyNext === true;
  if (!isKey && !state.mayHideCharacters) return end + 1;
  const plain = text.slice(start + 1, end);
  const string = plain.includes('\\') ? String(parse(text.slice(start, end + 1))) : plain;
  if (isKey) enterKey(state, frame, string);
  if (state.mayHideCharacters) checkCharacters(state, string, isKey);
  return end + 1;
}

function closingQuote(text: string, from: number): number {
  let end = text.indexOf('"', from);
  while (end !== -1 && isEscaped(text, end, from)) end = text.indexOf('"', end + 1);
  if (end === -1) throw notJson('');
  return end;
}

function isEscaped(text: string, position: number, from: number): boolean {
  let first = position;
  while (first > from && text.charCodeAt(first - 1) === backslash) first -= 1;
  return (position - first) % 2 === 1;
}

function enterKey(state: Scan, frame: Frame, key: string): void {
  frame.key = key;
  frame.isKeyNext = false;
  countMember(state);
  if (key === '__proto__') refuse(state, 'forbidden_key', 'the key `__proto__` is not allowed');
  if (frame.keys?.has(key)) refuse(state, 'duplicate_key', `key \`${shown(key)}\` appears twice in one object`);
  frame.keys?.add(key);
}

function checkCharacters(state: Scan, string: string, isKey: boolean): void {
  const kind = isKey ? 'a key' : 'a string';
  if (string.includes('\0')) refuse(state, 'invalid_character', `${kind} contains the character U+0000`);
  if (!string.isWellFormed()) refuse(state, 'invalid_character', `${kind} contains a lone surrogate`);
}

/** Returns the position after the number that begins at `start`. */
function scanNumber(state: Scan, start: number): number {
  const { text } = state;
  let end = start + 1;
  while (end < text.length && isNumberUnit(text.charCodeAt(end))) end += 1;
  const literal = text.slice(start, end);
  const number = Number(literal);
  if (!Number.isFinite(number) || (Number.isInteger(number) && !Number.isSafeInteger(number))) {
    if (state.limits.readsLargeIntegers && isLargeInteger(state, literal)) state.largeIntegers.push({ start, end });
    else refuse(state, 'number_out_of_range', `number \`${shown(literal)}\` cannot be stored exactly`);
  }
  return end;
}

/** In the place of a key, quotation marks would make JSON of a text that is none. */
function isLargeInteger({ frames }: Scan, literal: string): boolean {
  return frames.at(-1)?.isKeyNext !== true && /^-?[1-9]\d*$/.test(literal);
}

/** Digits, `.`, `e`, `E`, `+` and `-`; what most often follows a number is looked for first. */
function isNumberUnit(unit: number): boolean {
  if (unit === comma) return false;
  return (
    (unit >= digit0 && unit <= digit9) || unit === 0x2e || (unit | 0x20) === 0x65 || unit === 0x2b || unit === minus
  );
}

function refuse(state: Scan, code: string, message: string): never {
  throw new Problem('invalid_request', message, { errors: [{ pointer: pointerOf(state.frames), code, message }] });
}

/** The JSON pointer (RFC 6901) of the member at hand. */
function pointerOf(frames: readonly Frame[]): string {
  const tokens = frames
    .filter((frame) => !frame.isKeyNext)
    .map((frame) => (frame.keys === undefined ? String(frame.index) : frame.key.toWellFormed()));
  return pointerTo(...tokens);
}

/** User input in a message: long enough to be recognised, short enough to be read. */
function shown(input: string): string {
  return (input.length > 64 ? `${input.slice(0, 64)}…` : input).toWellFormed();
}
