import type { FieldValue } from '../../schema/port.ts';

/**
 * The words of a text: its runs of letters and digits, folded. Where a script writes words side by side, ICU's
 * dictionaries part them. Records and queries go through here alike, so what is written finds itself.
 */
export function wordsOf(text: string): readonly string[] {
  return [...eachWord(text)];
}

/**
 * The distinct words of a record's values, as many as an index holds of one record: those that come first. No write
 * waits for the reading of a book that says the same over and over.
 */
export function searchTerms(values: readonly FieldValue[]): readonly string[] {
  const terms = new Set<string>();
  let wordsLeft = wordsReadMax;
  for (const text of values.flatMap(textsOf))
    for (const word of eachWord(text)) {
      terms.add(word);
      wordsLeft -= 1;
      if (terms.size === termsMax || wordsLeft === 0) return [...terms];
    }
  return [...terms];
}

const termsMax = 200;
const wordsReadMax = 10_000;
const wordLengthMax = 64;

function textsOf(value: FieldValue): readonly string[] {
  const texts: readonly unknown[] = Array.isArray(value) ? value : [value];
  return texts.filter((text) => typeof text === 'string');
}

const beyondAscii = /[^\p{ASCII}]/u;
const asciiRun = /[a-z0-9]+/g;

/** Letters, digits, the marks on them, and what has no width and parts no words: the soft hyphen, joiners. */
const run = /[\p{L}\p{N}][[\p{L}\p{N}\p{M}\p{Cf}]--[\u200b]]*/gv;

function* eachWord(text: string): Generator<string> {
  if (!beyondAscii.test(text)) {
    for (const [word] of text.toLowerCase().matchAll(asciiRun)) yield word.slice(0, wordLengthMax);
    return;
  }
  for (const piece of eachPiece(text)) yield* wordsIn(piece);
}

/** A very long piece is folded part by part, since of many marks on one letter the time grows with their square. */
function* wordsIn(piece: string): Generator<string> {
  let unfinished = '';
  for (const part of eachPart(piece)) {
    const folded = unfinished + fold(part);
    unfinished = '';
    for (const match of folded.matchAll(run)) {
      const [word] = match;
      if (match.index + word.length === folded.length) unfinished = openingText(word);
      else yield cut(word);
    }
  }
  if (unfinished !== '') yield cut(unfinished);
}

const partLength = 1000;
/** A character that folding never joins to the text before it. */
const partStart = /[[\p{L}\p{N}]--\p{Lm}]/gv;

function* eachPart(piece: string): Generator<string> {
  let start = 0;
  while (start < piece.length) {
    partStart.lastIndex = start + partLength;
    const next = piece.length - start <= partLength ? undefined : partStart.exec(piece)?.index;
    const end = next ?? piece.length;
    yield piece.slice(start, Math.min(end, start + 2 * partLength)).toWellFormed();
    start = end;
  }
}

/** As much of a word as is kept of it, and more. */
function openingText(word: string): string {
  const length = 4 * wordLengthMax;
  return word.length <= length
    ? word
    : word.slice(0, /[\ud800-\udbff]/.test(word[length - 1] ?? '') ? length - 1 : length);
}

/** Scripts that write words side by side, and whose words ICU knows. */
const unspaced = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u;

// A fixed language: the words of a text must not depend on the machine.
const segmenter = new Intl.Segmenter('en', { granularity: 'word' });

/** Cut before folding, since dictionaries hold words as they are written. */
function* eachPiece(text: string): Generator<string> {
  for (const [piece] of text.matchAll(run)) {
    if (!unspaced.test(piece)) yield piece;
    else for (const { segment } of segmenter.segment(piece)) yield segment;
  }
}

/**
 * Accents, the points of Hebrew and Arabic, and what has no width. Marks of other scripts are letters, as in Hindi and
 * Thai, and so are the two of the kana.
 */
const unwritten = /[[\p{Cf}[\p{M}&&[\p{sc=Zinh}\p{sc=Arabic}\p{sc=Cyrillic}\p{sc=Hebrew}]]]--[\u3099\u309a]]+/gv;

/** INVARIANT: folding what is folded changes nothing. */
function fold(text: string): string {
  const bare = text.normalize('NFKD').replace(unwritten, '');
  // There and back, so that `ß` becomes `ss`; a sigma at the end of a word is a sigma.
  return bare.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ');
}

function cut(word: string): string {
  return word.length <= wordLengthMax ? word : Array.from(word).slice(0, wordLengthMax).join('');
}

/** The words that `q` asks for: all of these, and a word that begins with `prefix`. */
interface SearchQuery {
  readonly words: readonly string[];
  readonly prefix: string;
}

export interface SearchTest {
  readonly query: SearchQuery;
  readonly fields: readonly string[];
}

const searchWordsMax = 10;

/** The parameter `q`, or what is wrong with it, as the end of the sentence "`q` …". The last word may be unfinished. */
export function readSearch(q: string): SearchQuery | string {
  const words = wordsOf(q);
  const prefix = words.at(-1);
  if (prefix === undefined) return 'needs at least one word';
  if (words.length > searchWordsMax) return `takes at most ${searchWordsMax} words`;
  return { words: [...new Set(words.slice(0, -1))], prefix };
}

/** @param terms the `searchTerms` of a record. */
export function matchesSearch(query: SearchQuery, terms: readonly string[]): boolean {
  return query.words.every((word) => terms.includes(word)) && terms.some((term) => term.startsWith(query.prefix));
}
