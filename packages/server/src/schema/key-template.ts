/**
 * Key templates: such as `order#{id}`, parsed once per definition and filled in at write time.
 *
 * INVARIANT: filling in is injective. A value is percent-escaped, so it holds no `#` and no `;`, and between two tokens
 * there is at least one of them; so no two sets of values give one key, and no value reaches out of its place.
 */
import { limits } from '../store/port.ts';
import type { KeyTemplates } from './definition.ts';

export interface KeyTemplate {
  readonly source: string;
  readonly parts: readonly KeyTemplatePart[];
  readonly tokens: readonly string[];
}

type KeyTemplatePart = { readonly literal: string } | { readonly token: string };

/** Gives a token's value; undefined and the empty string mean that there is none. */
export type TokenValues = (token: string) => string | number | boolean | undefined;

/** Tokens that are filled from the caller's token or by the platform. A field of the catalog may take any other's place. */
export const claimTokens = [
  'org',
  'tenant_id',
  'tenant_code',
  'id',
  'user_id',
  'role',
  'email',
  'fn',
  'ln',
  'clientid',
  'iss',
  'sub',
  'env',
] as const;

/** No field beats these: what a request says must not decide where its data lies. */
export const reservedTokens: readonly string[] = ['org', 'tenant_id', 'tenant_code'];

/** The parsed template, or a sentence that says what is wrong with it. */
export function parseTemplate(source: string): KeyTemplate | string {
  const parts: KeyTemplatePart[] = [];
  let previousToken: string | undefined;
  let separated = false;
  for (const piece of source.split(/(\{[^{}]*\})/)) {
    if (piece === '') continue;
    const token = piece.startsWith('{') && piece.endsWith('}') ? piece.slice(1, -1) : undefined;
    if (token === undefined) {
      const problem = literalProblem(piece);
      if (problem !== undefined) return problem;
      separated = piece.includes('#') || piece.includes(';');
      parts.push({ literal: piece });
      continue;
    }
    if (token === '') return 'has an empty `{}`';
    if (previousToken !== undefined && !separated)
      return `needs a \`#\` or \`;\` between \`{${previousToken}}\` and \`{${token}}\``;
    previousToken = token;
    separated = false;
    parts.push({ token });
  }
  return { source, parts, tokens: parts.flatMap((part) => ('token' in part ? [part.token] : [])) };
}

/**
 * The key, or the name of the first token that has no value. A text longer than any key is refused before more is made
 * of it.
 */
export function fillTemplate(
  template: KeyTemplate,
  values: TokenValues,
): { key: string } | { missing: string } | 'too long' {
  let key = '';
  for (const part of template.parts) {
    if ('literal' in part) {
      key += part.literal;
      continue;
    }
    const value = values(part.token);
    if (value === undefined || value === '') return { missing: part.token };
    const text = String(value);
    if (key.length + text.length > limits.keyBytesMax) return 'too long';
    key += escapeKeyValue(text);
  }
  return { key };
}

function literalProblem(literal: string): string | undefined {
  if (literal.includes('{') || literal.includes('}')) return 'has an unmatched `{` or `}`';
  return hasControl(literal) ? 'has a control character' : undefined;
}

/** The values that a key was filled with. INVARIANT: `fillTemplate(template, readTemplate(template, key))` is the key. */
export function readTemplate(template: KeyTemplate, key: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  let position = 0;
  for (const [index, part] of template.parts.entries()) {
    if ('literal' in part) {
      position += part.literal.length;
      continue;
    }
    const next = template.parts[index + 1];
    const literal = next !== undefined && 'literal' in next ? next.literal : '';
    const delimiter = literal.search(/[#;]/);
    const end =
      delimiter === -1 ? key.length - literal.length : key.slice(position).search(/[#;]/) + position - delimiter;
    values.set(part.token, decodeURIComponent(key.slice(position, end)));
    position = end;
  }
  return values;
}

/** Percent-escapes what has a meaning in keys: `%`, `#`, `;` and the controls. */
export function escapeKeyValue(value: string): string {
  let escaped = '';
  let from = 0;
  for (let index = 0; index < value.length; index++) {
    const unit = value.charCodeAt(index);
    if (unit > 0x3b && unit !== 0x7f) continue;
    if (unit >= 0x20 && unit !== 0x23 && unit !== 0x25 && unit !== 0x3b && unit !== 0x7f) continue;
    escaped += `${value.slice(from, index)}%${unit.toString(16).toUpperCase().padStart(2, '0')}`;
    from = index + 1;
  }
  return from === 0 ? value : escaped + value.slice(from);
}

/**
 * Whether some values could make the two templates give the same text. Segments between `#` and `;` are compared
 * one by one, since no value holds either; in doubt the answer is yes.
 */
export function mayOverlap(left: KeyTemplate, right: KeyTemplate): boolean {
  const a = segments(left);
  const b = segments(right);
  return a.length === b.length && a.every((segment, index) => segmentsMayMatch(segment, b[index] ?? ''));
}

/** Whether some values could make the template give this text. */
export function mayGive(template: KeyTemplate, text: string): boolean {
  return mayOverlap({ source: text, parts: [{ literal: text }], tokens: [] }, template);
}

/** Whether some values could make the template give a text that starts with this one, which ends in `#` or `;`. */
export function mayStartWith(template: KeyTemplate, start: string): boolean {
  const own = segments(template);
  return splitSegments(start).every((segment, index) => segmentsMayMatch(own[index] ?? '', segment));
}

export interface CompiledKeys {
  readonly pk: KeyTemplate;
  readonly sk: KeyTemplate;
}

export function defaultTemplates(entityName: string): KeyTemplates {
  return { pkTemplate: `org#{org};data#${entityName}`, skTemplate: `${entityName}#{id}` };
}

// A value never holds U+0000, so it can stand for "any text" and keep its delimiter apart from the others.
const anyText = '\u0000';

function segments(template: KeyTemplate): readonly string[] {
  const text = template.parts.map((part) => ('literal' in part ? part.literal : anyText)).join('');
  return splitSegments(text);
}

function splitSegments(text: string): readonly string[] {
  return text.split(/(?<=[#;])/);
}

function segmentsMayMatch(left: string, right: string): boolean {
  if (delimiterOf(left) !== delimiterOf(right)) return false;
  const [leftStart = '', leftEnd] = left.split(anyText);
  const [rightStart = '', rightEnd] = right.split(anyText);
  if (leftEnd === undefined && rightEnd === undefined) return left === right;
  const startsAgree = leftStart.startsWith(rightStart) || rightStart.startsWith(leftStart);
  if (leftEnd === undefined) return left.startsWith(rightStart) && left.endsWith(rightEnd ?? '');
  if (rightEnd === undefined) return right.startsWith(leftStart) && right.endsWith(leftEnd);
  return startsAgree && (leftEnd.endsWith(rightEnd) || rightEnd.endsWith(leftEnd));
}

function delimiterOf(segment: string): string {
  return /[#;]$/.exec(segment)?.[0] ?? '';
}

function hasControl(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x20 || unit === 0x7f) return true;
  }
  return false;
}
