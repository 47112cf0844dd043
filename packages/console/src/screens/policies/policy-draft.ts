import type { Finding } from './queries.ts';

/** A policy as it is edited. Statements may be anything while they are typed. */
export interface PolicyDraft {
  readonly name: string;
  readonly statements: readonly unknown[];
}

/** Says why the form cannot show a JSON object. */
export function checkPolicy(value: object): string | undefined {
  const { name, statements } = value as { readonly name?: unknown; readonly statements?: unknown };
  if (typeof name !== 'string') return '`name` must be a text';
  if (!Array.isArray(statements)) return '`statements` must be a list';
  const others = Object.keys(value).filter((member) => member !== 'name' && member !== 'statements');
  return others.length === 0 ? undefined : `a policy has no member \`${others[0]}\``;
}

/** The findings about one place or what is in it, each with the rest of its pointer. */
export function findingsAt(findings: readonly Finding[], pointer: string): readonly Finding[] {
  return findings
    .filter((finding) => finding.pointer === pointer || finding.pointer.startsWith(`${pointer}/`))
    .map((finding) => ({ ...finding, pointer: finding.pointer.slice(pointer.length) }));
}

/** The pointer of a key under an operator, below its condition. */
export function pointerOfTerm(operator: string, key: string): string {
  return `/${escaped(operator)}/${escaped(key)}`;
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
