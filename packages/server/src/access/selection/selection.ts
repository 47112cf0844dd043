import type { CompiledStatement } from '../compiled-statement.ts';
import {
  beginningOf,
  endingOf,
  mayBeOpen,
  type OpenPath,
  type ResourceGlob,
  reachesOpen,
} from '../patterns/resource-glob.ts';
import { groupByTexts, type TextGroup } from './text-group.ts';

/** Statements of one effect, in the order in which they are looked at. */
export interface Candidates {
  /** Those that come first: if any are grouped, those that take effect by action and resource alone. */
  readonly first: readonly CompiledStatement[];
  readonly groups: readonly TextGroup[];
  readonly others: readonly CompiledStatement[];
}

/** A path of the class, or what the paths of the class begin with. */
export type SelectedPath = { readonly path: string } | OpenPath;

/** What may concern requests on the paths of one class. */
export interface Selection {
  readonly denies: Candidates;
  readonly allows: Candidates;
  /** What it keeps, in references. */
  readonly weight: number;
}

/** Leaves out nothing. */
export function selectAll(denies: readonly CompiledStatement[], allows: readonly CompiledStatement[]): Selection {
  return { denies: ungrouped(denies), allows: ungrouped(allows), weight: 0 };
}

/** Such as are looked at in the order given. */
function ungrouped(statements: readonly CompiledStatement[]): Candidates {
  return { first: statements, groups: [], others: [] };
}

/** Leaves out what cannot match the path, nor any other of its class, whatever else is known of the request. */
export function select(
  { denies, allows }: Readonly<Record<'denies' | 'allows', readonly CompiledStatement[]>>,
  at: SelectedPath,
  textsMin?: number,
): Selection {
  const [denied, allowed] = [candidatesAmong(denies, at, textsMin), candidatesAmong(allows, at, textsMin)];
  return { denies: denied, allows: allowed, weight: referencesOfSelection + weightOf(denied) + weightOf(allowed) };
}

function candidatesAmong(
  statements: readonly CompiledStatement[],
  at: SelectedPath,
  textsMin: number | undefined,
): Candidates {
  const reaching = statements.filter(({ resources }) => resources.some((glob) => mayReach(glob, at)));
  const plain = reaching.filter(({ isPlain }) => isPlain);
  const conditional = reaching.filter(({ isPlain }) => !isPlain);
  const isReached = ({ resources }: CompiledStatement) => resources.some((glob) => reachesClass(glob, at));
  const { groups, others } = groupByTexts(conditional.filter(isReached), textsMin);
  if (groups.length === 0) return ungrouped([...plain, ...conditional]);
  const left = new Set(others);
  return { first: plain, groups, others: conditional.filter((one) => left.has(one) || !isReached(one)) };
}

function mayReach(glob: ResourceGlob, at: SelectedPath): boolean {
  if ('before' in at) return glob.kind === 'variable' || reachesOpen(glob, at) !== false;
  if (mayBeOpen(glob)) return true;
  if (glob.kind === 'literal') return at.path === glob.text;
  return at.path.startsWith(beginningOf(glob)) && at.path.endsWith(endingOf(glob));
}

/** Whether it matches every path of the class. */
function reachesClass(glob: ResourceGlob, at: SelectedPath): boolean {
  switch (glob.kind) {
    case 'any':
      return true;
    case 'prefix':
      return ('before' in at ? at.before : at.path).startsWith(glob.text);
    case 'literal':
      return 'path' in at && at.path === glob.text;
    case 'suffix':
    case 'general':
    case 'variable':
      return false;
  }
}

const referencesOfSelection = 32;
const referencesOfMember = 8;
const referencesOfText = 12;

function weightOf({ first, groups, others }: Candidates): number {
  const ofGroups = groups.map(
    ({ members, byText }) => members.length * referencesOfMember + byText.size * referencesOfText,
  );
  return ofGroups.reduce((sum, weight) => sum + weight, first.length + others.length);
}
