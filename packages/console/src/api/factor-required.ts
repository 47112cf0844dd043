/** The org of the session requires a second factor that the user does not have: the shell leads to where one is added. */

type Lead = () => void;

let lead: Lead | undefined;

export function onFactorRequired(given: Lead): void {
  lead = given;
}

export function factorRequired(): void {
  lead?.();
}
