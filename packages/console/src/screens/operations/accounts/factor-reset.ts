/** The requests to the platform. */
export interface FactorReset {
  readonly email: string;
  readonly reason: string;
}

/** As the platform bounds them. */
export const emailMax = 254;
export const reasonMax = 500;

/** What is to be typed first; undefined where nothing is missing. */
export function whyNotYet({ email, reason }: FactorReset): string | undefined {
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) return 'Type the email address of the account first.';
  return reason === '' ? 'Type the reason first.' : undefined;
}
