import type { AccessContext } from '../context/context.ts';
import type { ContextKey } from '../context/context-key.ts';
import type { Effort } from '../effort.ts';
import {
  expand,
  expandedSymbols,
  isUnknown,
  type PatternTemplate,
  readTemplate,
  withoutVariables,
} from '../template.ts';
import type { Effect, Truth } from '../truth.ts';
import { compileGlob, type Glob, globOf, matchesGlob, matchesSymbols } from './glob.ts';

/** A pattern of resources, with variables or without. */
export type ResourceGlob = Glob | VariableGlob;

interface VariableGlob {
  readonly kind: 'variable';
  readonly pattern: string;
  readonly template: PatternTemplate;
  readonly effect: Effect;
  /** With a `*` for each variable: what it does not match is not matched with any values. */
  readonly widest: Glob;
}

/** The path of a record whose id is not known: the id follows. */
export interface OpenPath {
  readonly before: string;
}

/** A path to match with a pattern. */
export interface PathRequest {
  readonly path: string | OpenPath;
  context(): AccessContext;
  readonly effort: Effort;
}

/** @param pattern a pattern that was found to be sound. */
export function compileResource(pattern: string, effect: Effect): ResourceGlob {
  const template = readTemplate(pattern, true);
  const plain = template.parts.filter((part) => typeof part !== 'object');
  if (template.keys.length === 0) return globOf(pattern, plain);
  return { kind: 'variable', pattern, template, effect, widest: compileGlob(withoutVariables(pattern)) };
}

/**
 * A variable without a value makes a pattern that matches nothing. A variable that leads to several members counts
 * against the caller: it is a `*` in a Deny, and makes an Allow match nothing. Means nothing once the effort is spent.
 */
export function reaches(glob: ResourceGlob, { path, context, effort }: PathRequest): Truth {
  if (glob.kind === 'variable')
    return typeof path === 'string' ? reachesByVariables(glob, path, { context: context(), effort }) : 'unknown';
  return typeof path === 'string' ? matchesGlob(glob, path, effort) : reachesOpen(glob, path);
}

function reachesByVariables(
  { template, effect, widest }: VariableGlob,
  path: string,
  { context, effort }: { readonly context: AccessContext; readonly effort: Effort },
): Truth {
  if (isUnknown(template, context)) return 'unknown';
  if (!matchesGlob(widest, path, effort)) return false;
  const expansion = expand(template, context, effort);
  if (expansion.isVague && effect === 'Allow') return false;
  const symbols = expandedSymbols(expansion, effort);
  return symbols !== undefined && matchesSymbols(symbols, path, effort);
}

/** The text that each path begins with which the pattern matches. */
export function beginningOf(glob: ResourceGlob): string {
  switch (glob.kind) {
    case 'any':
    case 'suffix':
      return '';
    case 'literal':
    case 'prefix':
      return glob.text;
    case 'general':
      return String.fromCharCode(
        ...glob.symbols.slice(
          0,
          glob.symbols.findIndex((symbol) => symbol < 0),
        ),
      );
    case 'variable': {
      const [first] = glob.template.parts;
      return typeof first === 'string' ? first : '';
    }
  }
}

/** The text that each path ends with which the pattern matches. */
export function endingOf(glob: ResourceGlob): string {
  switch (glob.kind) {
    case 'any':
    case 'prefix':
      return '';
    case 'literal':
    case 'suffix':
      return glob.text;
    case 'general':
      return String.fromCharCode(...glob.symbols.slice(glob.symbols.findLastIndex((symbol) => symbol < 0) + 1));
    case 'variable': {
      const last = glob.template.parts.at(-1);
      return typeof last === 'string' ? last : '';
    }
  }
}

/** Whether it may be unknown if the pattern matches a path that is known. */
export function mayBeOpen(glob: ResourceGlob): boolean {
  return glob.kind === 'variable' && glob.template.keys.some(({ needs }) => needs.length > 0);
}

/** The keys of the variables of the pattern. */
export function keysOf(glob: ResourceGlob): readonly ContextKey[] {
  return glob.kind === 'variable' ? glob.template.keys : [];
}

/** Certain for every id, or for none; else it depends on the id. */
export function reachesOpen({ kind, text, pattern }: Glob, { before }: OpenPath): Truth {
  if (kind === 'any' || (kind === 'prefix' && before.startsWith(text))) return true;
  const start = kind === 'literal' || kind === 'prefix' ? text : pattern.slice(0, pattern.search(/[*?$]|$/));
  return start.startsWith(before) || (kind !== 'literal' && before.startsWith(start)) ? 'unknown' : false;
}
