import type { AccessContext, CompiledAccess, Explanation } from '../../access/port.ts';

/** Why a call is decided as it is, with the statements that apply and are only reported. */
export function explainCall(
  access: CompiledAccess,
  { action, resource }: { readonly action: string; readonly resource: string },
  context: () => AccessContext,
): Explanation {
  const explanation = access.explain(action, resource, context);
  const reported = access.reports({ action, resource, outcome: explanation.decision }, context);
  return reported.length === 0 ? explanation : { ...explanation, reported };
}
