/** What several screens read from their addresses. */

export function readTab({ tab }: Record<string, unknown>): { readonly tab?: string } {
  return typeof tab === 'string' ? { tab } : {};
}

export function readSearched({ q }: Record<string, unknown>): { readonly q?: string | undefined } {
  return typeof q === 'string' ? { q } : {};
}
