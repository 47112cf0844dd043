import type { AccessContext } from './context/context.ts';
import { type ContextKey, isPending, parseContextKey } from './context/context-key.ts';
import { AlikeMembers, stepsThrough, textOf, unknownValue, valuesOf } from './context/member-path.ts';
import { type Effort, spend } from './effort.ts';
import { type StatementMistake, shown } from './mistakes.ts';
import { anyRun, type GlobPart, partsOf, symbolsOf } from './patterns/glob-search.ts';

/**
 * A text with variables: `${key}`, or `${key, 'default'}`, stands for the value of the context under that key, and
 * `${*}`, `${?}` and `${$}` for the character. The value of a variable is taken as it is: a `*` in it is a `*`.
 */
export interface PatternTemplate {
  readonly parts: readonly TemplatePart[];
  /** The keys of its variables. */
  readonly keys: readonly ContextKey[];
}

type TemplatePart = GlobPart | Variable;

interface Variable {
  readonly key: ContextKey;
  readonly otherwise: string | undefined;
}

export const variableStart = '$' + '{';

/** `hasWildcards`: whether `*` and `?` are wildcards where they stand by themselves. */
export function parseTemplate(text: string, hasWildcards: boolean): PatternTemplate | StatementMistake {
  const parts: TemplatePart[] = [];
  const [head = '', ...tails] = text.split(variableStart);
  const addText = (plain: string) => parts.push(...(hasWildcards ? partsOf(plain) : plain === '' ? [] : [plain]));
  addText(head);
  for (const tail of tails) {
    const end = tail.indexOf('}');
    if (end === -1) return ['invalid_value', `contains a \`${variableStart}\` without its \`}\``];
    const part = readVariable(tail.slice(0, end));
    if (typeof part !== 'string' && !('key' in part)) return part;
    parts.push(part);
    addText(tail.slice(end + 1));
  }
  const keys = parts
    .map((part) => (typeof part === 'object' ? part.key : undefined))
    .filter((key) => key !== undefined);
  return { parts: joinTexts(parts), keys };
}

/** Several `*` in a row say no more than one, outside of variables. */
export function collapseTemplateStars(text: string): string {
  return text.replace(/(\$\{[^}]*\})|\*+/g, (_, variable: string | undefined) => variable ?? '*');
}

/** A template that was found to be sound when it was written. */
export function readTemplate(text: string, hasWildcards: boolean): PatternTemplate {
  const template = parseTemplate(text, hasWildcards);
  if ('parts' in template) return template;
  throw new TypeError(`\`${shown(text)}\` is not a valid template`);
}

/** Whether a variable asks for what is not known yet. */
export function isUnknown({ keys }: PatternTemplate, context: AccessContext): boolean {
  return keys.some((key) => isPending(key, context));
}

/** The template's description of a request. */
interface TemplateExpansion {
  /** Only texts and wildcards; `undefined` where a variable has no value, or a list of several, or an object. */
  readonly parts: readonly GlobPart[] | undefined;
  /** Whether a variable leads to several members, or to a value that is not known, so that it may stand for each text: it is a `*` in the parts. */
  readonly isVague: boolean;
}

/** Means nothing once the effort is spent. */
export function expand({ parts }: PatternTemplate, context: AccessContext, effort: Effort): TemplateExpansion {
  let expanded: GlobPart[] | undefined = [];
  let isVague = false;
  for (const part of parts) {
    const known = typeof part === 'object' ? partFor(part, context, effort) : part;
    isVague ||= typeof part === 'object' && known === anyRun;
    if (known === undefined) expanded = undefined;
    else expanded?.push(known);
  }
  return { parts: expanded, isVague };
}

/** The text that it is for the request; `undefined` where that is not known, or not one. */
export function expandedText(template: PatternTemplate, context: AccessContext, effort: Effort): string | undefined {
  if (isUnknown(template, context)) return undefined;
  const { parts, isVague } = expand(template, context, effort);
  return isVague || parts === undefined ? undefined : joinedText(parts, effort);
}

/** Without wildcards; `undefined` once the effort is spent. */
export function joinedText(parts: readonly GlobPart[], effort: Effort): string | undefined {
  return spend(effort, lengthOf(parts) / charactersInStep) ? parts.join('') : undefined;
}

/** Of a text that is put together or compared as a whole. */
const charactersInStep = 8;

function lengthOf(parts: readonly GlobPart[]): number {
  return parts.reduce<number>((sum, part) => sum + (typeof part === 'string' ? part.length : 1), 0);
}

/** For people: the text with the values that its variables have, or as it was written where one of them has none. */
export function shownTemplate(text: string, context: AccessContext, effort: Effort): string {
  if (!text.includes(variableStart)) return text;
  return expandedText(readTemplate(text, false), context, effort) ?? text;
}

/** A pattern that reaches at least as far as one with variables does: each of them, and each escape, is a `*` in it. */
export function withoutVariables(pattern: string): string {
  return pattern.replace(/\$\{[^}]*\}/g, '*');
}

/** A request's values must not make a pattern that takes long: one with more symbols is as though it had no value. */
const symbolsMax = 1024;

export function expandedSymbols({ parts = [] }: TemplateExpansion, effort: Effort): readonly number[] | undefined {
  const length = lengthOf(parts);
  if (parts.length === 0 || length > symbolsMax) return undefined;
  return spend(effort, length) ? symbolsOf(parts) : undefined;
}

/** It is unknown which of several members the app reads, even if the others are empty; and a value that is not known may be any. */
function partFor(
  { key, otherwise }: Variable,
  context: AccessContext,
  effort: Effort,
): string | typeof anyRun | undefined {
  const found = key.read(context, effort);
  if (found instanceof AlikeMembers || found === unknownValue) return anyRun;
  if (!spend(effort, stepsThrough(found))) return undefined;
  const values = valuesOf(found);
  if (values.length === 0) return otherwise;
  return values.length === 1 ? textOf(values[0]) : undefined;
}

function readVariable(inside: string): string | Variable | StatementMistake {
  if (inside === '*' || inside === '?' || inside === '$') return inside;
  const comma = inside.indexOf(',');
  const name = comma === -1 ? inside : inside.slice(0, comma);
  const key = parseContextKey(name);
  if (!('read' in key)) return [key[0], `contains the variable \`${shown(name)}\`, which ${key[1]}`];
  if (comma === -1) return { key, otherwise: undefined };
  const otherwise = /^ *'([^']*)' *$/.exec(inside.slice(comma + 1))?.[1];
  if (otherwise !== undefined) return { key, otherwise };
  return ['invalid_value', `contains the variable \`${shown(name)}\` whose default is not quoted by \`'\``];
}

function joinTexts(parts: readonly TemplatePart[]): readonly TemplatePart[] {
  const joined: TemplatePart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (typeof part === 'string' && typeof last === 'string') joined[joined.length - 1] = last + part;
    else joined.push(part);
  }
  return joined;
}
