/** The names of the policies that a new workspace has, by the setting `tenancy.workspace_templates`. */
export function policiesOfNewWorkspaces(template: unknown): readonly string[] {
  const { policies } = (typeof template === 'object' && template !== null ? template : {}) as {
    readonly policies?: unknown;
  };
  const own = Array.isArray(policies) ? policies.map((policy: { readonly name?: unknown }) => policy.name) : [];
  const names = own.filter((name) => typeof name === 'string');
  return [...new Set(['vieweracl', 'adminacl', ...names])];
}
