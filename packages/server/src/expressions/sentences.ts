/** The library's messages about mistakes, in the words of the platform. */
import { durationPrefix } from './grammar.ts';

/** As the library has it. */
interface LibraryError {
  readonly code: string;
  readonly summary: string;
}

/** A sentence in lower case without its final period; the position of the mistake is beside it. */
export function sentenceOf({ code, summary }: LibraryError, otherwise = 'it cannot be read as an expression'): string {
  const sentence = sentences.get(code);
  if (sentence === undefined) return otherwise;
  return sentence(summary.replaceAll(`${durationPrefix}duration`, 'duration'));
}

type Sentence = (summary: string) => string;

const unreadable: Sentence = (summary) =>
  summary.endsWith('EOF') ? 'it ends before it is complete' : 'it cannot be read from here on';
const unclosed: Sentence = () => 'a text has no closing quote';
const wrongEscape: Sentence = () => 'a text has an escape that does not exist';
const wrongNumber: Sentence = () => 'a number cannot be read';

const limits: Readonly<Record<string, string>> = {
  maxAstNodes: 'it has more than $ parts',
  maxDepth: 'it is nested more than $ deep',
  maxListElements: 'a list has more than $ elements',
  maxMapEntries: 'a map has more than $ entries',
  maxCallArguments: 'a call has more than $ arguments',
};

const sentences: ReadonlyMap<string, Sentence> = new Map<string, Sentence>([
  ['unexpected_token', unreadable],
  ['expected_token', unreadable],
  ['unexpected_character', unreadable],
  ['unterminated_string', unclosed],
  ['unterminated_triple_quoted_string', unclosed],
  ['newline_in_string', unclosed],
  ['invalid_unicode_escape', wrongEscape],
  ['invalid_unicode_surrogate', wrongEscape],
  ['invalid_hex_escape', wrongEscape],
  ['invalid_octal_escape', wrongEscape],
  ['octal_escape_out_of_range', wrongEscape],
  ['invalid_escape_sequence', wrongEscape],
  ['bytes_unicode_escape', wrongEscape],
  ['invalid_number', wrongNumber],
  ['invalid_exponent', wrongNumber],
  ['invalid_integer', wrongNumber],
  ['invalid_hex_integer', wrongNumber],
  ['reserved_identifier', reserved],
  ['limit_exceeded', exceeded],
  ['unknown_variable', (summary) => `there is no name \`${behind(summary)}\``],
  ['no_such_key', (summary) => `there is no member \`${behind(summary)}\``],
  ['no_such_overload', (summary) => `no operator takes these types: \`${behind(summary)}\``],
  ['no_matching_overload', (summary) => `no function takes these types: \`${quotedIn(summary)}\``],
  ['cannot_index_type', (summary) => `a value of the type \`${quotedIn(summary)}\` has no members`],
  ['invalid_index_type', () => 'the place in a list is a whole number'],
  ['invalid_logical_operand', (summary) => `\`&&\`, \`||\` and \`!\` take bool, not \`${quotedIn(summary)}\``],
  ['invalid_condition_type', (summary) => `a condition gives bool, not \`${quotedIn(summary)}\``],
  ['incompatible_ternary_branches', () => 'both values of `? :` have one type'],
  ['heterogeneous_list_element', () => 'all elements of a list have one type'],
  ['invalid_comprehension_range', () => 'a quantifier is asked of a list'],
  ['division_by_zero', () => 'it divides by zero'],
  ['modulo_by_zero', () => 'it divides by zero'],
  ['numeric_overflow', () => 'a whole number has more than 64 bits'],
  ['invalid_macro_argument', () => '`has` takes a field'],
]);

function reserved(summary: string): string {
  const word = behind(summary);
  const mistake = `\`${word}\` is a reserved word`;
  return word.startsWith('_') ? mistake : `${mistake}: a field of this name is read as \`record.${word}\``;
}

/** The text behind the colon. */
function behind(summary: string): string {
  return shortened(summary.slice(summary.indexOf(': ') + 2));
}

function quotedIn(summary: string): string {
  return shortened(/'(.*)'/s.exec(summary)?.[1] ?? '');
}

function shortened(text: string): string {
  return text.slice(0, 130);
}

function exceeded(summary: string): string {
  const [, limit = '', max = ''] = /(\w+) \((\d+)\)$/.exec(summary) ?? [];
  return (limits[limit] ?? 'it is too large').replace('$', max);
}
