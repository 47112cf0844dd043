import { isMistake, type Mistake } from '../mistake.ts';

/** What stands between two braces, and where in the text it begins. */
export interface ExpressionPart {
  readonly source: string;
  readonly at: number;
}

/**
 * The parts of a text, in their order. `{{{{` stands for two braces of the text. White space around a text that is one
 * expression is none of its parts.
 */
export function partsOf(text: string): readonly (string | ExpressionPart)[] | Mistake {
  const parts: (string | ExpressionPart)[] = [];
  let literal = '';
  let from = 0;
  for (let at = text.indexOf('{{'); at >= 0; at = text.indexOf('{{', from)) {
    literal += text.slice(from, at);
    if (text.startsWith('{{{{', at)) {
      literal += '{{';
      from = at + 4;
      continue;
    }
    const end = endOf(text, at + 2);
    if (end === undefined) return { message: 'an expression has no `}}` at its end', at };
    if (literal !== '') parts.push(literal);
    parts.push({ source: text.slice(at + 2, end), at: at + 2 });
    literal = '';
    from = end + 2;
  }
  literal += text.slice(from);
  if (literal !== '') parts.push(literal);
  const expressions = parts.filter((part) => typeof part !== 'string');
  const isAlone = expressions.length === 1 && parts.every((part) => typeof part !== 'string' || part.trim() === '');
  return isAlone ? expressions : parts;
}

/** The text with something in the place of each expression; what is wrong with it, where it is no template. */
export function withoutExpressions(text: string, instead: string): string | Mistake {
  const parts = partsOf(text);
  return isMistake(parts) ? parts : parts.map((part) => (typeof part === 'string' ? part : instead)).join('');
}

/** Where the braces are that close an expression: those in its texts do not. */
function endOf(text: string, start: number): number | undefined {
  let quote: string | undefined;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (quote !== undefined) {
      if (character === '\\') at += 1;
      else if (character === quote) quote = undefined;
    } else if (character === '"' || character === "'") quote = character;
    else if (character === '}' && text[at + 1] === '}') return at;
  }
  return undefined;
}
