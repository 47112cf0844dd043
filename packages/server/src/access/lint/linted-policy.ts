import { foldAscii } from '../../lib/fold-ascii.ts';
import { type Pattern, readPattern } from '../cover/cover-pattern.ts';
import { type Effort, isSpent, spend } from '../effort.ts';
import { collapseStars, compileGlob, type Glob, matchesGlob } from '../patterns/glob.ts';
import { readStatement, type StatementReading } from '../statement.ts';
import { withoutVariables } from '../template.ts';
import { verbs } from '../verbs.ts';

/** The points that an author of policies should review. */
export interface Finding {
  readonly severity: 'error' | 'warning' | 'info';
  readonly code: string;
  /** Of the place in the body. */
  readonly pointer: string;
  readonly message: string;
}

export function warning(code: string, pointer: string, message: string): Finding {
  return { severity: 'warning', code, pointer, message };
}

/** Looks for one kind of trap. */
export type LintRule = (policy: LintedPolicy) => readonly Finding[];

/** The names that policies may use. */
export interface LintedApp {
  readonly entities: readonly LintedEntity[];
  /** Entities of the platform, by their names. */
  readonly systemEntities: readonly string[];
  /** Logic blocks, by their names. */
  readonly blocks: readonly string[];
  /** Routes about the workspace itself, with the actions that they ask for. */
  readonly routes: readonly LintedRoute[];
}

export interface LintedRoute {
  readonly action: string;
  /** The part after the verb. */
  readonly name: string;
  readonly method: string;
  /** With `*` in place of each parameter. */
  readonly path: string;
}

export interface LintedPolicy extends Pick<LintedApp, 'entities' | 'systemEntities' | 'routes'> {
  /** Those in which nothing is wrong. */
  readonly statements: readonly LintedStatement[];
  /** Everything that the policies are ever asked. */
  readonly requests: readonly LintedRequest[];
  /** The comparisons that may still be made. */
  readonly effort: Effort;
}

/** A request that an app can make: an action, and the paths it is asked for on. */
export interface LintedRequest {
  readonly action: string;
  /** Undefined for what is about the workspace itself. */
  readonly entityName: string | undefined;
  readonly paths: readonly Pattern[];
}

export interface LintedEntity {
  readonly name: string;
  /** Every name by which policies may call a field, here and below. */
  readonly fields: ReadonlySet<string>;
  /** Those of its fields that hold several values. */
  readonly lists: ReadonlySet<string>;
  /** The names of each field that has several, its present one first. */
  readonly renamed: readonly (readonly string[])[];
  /** Its lookups, and the entities to which they refer. */
  readonly references: readonly { readonly field: string; readonly entity: string }[];
}

export interface LintedStatement {
  /** The position of the statement in the body. */
  readonly pointer: string;
  readonly Effect: 'Allow' | 'Deny';
  readonly actions: readonly LintedPattern[];
  readonly resources: readonly LintedPattern[];
  readonly terms: NonNullable<StatementReading['Condition']>;
  readonly fields: readonly string[] | undefined;
  readonly isReportOnly: boolean;
}

export interface LintedPattern {
  readonly pointer: string;
  readonly text: string;
  readonly glob: Glob;
  /** Its reach at the most: a variable may stand for anything. */
  readonly reach: Pattern;
}

/** @param input the statement as it was sent. Undefined for one in which something is wrong. */
export function lintedStatement(input: unknown, pointer: string): LintedStatement | undefined {
  const { Effect, Action, Resource, Condition = [], Fields, Mode, errors } = readStatement(input);
  if (errors.length > 0 || Effect === undefined || Action === undefined || Resource === undefined) return undefined;
  const placesOf = (member: 'Action' | 'Resource', texts: readonly string[]): readonly LintedPattern[] => {
    const place = `${pointer}/${member}`;
    const isList = isObject(input) && Array.isArray(input[member]);
    return texts.map((text, index) => lintedPattern(isList ? `${place}/${index}` : place, text));
  };
  return {
    pointer,
    Effect,
    actions: placesOf('Action', Action.map(foldAscii)),
    resources: placesOf('Resource', Resource),
    terms: Condition,
    fields: Fields,
    isReportOnly: Mode === 'report',
  };
}

function lintedPattern(pointer: string, text: string): LintedPattern {
  const widest = collapseStars(withoutVariables(text));
  return { pointer, text, glob: compileGlob(widest), reach: readPattern(widest) };
}

/** Whether a pattern may match a text. */
export function mayMatch({ glob }: LintedPattern, text: string, effort: Effort): boolean {
  return !spend(effort, 1) || matchesGlob(glob, text, effort) || isSpent(effort);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** Everything that the policies of an org are ever asked. */
export function knownRequests({ entities, blocks, routes }: LintedApp): readonly LintedRequest[] {
  return [
    ...entities.flatMap(({ name }) =>
      verbs.map((verb) => ({
        action: verb + name,
        entityName: name,
        paths: pathsOf[verb].map((path) => at(path, name)),
      })),
    ),
    ...routes.map(({ action, path }) => ({ action, entityName: undefined, paths: [readPattern(path)] })),
    ...blocks.map((name) => ({
      action: `run${name}`,
      entityName: undefined,
      paths: [readPattern(`/logicblocks/${name}`), readPattern(`/logicblocks/${name}/*`)],
    })),
  ];
}

const pathsOf = {
  get: ['/item/{entity}/*'],
  list: ['/list/{entity}', '/export/{entity}'],
  count: ['/count/{entity}'],
  create: ['/create/{entity}', '/import/{entity}'],
  update: ['/update/{entity}/*'],
  delete: ['/delete/{entity}/*'],
  browse: ['/list/{entity}', '/count/{entity}', '/export/{entity}'],
} as const;

function at(path: string, entityName: string): Pattern {
  return readPattern(path.replace('{entity}', entityName));
}
