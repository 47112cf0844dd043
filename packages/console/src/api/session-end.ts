import type { ApiProblem } from './problem.ts';

type Ask = () => Promise<boolean>;

let ask: Ask | undefined;
let underWay: Promise<boolean> | undefined;

/** The shell shows a dialog; `asked` resolves to whether the user signed in again. */
export function onSessionEnd(confirm: Ask): () => void {
  ask = confirm;
  return () => {
    ask = undefined;
  };
}

/** Waits until the user has signed in again; calls that fail together wait together. @throws the problem if he does not. */
export async function signInAgain(problem: ApiProblem): Promise<void> {
  if (ask === undefined) throw problem;
  underWay ??= ask().finally(() => {
    underWay = undefined;
  });
  if (!(await underWay)) throw problem;
}
