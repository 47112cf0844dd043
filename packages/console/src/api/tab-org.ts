/**
 * The org that this tab shows. The tabs of a browser share one session, and another tab may have switched it to another
 * org: every call names the org that it expects, so that the platform does nothing in another.
 */
import type { ApiProblem } from './problem.ts';

type Ask = () => Promise<boolean>;

let org: string | undefined;
let ask: Ask | undefined;
let underWay: Promise<boolean> | undefined;

export function tabOrg(): string | undefined {
  return org;
}

export function setTabOrg(code: string): void {
  org = code;
}

/** The shell shows a notice; `asked` resolves to whether the session is back in the org of the tab. */
export function onOrgMismatch(confirm: Ask): () => void {
  ask = confirm;
  return () => {
    ask = undefined;
  };
}

/** Waits until the session is back in the org of the tab; calls that fail together wait together. @throws the problem if it stays in the other. */
export async function returnToOrg(problem: ApiProblem): Promise<void> {
  if (ask === undefined) throw problem;
  underWay ??= ask().finally(() => {
    underWay = undefined;
  });
  if (!(await underWay)) throw problem;
}
