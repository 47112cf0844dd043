/**
 * A second opinion for the tests: decides a request in the plainest way, from the rules alone. It shares nothing with
 * the engine and must stay so; it may be as slow as it likes.
 */
export function referenceDecision(policies: readonly unknown[], action: string, resource: string): string {
  const effects = policies.flatMap((statements) => {
    if (!Array.isArray(statements)) return ['Deny'];
    return statements.map((statement: unknown) => effectOn(statement, action, resource));
  });
  if (effects.includes('Deny')) return 'explicit_deny';
  return effects.includes('Allow') ? 'allowed' : 'implicit_deny';
}

function effectOn(statement: unknown, action: string, resource: string): 'Allow' | 'Deny' | 'none' {
  if (statement === null || typeof statement !== 'object' || Array.isArray(statement)) return 'Deny';
  const entries = new Map<string, unknown>(Object.entries(statement));
  const effect = entries.get('Effect');
  const actions = patternsIn(entries.get('Action'));
  const resources = patternsIn(entries.get('Resource'));
  const names = [...entries.keys()];
  const isForeign = names.some(
    (name) => !['Sid', 'Effect', 'Action', 'Resource', 'Condition', 'Fields'].includes(name),
  );
  const isNarrowed = names.includes('Condition') || names.includes('Fields');
  const isLabelled = isLabel(entries.get('Sid'));
  const isBroken = isForeign || isNarrowed || !isLabelled || actions === 'unreadable' || resources === 'unreadable';
  if (effect === 'Allow' && isBroken) return 'none';
  const actionFits =
    isForeign || actions === 'unreadable' || actions.some((glob) => globFits(lower(glob), lower(action)));
  const resourceFits =
    isForeign ||
    resources === 'unreadable' ||
    resources.some((glob) => globFits(Array.from(glob), Array.from(resource)));
  if (!actionFits || !resourceFits) return 'none';
  return effect === 'Allow' ? 'Allow' : 'Deny';
}

function patternsIn(value: unknown): readonly string[] | 'unreadable' {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  const strings = list.filter((item) => typeof item === 'string');
  const hasVariable = strings.some((text) => text.includes('$' + '{'));
  return list.length === 0 || strings.length < list.length || hasVariable ? 'unreadable' : strings;
}

function isLabel(value: unknown): boolean {
  if (value === undefined) return true;
  return (
    typeof value === 'string' && Array.from(value).every((letter) => `${capitals}${smalls}0123456789`.includes(letter))
  );
}

const capitals = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const smalls = 'abcdefghijklmnopqrstuvwxyz';

function lower(text: string): readonly string[] {
  return Array.from(text, (letter) => (capitals.includes(letter) ? smalls.charAt(capitals.indexOf(letter)) : letter));
}

/** Both texts as lists of code points. */
export function globFits(glob: readonly string[], subject: readonly string[]): boolean {
  const [symbol, ...restOfGlob] = glob;
  const [character, ...restOfSubject] = subject;
  if (symbol === undefined) return character === undefined;
  if (symbol === '*')
    return globFits(restOfGlob, subject) || (character !== undefined && globFits(glob, restOfSubject));
  return character !== undefined && (symbol === '?' || symbol === character) && globFits(restOfGlob, restOfSubject);
}
