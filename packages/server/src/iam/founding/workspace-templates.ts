import type { Statement } from '../../access/port.ts';

/** Policies and groups that every new workspace of an org gets beside those of the platform. */
export interface WorkspaceTemplates {
  readonly policies: readonly { readonly name: string; readonly statements: readonly Statement[] }[];
  /** `acl_policies` are names of the policies above. */
  readonly groups: readonly { readonly name: string; readonly acl_policies: readonly string[] }[];
}
