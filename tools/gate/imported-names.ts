import { posix } from 'node:path';

/** What one statement of a file imports, or exports of another file. */
export interface ImportedNames {
  /** A path from the root for a file of ours, else the name as written. */
  readonly target: string;
  /** As the other file exports them, and as this one calls them; `*` for all of it. */
  readonly names: readonly { readonly name: string; readonly local: string }[];
  readonly isExport: boolean;
  /** Whether nothing of it is left when the file is run. */
  readonly isType: boolean;
}

/** The forms that the formatter leaves: to parse each file takes ten times as long. */
const statement =
  /^(import|export) (type )?(?:([\w$]+)(?:, )?)?(?:(\*)(?: as ([\w$]+))?|\{([^}]*)\})? ?(?:from )?'([^'\n]+)'/gm;
const dynamic = /\bimport\('([^'\n]+)'\)(\.\w)?/g;

export function importedNames(path: string, text: string): readonly ImportedNames[] {
  const found: ImportedNames[] = [];
  for (const [, word, type, byDefault, all, allAs, list, specifier = ''] of text.matchAll(statement)) {
    const parts = (list ?? '').split(',').map((part) => part.trim());
    const named = parts.filter((part) => part !== '');
    const names = named.map(namesIn);
    if (byDefault !== undefined) names.push({ name: 'default', local: byDefault });
    if (all !== undefined) names.push({ name: '*', local: allAs ?? '*' });
    const isType = type !== undefined || (names.length > 0 && names.length === named.filter(isTypeAlone).length);
    found.push({ target: targetOf(path, specifier), names, isExport: word === 'export', isType });
  }
  for (const [, specifier = '', member] of text.matchAll(dynamic))
    found.push({ target: targetOf(path, specifier), names: [], isExport: false, isType: isTypeMember(member) });
  return found;
}

function isTypeAlone(part: string): boolean {
  return part.startsWith('type ');
}

/** A type is a member that begins with a capital; what is awaited has none behind the call. */
function isTypeMember(member: string | undefined): boolean {
  return member !== undefined && /[A-Z]/.test(member);
}

function namesIn(part: string): { readonly name: string; readonly local: string } {
  const [name = '', local = name] = part.replace(/^type /, '').split(' as ');
  return { name, local };
}

function targetOf(path: string, specifier: string): string {
  const own = /^@freehold\/([^/]+)\/(.+)$/.exec(specifier);
  if (own !== null) return `packages/${own[1]}/src/${own[2]}.ts`;
  return specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : specifier;
}
