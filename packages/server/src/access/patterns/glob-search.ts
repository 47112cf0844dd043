import { type Effort, spend } from '../effort.ts';

/** A literal text, or a wildcard. */
export type GlobPart = string | typeof anyRun | typeof anyOne;
export const anyRun = -1;
export const anyOne = -2;

/** The texts and wildcards of a pattern; several `*` in a row say no more than one. */
export function partsOf(pattern: string): readonly GlobPart[] {
  const parts = pattern.match(/\*+|\?|[^*?]+/g) ?? [];
  return parts.map((part) => (part.startsWith('*') ? anyRun : part === '?' ? anyOne : part));
}

/** Each wildcard, and each UTF-16 unit of the texts. */
export function symbolsOf(parts: readonly GlobPart[]): readonly number[] {
  const symbols: number[] = [];
  for (const part of parts) {
    if (typeof part === 'number') symbols.push(part);
    else for (let index = 0; index < part.length; index++) symbols.push(part.charCodeAt(index));
  }
  return symbols;
}

/**
 * Matches as a glob does, in time that grows with the subject times a 32nd of the longest run of symbols without a `*`:
 * for long subjects, where trying one place after the other could be made to take long.
 *
 * The text before the first `*` and after the last has its position. The text between two is searched for from the
 * left: the first place where it is found leaves most to the rest. Means nothing once the effort is spent.
 */
export function matchesLong(symbols: readonly number[], subject: string, effort: Effort): boolean {
  if (!spend(effort, symbols.length * stepsOfSymbol)) return false;
  const [head = [], ...more] = segmentsOf(symbols);
  const tail = more.pop();
  let position = endAt(head, subject, 0);
  if (tail === undefined || position === undefined) return position === subject.length;
  const end = startFromEnd(subject, tail.length);
  if (end === undefined || position > end || endAt(tail, subject, end) !== subject.length) return false;
  for (const segment of more) {
    position = endOfFirst(segment, subject, { from: position, to: end, effort });
    if (position === undefined || position > end) return false;
  }
  return true;
}

/** The most steps that a character of a long subject may take. The ends are fixed, and cost nothing by its length. */
export function stepsPerCharacter(symbols: readonly number[]): number {
  const between = segmentsOf(symbols).slice(1, -1);
  return Math.max(0, ...between.map((segment) => (segment.includes(anyOne) ? stepsByBits(segment) : 1)));
}

function stepsByBits(segment: Segment): number {
  return wordsOf(segment) + stepsBesideWords;
}

function wordsOf(segment: Segment): number {
  return (segment.length + 31) >>> 5;
}

/** Code points and `?`. */
type Segment = readonly number[];

function segmentsOf(symbols: readonly number[]): readonly Segment[] {
  const segments: Segment[] = [];
  let start = 0;
  for (let star = symbols.indexOf(anyRun); star !== -1; star = symbols.indexOf(anyRun, start)) {
    segments.push(codePointsOf(symbols.slice(start, star)));
    start = star + 1;
  }
  return [...segments, codePointsOf(symbols.slice(start))];
}

/** Joins the halves of surrogate pairs. */
function codePointsOf(units: readonly number[]): readonly number[] {
  return units.flatMap((unit, index) => {
    const [before = 0, next = 0] = [units[index - 1], units[index + 1]];
    if (isHigh(unit) && isLow(next)) return [(unit - 0xd800) * 0x400 + (next - 0xdc00) + 0x10000];
    return isLow(unit) && isHigh(before) ? [] : [unit];
  });
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** The end of the segment, if it is at the position. */
function endAt(segment: Segment, subject: string, start: number): number | undefined {
  let position = start;
  for (const symbol of segment) {
    const point = subject.codePointAt(position);
    if (point === undefined || (symbol !== anyOne && symbol !== point)) return undefined;
    position += widthOf(point);
  }
  return position;
}

/** The position so many code points before the end. */
function startFromEnd(subject: string, count: number): number | undefined {
  let position = subject.length;
  for (let back = 0; back < count; back++) {
    if (position === 0) return undefined;
    const isPair = isLow(subject.charCodeAt(position - 1)) && isHigh(subject.charCodeAt(position - 2));
    position -= isPair ? 2 : 1;
  }
  return position;
}

function widthOf(point: number): 1 | 2 {
  return point > 0xffff ? 2 : 1;
}

/** To take a symbol into a segment, in steps. */
const stepsOfSymbol = 4;
/** To make the places of a segment, for each of its words. */
const stepsOfWord = 128;
/** To go on by one character, beside the words of the state. */
const stepsBesideWords = 3;

interface WordRange {
  readonly from: number;
  readonly to: number;
  readonly effort: Effort;
}

/** The end of the first occurrence of the segment. */
function endOfFirst(segment: Segment, subject: string, range: WordRange): number | undefined {
  if (segment.includes(anyOne)) return endByBits(segment, subject, range);
  const text = String.fromCodePoint(...segment);
  const start = subject.indexOf(text, range.from);
  const end = start === -1 ? undefined : start + text.length;
  return spend(range.effort, (end ?? subject.length) - range.from) ? end : undefined;
}

/**
 * Shift-And (Baeza-Yates and Gonnet, 1992): bit i of the state tells whether the last i + 1 characters are the first
 * i + 1 symbols of the segment.
 */
function endByBits(segment: Segment, subject: string, { from, to, effort }: WordRange): number | undefined {
  const words = wordsOf(segment);
  if (!spend(effort, words * stepsOfWord)) return undefined;
  const { ofAscii, ofOthers, ofNone } = placesOf(segment, words);
  const state = new Int32Array(words);
  const lastBit = 1 << ((segment.length - 1) & 31);
  const stepsOfCharacter = stepsByBits(segment);
  const affordable = Math.min(to, from + Math.floor(effort.stepsLeft / stepsOfCharacter));
  let isFound = false;
  let position = from;
  while (position < affordable && !isFound) {
    const point = subject.codePointAt(position) ?? 0;
    position += widthOf(point);
    const places = point < 0x80 ? ofAscii : (ofOthers.get(point) ?? ofNone);
    const offset = point < 0x80 ? point * words : 0;
    let carry = 1;
    for (let word = 0; word < words; word++) {
      const before = state[word] ?? 0;
      state[word] = ((before << 1) | carry) & (places[offset + word] ?? 0);
      carry = before >>> 31;
    }
    isFound = ((state[words - 1] ?? 0) & lastBit) !== 0;
  }
  const isCutShort = !isFound && position < to;
  spend(effort, isCutShort ? effort.stepsLeft + 1 : (position - from) * stepsOfCharacter);
  return isFound ? position : undefined;
}

/** For each character, a bit for every place of the segment where it may stand. */
interface GlobWords {
  /** All of ASCII in one array, each character's words after those of the one before. */
  readonly ofAscii: Int32Array;
  readonly ofOthers: ReadonlyMap<number, Int32Array>;
  /** Those of a character that the segment does not name. */
  readonly ofNone: Int32Array;
}

function placesOf(segment: Segment, words: number): GlobWords {
  const ofNone = new Int32Array(words);
  for (const [index, symbol] of segment.entries()) if (symbol === anyOne) setBit(ofNone, index);
  const ofAscii = new Int32Array(0x80 * words);
  for (let point = 0; point < 0x80; point++) ofAscii.set(ofNone, point * words);
  const ofOthers = new Map<number, Int32Array>();
  for (const [index, symbol] of segment.entries()) {
    if (symbol === anyOne) continue;
    if (symbol < 0x80) setBit(ofAscii, symbol * words * 32 + index);
    else {
      const places = ofOthers.get(symbol) ?? ofNone.slice();
      setBit(places, index);
      ofOthers.set(symbol, places);
    }
  }
  return { ofAscii, ofOthers, ofNone };
}

function setBit(words: Int32Array, bit: number): void {
  words[bit >>> 5] = (words[bit >>> 5] ?? 0) | (1 << (bit & 31));
}
